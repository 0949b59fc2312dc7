"""Watches the bot from outside, in its database: its turns, and when it is due to do something."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Row, Select, func, not_, select
from sqlalchemy.exc import OperationalError

from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    AuthEnded,
    AuthRequired,
    FastPathFallback,
    QuestionAsked,
    RouteChosen,
    StepFinished,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.sessions import (
    ApprovalWait,
    ConnectionWait,
    Database,
    EventLog,
    SessionStore,
    StoredTurn,
    WriteBehind,
)
from agent_core.sessions.schema import cursors, schedules, slots, turns
from bot.presenter.journal import READER

E = TypeVar("E")
_ASKED = (QuestionAsked, ApprovalRequested, AuthRequired)

POLL_S = 0.05
SETTLED_S = 1.0
"""A bot without work for so long has nothing more on its way."""


class NoTurnError(Exception):
    """The bot did not do in time what was waited for; the message says what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedTurn:
    """A turn that has ended, or waits for a person, with its stored events."""

    turn: StoredTurn
    events: tuple[AnyEvent, ...]

    @property
    def outcome(self) -> str:
        is_waiting = self.turn.status == "waiting" and not self.turn.outcome
        return "waiting" if is_waiting else self.turn.outcome or "failed"

    @property
    def asks(self) -> str:
        """The approval or connection that it waits for; empty where it waits for nothing such."""
        wait = self.turn.wait
        is_consent = isinstance(wait, ApprovalWait | ConnectionWait)
        return wait.consent if is_consent and self.turn.status == "waiting" else ""

    def as_json(self) -> JsonObject:
        """What `--json` says of a turn."""
        route = self._first(RouteChosen)
        fallback = self._first(FastPathFallback)
        finished = self._first(TurnFinished)
        started = self._first(TurnStarted)
        duration = (finished.at - started.at).total_seconds() if finished and started else 0.0
        return {
            "ask": self.turn.inbound.text,
            "route": route.route if route else None,
            "fallback": fallback.reason if fallback else None,
            "answer": self.turn.answer,
            "outcome": self.outcome,
            "duration_s": round(duration, 3),
            "model_calls": (route.model_calls if route else 0)
            + sum(isinstance(event, StepFinished) for event in self.events),
            "tool_calls": [e.tool for e in self.events if isinstance(e, ToolCallStarted)],
            "events": [event.kind for event in self.events],
            "waits": list(self._waits()),
        }

    def _waits(self) -> Iterator[JsonObject]:
        """What was asked of whom, and how that ended; None where it is still waited for."""
        endings = {
            event.consent: event.verdict if isinstance(event, ApprovalDecided) else event.outcome
            for event in self.events
            if isinstance(event, ApprovalDecided | AuthEnded)
        }
        for event in self.events:
            match event:
                case QuestionAsked():
                    yield {"kind": "question", "who": event.asker}
                case ApprovalRequested():
                    ended = endings.get(event.consent)
                    yield {"kind": "approval", "who": event.asker, "ended": ended}
                case AuthRequired():
                    ended = endings.get(event.consent)
                    yield {"kind": "connection", "who": event.asker, "ended": ended}
                case _:
                    continue

    def _first(self, kind: type[E]) -> E | None:
        return next((event for event in self.events if isinstance(event, kind)), None)


