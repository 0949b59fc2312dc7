"""The child runs of a run: started by key, at work beside it, their results brought in.

The `Task`, `fork` and `wait` tools, a program's `fork` and `wait`, and a plan's sub-questions all
come through here. A child belongs to the turn and not to the workflow that began it: it goes on
while the turn waits for a person, and its result is what the event log says.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from agent_core.background import Background
from agent_core.durable import CannotReplay, Steps, as_recorded
from agent_core.errors import ChildRefused
from agent_core.events import (
    AnyEvent,
    CorrectionInjected,
    ResultTaken,
    RunFinished,
    RunStarted,
    StepFinished,
)
from agent_core.ids import RunId, UserId, child_run, is_in_branch
from agent_core.loop.agent import ChildResult, Clock, Limits, RunScope
from agent_core.sessions import EventLog
from agent_core.tools import ToolContext

logger = logging.getLogger(__name__)

MAX_DEPTH = 3
"""Levels of runs below the root run."""
MAX_AT_WORK = 8
"""Runs of one turn; others wait for a place, and so does who has waited for a child."""
MAX_OUT = 16
"""Children of one run whose results it has not got yet."""
MIN_TOKENS = 20_000
"""With less a run comes to nothing."""
SHARE = 2 / 3
"""Of a run's steps and time that a child may use: the rest is for its parent's own end."""
MAX_WORKFLOWS = 5
"""A child whose record fits the code in none of so many workflows has failed."""
TAKEN_SLOT = 3
STOPPED = "The work was stopped."
LOST = "The sub-agent could not finish: its work was lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildRequest:
    """What a child run is started with; stored with its workflow."""

    turn: str
    run: RunId
    parent: RunId
    agent: str
    prompt: str
    asker: str
    """For whom its tools act."""
    zone: str = ""
    """Their time zone; empty where it is not known."""
    depth: int = 1
    limits: Limits
    generation: int = 1
    """2 or more: its record did not fit the code, and it goes on in a new workflow."""
    is_known: bool = False
    """It may have been at work before: what is stored of it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A child that the turn had before it went on from its history."""

    run: RunId
    agent: str
    task: str
    asker: UserId | None
    is_taken: bool


CHILD_REQUEST: TypeAdapter[ChildRequest] = TypeAdapter(ChildRequest)
CHILD_RESULT: TypeAdapter[ChildResult] = TypeAdapter(ChildResult)
_KNOWN: TypeAdapter[tuple[_Known, ...]] = TypeAdapter(tuple[_Known, ...])


class Place:
    """A run's place among those at work in its turn, given up while the run only waits."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._taking = asyncio.Lock()
        self._is_held = False
        self._waits = 0

    async def __aenter__(self) -> None:
        async with self._taking:
            if not self._is_held:
                await self._places.acquire()
                self._is_held = True

    async def __aexit__(self, *_exc: object) -> None:
        if self._is_held:
            self._is_held = False
            self._places.release()

    @asynccontextmanager
    async def given_up(self) -> AsyncGenerator[None]:
        """Until the last of several waits at the same time is over."""
        self._waits += 1
        await self.__aexit__()
        try:
            yield
        finally:
            self._waits -= 1
        if not self._waits:
            await self.__aenter__()


