"""Events of a turn, shown in its Slack thread: progress, answer, files. One presenter per turn."""

from bot.presenter.indicator import Indicators
from bot.presenter.journal import READER, PresenterState
from bot.presenter.presenter import ThreadPresenter, TurnPresenter

__all__ = ["READER", "Indicators", "PresenterState", "ThreadPresenter", "TurnPresenter"]
