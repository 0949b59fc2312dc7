"""The bookmark of one turn in use: each write to Slack is made once, over restarts too."""

from collections.abc import Awaitable, Callable

from bot.presenter.state import Bookmark, PresenterState
from bot.slack_api import Guard

Write = Callable[[bool], Awaitable[None]]
"""A write to Slack; told whether an earlier process may have made it already."""


class Journal:
    """Notes what is about to be written and what was written.

    `guard` is awaited before each note: a process that lost the turn must not overwrite the notes
    of the one that has it now.
    """

    def __init__(self, state: PresenterState, guard: Guard | None = None) -> None:
        self._state = state
        self._guard = guard
        self._bookmark: Bookmark | None = None

    async def open(self) -> Bookmark:
        """The bookmark, read on first use."""
        if self._bookmark is None:
            self._bookmark = Bookmark.model_validate(await self._state.load() or {})
        return self._bookmark

    async def once(self, op_id: str, write: Write) -> None:
        """Make a write unless it was made. One that failed is made again when asked again."""
        bookmark = await self.open()
        if op_id in bookmark.done:
            return
        may_exist = op_id in bookmark.begun
        if not may_exist:
            bookmark.begun.add(op_id)
            await self.save()
        await write(may_exist)
        bookmark.done.add(op_id)
        await self.save()

    async def save(self) -> None:
        """Make the bookmark durable."""
        bookmark = await self.open()
        if self._guard is not None:
            await self._guard()
        await self._state.save(bookmark.model_dump(mode="json"))
