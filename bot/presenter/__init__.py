"""Events of a turn, shown in its Slack thread: progress, answer, files. One presenter per turn.

Read `presenting.py` first.
"""

from bot.presenter.journal import READER, Journal
from bot.presenter.presenting import (
    Presenting,
    ThreadPresenter,
    TurnPresenter,
    title_of,
)
from bot.presenter.progress import Indicators

__all__ = [
    "READER",
    "Indicators",
    "Journal",
    "Presenting",
    "ThreadPresenter",
    "TurnPresenter",
    "title_of",
]
