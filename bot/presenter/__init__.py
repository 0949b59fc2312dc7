"""Events of a turn, shown in its Slack thread: progress, answer, files. One presenter per turn."""

from bot.presenter.presenter import ThreadPresenter
from bot.presenter.sign import Signs
from bot.presenter.state import MemoryState, PresenterState

__all__ = ["MemoryState", "PresenterState", "Signs", "ThreadPresenter"]
