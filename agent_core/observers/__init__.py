"""Readers of tool results that leave artifacts in the workspace and never get in a turn's way."""

from agent_core.observers.corpus import ArticleObserver, keep_read_page
from agent_core.observers.executions import SearchResultObserver, WorkbenchObserver
from agent_core.observers.observing import Observers, ToolObserved, ToolObserver

__all__ = [
    "ArticleObserver", "Observers", "SearchResultObserver", "ToolObserved", "ToolObserver",
    "WorkbenchObserver", "keep_read_page", "standard_observers",
]  # fmt: skip


def standard_observers() -> tuple[ToolObserver, ...]:
    """The observers that every session has."""
    return (SearchResultObserver(), ArticleObserver(), WorkbenchObserver())
