"""Waits for the bot as a person does: for a turn's end, for rest, for the next digest."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeVar

import typer

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    ArtifactSaved,
    AskDecided,
    AuthRequired,
    QuestionAsked,
    RouteChosen,
    StepFinished,
    ToolCallStarted,
    TurnFinished,
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.monitor import BotMonitor
from agent_core.runtime import StoredTurn
from bot.sandbox import SandboxError
from bot.sandbox.moments import SharedClock

E = TypeVar("E")
_ASKED = (QuestionAsked, ApprovalRequested, AuthRequired)
_READER = "slack"
"""The name of the presenter's cursor."""
_POLL_S = 0.05
_TELL_S = 15.0
_SETTLED_S = 1.0
"""A bot that was idle for so long has no work on its way."""
_WORK_S = 1800.0
_DUE_S = 20.0
"""Patience for a schedule with a slot to come."""
_BEGIN_S = 120.0
"""Patience for the begin of a slot whose moment has come."""
_SILENT_SLOTS = 10
"""The most slots in a row without a post."""
_LEAD_S = 2.0
"""A jump ends so long before the slot, so that the bot sees the moment come."""


_COUNT = re.compile(r"data-(sources|publishers|claims|found|derived|unfound)=\"(\d+)\"")


class NoTurnError(SandboxError):
    """A wait for the bot timed out; the message says which."""


@dataclass(frozen=True, slots=True)
class WatchedTurn:
    """A turn that has ended, or waits for a person, with its stored events."""

    turn: StoredTurn
    events: tuple[AnyEvent, ...]
    workspace: Path | None

    @property
    def outcome(self) -> str:
        return self.turn.outcome or "waiting"

    @property
    def asks(self) -> str:
        """The id of the open Ask; empty where the turn waits for nobody."""
        wait = self.turn.wait
        if wait is None or self.turn.status != "waiting":
            return ""
        return wait.ask

    def report_counts(self) -> dict[str, int] | None:
        """What the last report rests on and how much of it its sources say."""
        saved = [event for event in self.events if isinstance(event, ArtifactSaved)]
        pages = [event.path for event in saved if event.mimetype == "text/html"]
        if not pages or self.workspace is None:
            return None
        with suppress(OSError):
            page = (self.workspace / pages[-1]).read_text(encoding="utf-8", errors="replace")
            counts = _COUNT.findall(page)
            return {name: int(count) for name, count in counts} or None
        return None

    def as_json(self) -> JsonObject:
        """The turn's entry in `--json`; the names are an interface.

        An Ask's `ended` is its decision, None while it is open. `report` counts what the last
        report rests on and how much of it its sources say, None where there is none.
        """
        result: JsonObject = {
            "ask": self.turn.inbound.text,
            "route": None,
            "fallback": None,
            "answer": self.turn.answer,
            "outcome": self.outcome,
            "duration_s": 0.0,
            "model_calls": 0,
            "tool_calls": [],
            "report": self.report_counts(),
            "events": [event.kind for event in self.events],
        }
        asks: dict[str, JsonObject] = {}
        for event in self.events:
            match event:
                case RouteChosen():
                    result["route"] = event.route
                    result["fallback"] = event.fallback or None
                    result["model_calls"] += event.model_calls
                case StepFinished():
                    result["model_calls"] += 1
                case ToolCallStarted():
                    result["tool_calls"].append(event.tool)
                case TurnFinished():
                    duration = event.at - self.events[0].at
                    result["duration_s"] = round(duration.total_seconds(), 3)
                case QuestionAsked():
                    asks[event.ask] = {"kind": "question", "who": event.asker}
                case ApprovalRequested():
                    asks[event.ask] = {"kind": "approval", "who": event.asker, "ended": None}
                case AuthRequired():
                    asks[event.ask] = {"kind": "connection", "who": event.asker, "ended": None}
                case AskDecided():
                    asks[event.ask]["ended"] = event.verdict
                case _:
                    pass
        return result | {"waits": list(asks.values())}


