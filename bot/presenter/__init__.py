"""Events of a turn, shown in its Slack thread: progress, answer, files. One presenter per turn."""

from bot.presenter.journal import READER, PresenterState
from bot.presenter.presenter import ThreadPresenter, TurnPresenter
from bot.presenter.sign import Signs

__all__ = ["READER", "PresenterState", "Signs", "ThreadPresenter", "TurnPresenter"]
