"""Watches turns from outside the bot, in its database: when they end, and what they did."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy.exc import OperationalError

from agent_core.events import (
    AnyEvent,
    FastPathFallback,
    RouteChosen,
    StepFinished,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.sessions import Database, EventLog, SessionStore, StoredTurn, WriteBehind
from bot.presenter.state import READER

E = TypeVar("E")

POLL_S = 0.05


class NoTurnError(Exception):
    """The bot did not take a message up in time, or did not come to an end with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedTurn:
    """A turn that has ended, with its stored events."""

    turn: StoredTurn
    events: tuple[AnyEvent, ...]

    @property
    def outcome(self) -> str:
        return self.turn.outcome or "failed"

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
        }

    def _first(self, kind: type[E]) -> E | None:
        return next((event for event in self.events if isinstance(event, kind)), None)


class Watch:
    """Reads the bot's SQLite file; it never writes."""

    def __init__(self, workspaces_root: Path) -> None:
        database = Database(f"sqlite:///{workspaces_root}/state.sqlite")
        self._database = database
        behind = WriteBehind(database)  # never started: nothing is written from here
        self._store = SessionStore(database, behind)
        self._log = EventLog(database, behind)

    async def close(self) -> None:
        await self._database.close()

    async def ended(
        self, turn_id: TurnId, *, timeout_s: float, check: Callable[[], Awaitable[None]]
    ) -> WatchedTurn:
        """Wait until a turn has ended and is shown to its end in Slack.

        Raises:
            NoTurnError: that did not happen in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not await self._is_shown(turn_id):
                    await check()
                    await asyncio.sleep(POLL_S)
        except TimeoutError as error:
            raise NoTurnError(f"The turn did not end within {timeout_s:.0f} s.") from error
        events = tuple(event for _, event in await self._log.stored(turn_id))
        return WatchedTurn(turn=await self._store.turn(turn_id), events=events)

    async def workspace(self, turn: StoredTurn) -> Path | None:
        session = await self._store.session(turn.session)
        return session.workspace if session else None

    async def _is_shown(self, turn_id: TurnId) -> bool:
        try:
            state = await self._store.load_cursor(READER, turn_id)
        except OperationalError:  # the bot has not made its tables yet
            return False
        return bool(state and state.get("finished"))