class Watch:
    """Reads the bot's SQLite file. `check` is called while a wait lasts."""

    def __init__(self, workspaces_root: Path, check: Callable[[], Awaitable[None]]) -> None:
        self.bot = BotMonitor(f"sqlite:///{workspaces_root}/state.sqlite", reader=_READER)
        self._check = check

    async def ended(
        self,
        turn_id: TurnId,
        *,
        is_answered: Callable[[], bool],
        seen_to: Collection[str] = (),
    ) -> WatchedTurn | None:
        """Wait until a turn has ended and its end is shown in Slack, or it waits for a person.

        Asks in `seen_to` do not count: somebody has pressed. Returns None where the bot has
        answered (`is_answered`) without a turn. Raises NoTurnError at the time-out.
        """

        async def is_over() -> bool:
            turn = await self.turn(turn_id)
            if turn is None:
                return is_answered()
            shown = await self.bot.shown(turn_id)
            return bool(shown.get("finished")) or _is_asking(turn, shown, seen_to)

        await self.until(is_over, timeout_s=_WORK_S, otherwise="The turn did not end")
        return await self.turn(turn_id)

    async def turn(self, turn_id: TurnId) -> WatchedTurn | None:
        """The present state of a turn; None where the bot has made none."""
        stored = await self.bot.turn(turn_id)
        return WatchedTurn(*stored) if stored else None

    async def rest(self, *, timeout_s: float = _WORK_S, settled_s: float = _SETTLED_S) -> None:
        """Wait until the bot has had nothing to do for `settled_s`. Raises NoTurnError."""
        idle_since_s: float | None = None

        async def is_settled() -> bool:
            nonlocal idle_since_s
            if await self.bot.is_at_work():
                idle_since_s = None
            elif idle_since_s is None:
                idle_since_s = monotonic()
            return idle_since_s is not None and monotonic() - idle_since_s >= settled_s

        await self.until(is_settled, timeout_s=timeout_s, otherwise="The bot did not come to rest")

    async def until(
        self, look: Callable[[], Awaitable[E | None]], *, timeout_s: float, otherwise: str
    ) -> E:
        """Wait until `look` gives something true. Raises NoTurnError, with `otherwise`, if late.

        A long wait is told on standard error, so that nobody takes it for a stop.
        """
        told_s = monotonic()
        try:
            async with asyncio.timeout(timeout_s):
                while True:
                    result = await look()
                    if result:
                        return result
                    await self._check()
                    if otherwise and monotonic() - told_s >= _TELL_S:
                        told_s = monotonic()
                        typer.echo(f"{otherwise} yet; I wait up to {timeout_s:g} s.", err=True)
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise NoTurnError(f"{otherwise} within {timeout_s:g} s.") from error

    async def found(self, look: Callable[[], E | None], *, timeout_s: float) -> E | None:
        """The result of `look` as soon as it is true; None at the time-out."""

        async def is_there() -> E | None:
            return look()

        with suppress(NoTurnError):
            return await self.until(is_there, timeout_s=timeout_s, otherwise="")
        return None

    async def let_time_pass(
        self,
        clock: SharedClock,
        wanted: int,
        *,
        count: Callable[[], int],
        local: Callable[[float], str],
    ) -> None:
        """Put the clock forward from slot to slot, whenever the bot is at rest.

        Returns when `count` gives `wanted` posts. Raises NoTurnError where no schedule is due, too
        many slots in a row pass without a post, or the bot does not begin or end a slot in time.
        """
        silent_slots = 0
        await self.rest()
        posts = count()
        while posts < wanted:
            so_far = f"of {wanted} posts {posts} are there at {local(clock.now())}"
            nothing_due = f"No schedule was due: {so_far} by the sandbox's clock"
            due = await self.until(self.bot.next_due, timeout_s=_DUE_S, otherwise=nothing_due)
            if silent_slots == _SILENT_SLOTS:
                raise NoTurnError(
                    f"{silent_slots} slots in a row were silent: {so_far} by the sandbox's clock."
                )
            clock.jump_to(due.timestamp() - _LEAD_S)
            late = f"The bot did not begin with what was due at {local(due.timestamp())}"
            await self.until(partial(self._is_past, due), timeout_s=_BEGIN_S, otherwise=late)
            await self.rest()
            silent_slots += 1
            if count() > posts:
                silent_slots = 0
            posts = count()

    async def _is_past(self, slot: datetime) -> bool:
        """Whether the bot has begun with a slot."""
        due = await self.bot.next_due()
        return due is None or due > slot


def _is_asking(turn: WatchedTurn, shown: JsonObject, seen_to: Collection[str]) -> bool:
    """Whether the turn's open Ask is shown in Slack, and nobody has decided it."""
    if not turn.asks or turn.asks in seen_to:
        return False
    asked = [event.ask for event in turn.events if isinstance(event, _ASKED)]
    return turn.asks in asked and shown.get("waits", 0) >= len(asked)