class Watch:
    """Reads the bot's SQLite file; it never writes. `check` is called while it waits."""

    def __init__(self, workspaces_root: Path, check: Callable[[], Awaitable[None]]) -> None:
        database = Database(f"sqlite:///{workspaces_root}/state.sqlite")
        self._database = database
        self._check = check
        behind = WriteBehind(database)  # never started: nothing is written from here
        self._store = SessionStore(database, behind)
        self._log = EventLog(database, behind)

    async def close(self) -> None:
        await self._database.close()

    async def ended(
        self,
        turn_id: TurnId,
        *,
        timeout_s: float,
        is_answered: Callable[[], bool],
        seen_to: Collection[str] = (),
    ) -> WatchedTurn | None:
        """Wait until a turn has ended and is shown to its end in Slack, or waits for a person.

        Consents in `seen_to` are not waited for by a person any more: somebody has pressed.
        Returns None where the bot has answered (`is_answered`) without making a turn of it.

        Raises:
            NoTurnError: that did not happen in time.
        """

        async def is_over() -> bool:
            by_itself = is_answered() and not await self._any(_is(turn_id))
            return by_itself or await self._is_shown(turn_id) or await self._asks(turn_id, seen_to)

        await self.until(is_over, timeout_s=timeout_s, otherwise="The turn did not end")
        return await self.turn(turn_id) if await self._any(_is(turn_id)) else None

    async def turn(self, turn_id: TurnId) -> WatchedTurn:
        """A turn as it is stored now."""
        events = tuple(event for _, event in await self._log.stored(turn_id))
        return WatchedTurn(turn=await self._store.turn(turn_id), events=events)

    async def _asks(self, turn_id: TurnId, seen_to: Collection[str]) -> bool:
        """Whether the turn waits for somebody who was asked and has not done anything about it."""
        if not await self._any(_is(turn_id).where(turns.c.status == "waiting")):
            return False
        turn = await self.turn(turn_id)
        if turn.outcome != "waiting" or turn.asks in seen_to:
            return False
        asked = [event.call_id for event in turn.events if isinstance(event, _ASKED)]
        is_told = turn.turn.wait is not None and turn.turn.wait.call_id in asked
        return is_told and (await self._bookmark(turn_id)).get("waits", 0) >= len(asked)

    async def rest(self, *, timeout_s: float, settled_s: float = SETTLED_S) -> None:
        """Wait until the bot has had nothing to do for a little while.

        Raises:
            NoTurnError: that did not happen in time.
        """
        loop = asyncio.get_running_loop()
        idle_since_s = loop.time()

        async def is_settled() -> bool:
            nonlocal idle_since_s
            if await self.is_at_work():
                idle_since_s = loop.time()
            return loop.time() - idle_since_s >= settled_s

        await self.until(is_settled, timeout_s=timeout_s, otherwise="The bot did not come to rest")

    async def until(
        self, holds: Callable[[], Awaitable[bool]], *, timeout_s: float, otherwise: str
    ) -> None:
        """Wait until something holds.

        Raises:
            NoTurnError: `otherwise`, as it did not hold in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not await holds():
                    await self._check()
                    await asyncio.sleep(POLL_S)
        except TimeoutError as error:
            raise NoTurnError(f"{otherwise} within {timeout_s:g} s.") from error

    async def is_at_work(self) -> bool:
        """Whether a turn is queued, runs or is not shown to its end, or a slot is under way."""
        shown = select(cursors.c.turn).where(cursors.c.reader == READER, cursors.c.done.is_(True))
        is_shown = (turns.c.status == "waiting") | turns.c.id.in_(shown)
        if await self._any(select(turns.c.id).where(not_(is_shown))):
            return True
        return await self._any(select(slots.c.at).where(slots.c.state.in_(("due", "begun"))))

    async def next_due(self) -> datetime | None:
        """When the next schedule is due; None without one."""
        query = select(schedules.c.next_due).where(
            schedules.c.status == "active", schedules.c.next_due.is_not(None)
        )
        found = await self._first(query.order_by(schedules.c.next_due))
        return None if found is None else found.next_due

    async def knows_schedules(self) -> bool:
        """Whether the bot has a table of them."""
        return await self._any(select(func.count()).select_from(schedules))

    async def workspace(self, turn: StoredTurn) -> Path | None:
        session = await self._store.session(turn.session)
        return session.workspace if session else None

    async def _is_shown(self, turn_id: TurnId) -> bool:
        return bool((await self._bookmark(turn_id)).get("finished"))

    async def _bookmark(self, turn_id: TurnId) -> JsonObject:
        """How far the turn is shown in Slack."""
        state = await self._first(
            select(cursors.c.state).where(cursors.c.reader == READER, cursors.c.turn == turn_id)
        )
        return state.state if state else {}

    async def _any(self, query: Select[Any]) -> bool:
        return await self._first(query) is not None

    async def _first(self, query: Select[Any]) -> Row[Any] | None:
        """The first row; None as well as long as the bot has not made the table."""
        try:
            return await self._database.run(lambda connection: connection.execute(query).first())
        except OperationalError:
            return None


def _is(turn_id: TurnId) -> Select[Any]:
    return select(turns.c.id).where(turns.c.id == turn_id)
