"""The writes of one turn to Slack: each made once, over restarts too, in its thread or directly."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.slack_api import (
    ContentRefused,
    Guard,
    PlaceRefused,
    SlackApi,
    SlackAuthRefused,
    SlackRefused,
)
from bot.threads import ThreadRef, parse_session, parse_user

READER = "slack"
"""The name under which bookmarks are kept among those of other readers."""

_log = logging.getLogger(__name__)

Write = Callable[[bool], Awaitable[None]]
"""A write to Slack; told whether an earlier process may have made it already."""
PlacedWrite = Callable[[ThreadRef, str, bool], Awaitable[None]]
"""The same, told also where, and under which op id."""


class PresenterState(Protocol):
    """Where one turn's presenter keeps its bookmark. `save` returns once it is durable."""

    async def load(self) -> JsonObject | None: ...

    async def save(self, state: JsonObject) -> None: ...


class MemoryState:
    """A state that lives as long as the object; two presenters that share it follow each other."""

    def __init__(self) -> None:
        self.saved: JsonObject | None = None

    async def load(self) -> JsonObject | None:
        return self.saved

    async def save(self, state: JsonObject) -> None:
        self.saved = state


class Bookmark(BaseModel):
    """How far one turn was shown: what a presenter must remember to post nothing twice."""

    model_config = ConfigDict(extra="ignore")

    progress: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of a progress post to its `ts`, once it is there."""
    waits: int = 0
    """How many of the turn's waits for a person are shown, their progress closed."""
    begun: set[str] = Field(default_factory=set[str])
    """Op ids of writes that were about to be made: they may or may not be in Slack."""
    done: set[str] = Field(default_factory=set[str])
    """Op ids of writes that Slack has taken."""
    files: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of an upload to Slack's id of the file, known before the file is visible."""
    consents: dict[str, str] = Field(default_factory=dict[str, str])
    """Op id of an approval or a connection to its post: channel and `ts`."""
    direct: str = ""
    """The direct conversation, as a session id, where the thread takes no answer."""
    finished: bool = False
    """Everything of the turn is in the thread."""


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

    async def finish(self) -> None:
        """Everything of the turn is shown, for good."""
        (await self.open()).finished = True
        await self.save()

    async def save(self) -> None:
        """Make the bookmark durable."""
        bookmark = await self.open()
        if self._guard is not None:
            await self._guard()
        await self._state.save(bookmark.model_dump(mode="json"))


class Place:
    """Where one turn is told: its thread or, where that takes nothing, its asker directly.

    The direct conversation is begun once, when it is first needed; from then on all goes there.
    """

    def __init__(self, api: SlackApi, thread: ThreadRef, journal: Journal) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal

    async def current(self) -> ThreadRef:
        """Where things are told now."""
        return await self._direct() or self._thread

    async def once(
        self,
        op: str,
        words: Words,
        asker: UserId,
        write: PlacedWrite,
        *,
        otherwise: Write | None = None,
    ) -> None:
        """Make a write once, where it is taken; `otherwise` where neither place takes anything.

        Raises:
            SlackError: Slack gave no answer, or refuses it everywhere.
        """
        if await self._direct() is None or op in (await self._journal.open()).done:
            try:
                await self._journal.once(op, partial(write, self._thread, op))
            except PlaceRefused as refused:
                _log.warning("the thread takes nothing, so it is told directly: %s", refused)
            else:
                return
        try:
            place = await self._begin(op, words, asker)
            direct_op = f"{op}:direct"
            await self._journal.once(direct_op, partial(write, place, direct_op))
        except (SlackAuthRefused, ContentRefused):
            raise
        except SlackRefused as refused:
            if otherwise is None:
                raise
            _log.warning("the asker cannot be written to: %s", refused)
            await self._journal.once(f"{op}:ephemeral", otherwise)

    async def _direct(self) -> ThreadRef | None:
        begun = (await self._journal.open()).direct
        return parse_session(SessionId(begun)) if begun else None

    async def _begin(self, op: str, words: Words, asker: UserId) -> ThreadRef:
        notice_op = f"{op}:notice"

        async def notice(may_exist: bool) -> None:
            team, user = parse_user(asker)
            place = await self._api.post_direct(
                team,
                user,
                f"_{words('progress-not-in-thread')}_",
                op_id=notice_op,
                since=self._thread.root_ts,
                may_exist=may_exist,
            )
            (await self._journal.open()).direct = place.session

        if place := await self._direct():
            return place
        await self._journal.once(notice_op, notice)
        return await self.current()
