"""Waits for the bot as a person does: for a turn's end, for rest, for its next digest."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TypeVar

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
)
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.onlooker import Onlooker
from agent_core.runtime import StoredTurn
from bot.sandbox import SandboxError
from bot.sandbox.moments import SharedClock

E = TypeVar("E")
_ASKED = (QuestionAsked, ApprovalRequested, AuthRequired)
_READER = "slack"
"""The name of the presenter's cursor."""
_POLL_S = 0.05
_SETTLED_S = 1.0
"""A bot without work for so long has nothing more on its way."""
_WORK_S = 1800.0
_DUE_S = 20.0
"""Until a schedule is there that is due some time."""
_BEGIN_S = 120.0
"""Until a slot whose moment has come is begun."""
_SILENT_SLOTS = 10
"""In a row without a post."""
_LEAD_S = 2.0
"""How long before a due moment a jump ends, so that the bot sees the moment come."""


class NoTurnError(SandboxError):
    """The bot did not do in time what was waited for; the message says what."""


@dataclass(frozen=True, slots=True)
class WatchedTurn:
    """A turn that has ended, or waits for a person, with its stored events."""

    turn: StoredTurn
    events: tuple[AnyEvent, ...]
    workspace: Path | None

    @property
    def outcome(self) -> str:
        is_waiting = self.turn.status == "waiting" and not self.turn.outcome
        return "waiting" if is_waiting else self.turn.outcome or "failed"

    @property
    def asks(self) -> str:
        """The wait for a person, by its Ask; empty where it waits for nobody."""
        wait = self.turn.wait
        if wait is None or self.turn.status != "waiting":
            return ""
        return wait.ask

    def as_json(self) -> JsonObject:
        """What `--json` says of a turn; others read it by these names."""
        route = next((each for each in self.events if isinstance(each, RouteChosen)), None)
        fallback = next((each for each in self.events if isinstance(each, FastPathFallback)), None)
        ended = next((each for each in self.events if isinstance(each, TurnFinished)), None)
        duration = ended.at - self.events[0].at if ended else timedelta()
        steps = sum(isinstance(each, StepFinished) for each in self.events)
        return {
            "ask": self.turn.inbound.text,
            "route": route.route if route else None,
            "fallback": fallback.reason if fallback else None,
            "answer": self.turn.answer,
            "outcome": self.outcome,
            "duration_s": round(duration.total_seconds(), 3),
            "model_calls": steps + (route.model_calls if route else 0),
            "tool_calls": [e.tool for e in self.events if isinstance(e, ToolCallStarted)],
            "events": [event.kind for event in self.events],
            "waits": list(self._waits()),
        }

    def _waits(self) -> Iterator[JsonObject]:
        """What was asked of whom, and how that ended; None where it is still waited for."""
        endings = {
            event.ask: event.verdict if isinstance(event, ApprovalDecided) else event.outcome
            for event in self.events
            if isinstance(event, ApprovalDecided | AuthEnded)
        }
        for event in self.events:
            match event:
                case QuestionAsked():
                    yield {"kind": "question", "who": event.asker}
                case ApprovalRequested() | AuthRequired():
                    kind = "approval" if isinstance(event, ApprovalRequested) else "connection"
                    ended = endings.get(event.ask)
                    yield {"kind": kind, "who": event.asker, "ended": ended}
                case _:
                    pass


class Watch:
    """Looks at the bot in its SQLite file. `check` is called while it waits."""

    def __init__(self, workspaces_root: Path, check: Callable[[], Awaitable[None]]) -> None:
        self.bot = Onlooker(f"sqlite:///{workspaces_root}/state.sqlite", reader=_READER)
        self._check = check

    async def ended(
        self,
        turn_id: TurnId,
        *,
        is_answered: Callable[[], bool],
        seen_to: Collection[str] = (),
    ) -> WatchedTurn | None:
        """Wait until a turn has ended and is shown to its end in Slack, or waits for a person.

        Waits in `seen_to` are not for a person any more: somebody has pressed.
        Returns None where the bot has answered (`is_answered`) without making a turn of it. Raises
        NoTurnError where that did not happen in time.
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
        """A turn as it is now; None where the bot has made none."""
        found = await self.bot.turn(turn_id)
        return WatchedTurn(*found) if found else None

    async def rest(self, *, timeout_s: float = _WORK_S, settled_s: float = _SETTLED_S) -> None:
        """Wait until the bot has had nothing to do for a little while.

        Raises NoTurnError where that did not happen in time.
        """
        idle_since_s = monotonic()

        async def is_settled() -> bool:
            nonlocal idle_since_s
            if await self.bot.is_at_work():
                idle_since_s = monotonic()
            return monotonic() - idle_since_s >= settled_s

        await self.until(is_settled, timeout_s=timeout_s, otherwise="The bot did not come to rest")

    async def until(
        self, holds: Callable[[], Awaitable[bool]], *, timeout_s: float, otherwise: str
    ) -> None:
        """Wait until something holds.

        Raises NoTurnError, with `otherwise`, where it did not hold in time.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not await holds():
                    await self._check()
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise NoTurnError(f"{otherwise} within {timeout_s:g} s.") from error

    async def found(self, look: Callable[[], E | None], *, timeout_s: float) -> E | None:
        """What is looked for, as soon as it is there; None or nothing when the time is up."""

        async def is_there() -> bool:
            return bool(look())

        with suppress(NoTurnError):
            await self.until(is_there, timeout_s=timeout_s, otherwise="")
        return look()

    async def let_time_pass(
        self,
        clock: SharedClock,
        wanted: int,
        *,
        count: Callable[[], int],
        local: Callable[[float], str],
    ) -> None:
        """Put the clock forward to what is due next, whenever the bot has nothing to do.

        It ends as soon as `count` says that `wanted` posts are there and the bot is at rest. Raises
        NoTurnError where nothing is due any more, slot after slot passes without a post, or the bot
        does not begin with a slot or does not end.
        """
        silent, due = 0, None

        async def is_due() -> bool:
            return await self.bot.next_due() is not None

        async def is_begun() -> bool:
            then = await self.bot.next_due()
            return then is None or due is None or then > due

        await self.rest()
        while (there := count()) < wanted:
            with suppress(NoTurnError):
                await self.until(is_due, timeout_s=_DUE_S, otherwise="")
            due = await self.bot.next_due()
            if due is None or silent == _SILENT_SLOTS:
                why = f"{silent} slots in a row were silent" if due else "No schedule is due"
                so_far = f"of {wanted} posts {there} are there at {local(clock.now())}"
                raise NoTurnError(f"{why}: {so_far} by the sandbox's clock.")
            clock.jump_to(due.timestamp() - _LEAD_S)
            late = f"The bot did not begin with what was due at {local(due.timestamp())}"
            await self.until(is_begun, timeout_s=_BEGIN_S, otherwise=late)
            await self.rest()
            silent = 0 if count() > there else silent + 1


def _is_asking(turn: WatchedTurn, shown: JsonObject, seen_to: Collection[str]) -> bool:
    """Whether it waits for somebody who was asked in Slack and has not done anything about it."""
    if turn.outcome != "waiting" or turn.asks in seen_to:
        return False
    asked = [event.call_id for event in turn.events if isinstance(event, _ASKED)]
    is_told = turn.turn.wait is not None and turn.turn.wait.call_id in asked
    return is_told and shown.get("waits", 0) >= len(asked)