class ChildRuns:
    """The `Children` of one run. What it decides follows from records, so that a replay agrees.

    Args:
        context: Of the run, as it begins.
        steps: Where the run's work is recorded.
        log: The events of the turn.
        clock: Tells the moment.
        places: Of the runs at work in the turn.
        depth: Of the run: 0 for the root run.
        limits: Of the run.
        is_known: The run may have children already, as it goes on from its history.
    """

    def __init__(
        self,
        context: ToolContext,
        *,
        steps: Steps,
        log: EventLog,
        clock: Clock,
        places: asyncio.Semaphore,
        depth: int,
        limits: Limits,
        is_known: bool,
    ) -> None:
        self._context = context
        self._steps = steps
        self._log = log
        self._clock = clock
        self._place = Place(places)
        self._depth = depth
        self._limits = limits
        self._is_known = is_known
        self._background = Background()
        self._requests: dict[RunId, ChildRequest] = {}
        self._results: dict[RunId, asyncio.Task[ChildResult]] = {}
        self._taken: dict[RunId, int] = {}
        """Whose results the run has, and what they cost."""

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        """The time in which the run is at work."""
        async with self._place:
            try:
                if self._is_known:
                    await self._find()
                yield
            finally:
                await self._background.close()

    @property
    def tokens(self) -> int:
        return sum(self._taken.values())

    async def fork(self, scope: RunScope, key: str, prompt: str, agent: str) -> RunId:
        run = child_run(self._context.run, key)
        if run in self._requests:
            return run
        out = len(self._out())
        limits = _share(scope.left, out)
        if self._depth >= MAX_DEPTH:
            raise ChildRefused(f"Runs go {MAX_DEPTH} levels deep at most: do it yourself.")
        if out >= MAX_OUT:
            raise ChildRefused(f"{MAX_OUT} of your runs are at work: wait for one of them first.")
        if limits.max_tokens < MIN_TOKENS:
            raise ChildRefused("Too little of the token limit is left for another run.")
        self._requests[run] = request = self._request(run, agent, prompt, scope.context, limits)
        # Known before any message tells of it, and announced once, whoever begins it again.
        await self._log.append(
            RunStarted(
                **self._at(run, 0),
                parent=self._context.run,
                agent=agent,
                task=prompt,
                asker=scope.context.asker,
            )
        )
        self._begin(request)
        return run

    async def wait(self, run: RunId) -> ChildResult:
        if run not in self._requests:
            raise ChildRefused(
                f"There is no run {run!r} of yours; there are {list(self._requests)}."
            )
        async with self._place.given_up():
            result = await asyncio.shield(self._begin(self._requests[run]))
        await self.take((result,))
        return result

    async def arrived(self, place: str) -> tuple[ChildResult, ...]:
        if not (out := self._out()):
            return ()
        events = await self._log.of_turn(self._context.turn)
        before = [e.run for e in events if isinstance(e, ResultTaken) and e.place == place]
        first = [run for run in before if run in out]
        if first:
            await asyncio.wait({self._results[run] for run in first})
        ended = [run for run in out if run not in first and self._results[run].done()]
        return tuple(self._results[run].result() for run in (*first, *ended))

    async def take(self, results: Sequence[ChildResult], place: str = "") -> None:
        for result in results:
            self._taken[result.run] = result.tokens
            await self._log.append(ResultTaken(**self._at(result.run, TAKEN_SLOT), place=place))

    async def settle(self) -> bool:
        out = self._out()
        if out:
            async with self._place.given_up():
                await asyncio.wait({self._results[run] for run in out})
        return bool(out)

    def _out(self) -> list[RunId]:
        """Children whose results the run has not got, in the order of their beginning."""
        return [run for run in self._requests if run not in self._taken]

    def _begin(self, request: ChildRequest) -> "asyncio.Task[ChildResult]":
        if request.run not in self._results:
            work = self._come_back(request)
            self._results[request.run] = self._background.start(work, name=request.run)
        return self._results[request.run]

    async def _come_back(self, request: ChildRequest) -> ChildResult:
        """The result of a child, which is begun where it is not; a failure is a result."""
        try:
            await self._log.flush()
            for generation in range(1, MAX_WORKFLOWS + 1):
                known = request.is_known or generation > 1
                payload = replace(request, generation=generation, is_known=known)
                try:
                    record = await self._steps.child(
                        f"{request.turn}/{request.run}#{generation}",
                        CHILD_REQUEST.dump_python(payload, mode="json"),
                    )
                    return as_recorded(record, CHILD_RESULT)
                except CannotReplay:
                    logger.warning("run %s of %s goes on anew", request.run, request.turn)
        except Exception:
            logger.exception("run %s of %s is lost", request.run, request.turn)
        return ChildResult(run=request.run, task=request.prompt, text=LOST, is_error=True)

    async def _find(self) -> None:
        """The children that the run had before; those that are not taken in go on."""
        for known in await self._steps.once("children", self._known, _KNOWN):
            context = self._context
            if known.asker and known.asker != context.asker:
                context = replace(context, asker=known.asker, zone="")
            limits = _share(self._limits, 0)
            request = self._request(known.run, known.agent, known.task, context, limits)
            self._requests[known.run] = request = replace(request, is_known=True)
            if known.is_taken:
                self._taken[known.run] = 0
            else:
                self._begin(request)

    async def _known(self) -> tuple[_Known, ...]:
        events = await self._log.of_turn(self._context.turn)
        taken = {event.run for event in events if isinstance(event, ResultTaken)}
        started = [
            event
            for event in events
            if isinstance(event, RunStarted) and event.parent == self._context.run
        ]
        first = {event.run: event for event in reversed(started)}
        return tuple(
            _Known(
                run=each.run,
                agent=each.agent,
                task=each.task,
                asker=each.asker,
                is_taken=each.run in taken,
            )
            for each in first.values()
        )

    def _request(
        self, run: RunId, agent: str, prompt: str, context: ToolContext, limits: Limits
    ) -> ChildRequest:
        return ChildRequest(
            turn=context.turn,
            run=run,
            parent=context.run,
            agent=agent,
            prompt=prompt,
            asker=context.asker,
            zone=context.zone,
            depth=self._depth + 1,
            limits=limits,
        )

    def _at(self, run: RunId, slot: int) -> dict[str, Any]:
        context = self._context
        place = {"session": context.session, "turn": context.turn, "run": run}
        return place | {"step": 0, "attempt": 1, "n": slot, "at": self._clock()}


def _share(left: Limits, out: int) -> Limits:
    """A child's part of what a run has left, `out` of whose children are at work already.

    Tokens are split over these, the new one and the run itself.
    """
    return Limits(
        max_steps=max(round(left.max_steps * SHARE), 1),
        max_duration_s=left.max_duration_s * SHARE,
        max_tokens=left.max_tokens // (out + 2),
    )


def result_of(events: Sequence[AnyEvent], run: RunId, task: str) -> ChildResult | None:
    """What the log says that a child run came to; None while it has not ended."""
    own = [event for event in events if event.run == run]
    ended = next((event for event in reversed(own) if isinstance(event, RunFinished)), None)
    if ended is None:
        return None
    corrections = [event.text for event in own if isinstance(event, CorrectionInjected)]
    below = (event for event in events if is_in_branch(event.run, run))
    return ChildResult(
        run=run,
        task=task,
        text=ended.text or (STOPPED if ended.outcome == "stopped" else ""),
        is_error=ended.outcome in ("failed", "stopped"),
        correction=corrections[-1] if corrections else "",
        tokens=sum(e.usage.total_tokens for e in below if isinstance(e, StepFinished)),
    )
