"""The child runs of a run: started by key, at work beside it, their results brought in.

The `Task`, `fork` and `wait` tools, a program's `fork` and `wait`, and a plan's sub-questions all
come through here. A child belongs to the turn and not to the workflow that began it: it goes on
while the turn waits for a person, and its result is what the event log says.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from agent_core.background import Background
from agent_core.clock import UtcClock
from agent_core.durable import CannotReplay, Steps, as_recorded
from agent_core.errors import ChildRefused
from agent_core.events import (
    AnyEvent,
    CorrectionInjected,
    EventHeader,
    ResultTaken,
    RunFinished,
    RunStarted,
    StepFinished,
)
from agent_core.ids import RunId, child_run, is_in_branch
from agent_core.loop.agent import Before, ChildResult, RunLimits, RunScope
from agent_core.sessions import EventLog, Inbox

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
TOKEN_PARTS = 4
"""One of so many parts of the tokens that are free is a new child's, until its result is taken."""
MAX_WORKFLOWS = 5
"""A child whose record fits the code in none of so many workflows has failed."""
RESULT_SLOT = 3
STOPPED = "The work was stopped."
LOST = "The sub-agent could not finish: its work was lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a run is begun with; a child's is stored with its workflow."""

    started: RunStarted
    depth: int
    """Below the root run."""
    limits: RunLimits
    generation: int = 1
    """2 or more: its record did not fit the code, and it goes on in a new workflow."""


RUN_REQUEST: TypeAdapter[RunRequest] = TypeAdapter(RunRequest)
CHILD_RESULT: TypeAdapter[ChildResult] = TypeAdapter(ChildResult)


class Seat:
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
        request: What the run is begun with.
        steps: Where the run's work is recorded.
        log: The events of the turn.
        inbox: Where results wait for the run.
        clock: Tells the moment.
        places: Of the runs at work in the turn.
        before: What earlier workflows of the run have left; their children go on.
    """

    def __init__(
        self,
        request: RunRequest,
        *,
        steps: Steps,
        log: EventLog,
        inbox: Inbox,
        clock: UtcClock,
        places: asyncio.Semaphore,
        before: Before,
    ) -> None:
        self._parent = request.started
        self._limits = request.limits
        self._steps = steps
        self._log = log
        self._inbox = inbox
        self._clock = clock
        self._place = Seat(places)
        self._depth = request.depth
        self._background = Background()
        self._begun_at = clock()
        self._results: dict[RunId, asyncio.Task[ChildResult]] = {}
        self._taken = dict.fromkeys(before.taken, 0)
        """Whose results the run has, and what they cost."""
        self._requests: dict[RunId, RunRequest] = {}
        for child in before.children:
            self._requests[child.run] = self._request(child, self._share(request.limits))

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        """The time in which the run is at work."""
        async with self._place:
            self._begun_at = self._clock()
            try:
                for run in self._out():
                    self._begin(run)
                yield
            finally:
                await self._background.close()

    def waiting(self) -> AbstractAsyncContextManager[None]:
        return self._place.given_up()

    @property
    def tokens(self) -> int:
        return sum(self._taken.values())

    async def fork(self, scope: RunScope, key: str, prompt: str, agent: str, title: str) -> RunId:
        parent = self._parent.run
        run = child_run(parent, key)
        if run in self._requests:
            return run
        limits = self._share(scope.left)
        if self._depth >= MAX_DEPTH:
            raise ChildRefused(f"Runs go {MAX_DEPTH} levels deep at most: do it yourself.")
        if len(self._out()) >= MAX_OUT:
            raise ChildRefused(f"{MAX_OUT} of your runs are at work: wait for one of them first.")
        if limits.max_tokens < MIN_TOKENS:
            raise ChildRefused(
                "Too few tokens are free: wait for one of your runs, or do it yourself."
            )
        child = RunStarted(
            **self._at(run, 0),
            parent=parent,
            agent=agent,
            task=prompt,
            title=title,
            asker=scope.context.asker,
        )
        self._requests[run] = self._request(child, limits)
        # Known before any message tells of it, and announced once, whoever begins it again.
        await self._log.append(child)
        self._begin(run)
        return run

    async def wait(self, run: RunId) -> ChildResult:
        if run not in self._requests:
            raise ChildRefused(
                f"There is no run {run!r} of yours; there are {list(self._requests)}."
            )
        async with self.waiting():
            result = await asyncio.shield(self._begin(run))
        await self._inbox.hand_on(self._parent.turn, run)
        await self.take(result)
        return result

    async def take(self, result: ChildResult) -> None:
        self._taken[result.run] = result.tokens
        await self._log.append(ResultTaken(**self._at(result.run, RESULT_SLOT)))

    async def settle(self) -> bool:
        out = self._out()
        if out:
            async with self.waiting():
                await asyncio.wait({self._results[run] for run in out})
        return bool(out)

    def _out(self) -> list[RunId]:
        """Children whose results the run has not got, in the order of their beginning."""
        return [run for run in self._requests if run not in self._taken]

    def _begin(self, run: RunId) -> "asyncio.Task[ChildResult]":
        if run not in self._results:
            work = self._come_back(self._requests[run])
            self._results[run] = self._background.start(work, name=run)
        return self._results[run]

    async def _come_back(self, request: RunRequest) -> ChildResult:
        """The result of a child, which is begun where it is not; it is in the inbox, too."""
        result = await self._result_of(request)
        body = CHILD_RESULT.dump_python(result, mode="json")
        await self._inbox.put_result(
            self._parent.turn,
            self._parent.run,
            result.run,
            body,
        )
        return result

    async def _result_of(self, request: RunRequest) -> ChildResult:
        """What a child's workflow comes to; a failure is a result."""
        child = request.started
        try:
            await self._log.flush()
            for generation in range(1, MAX_WORKFLOWS + 1):
                payload = replace(request, generation=generation)
                with suppress(CannotReplay):
                    record = await self._steps.child(
                        f"{child.turn}/{child.run}#{generation}",
                        RUN_REQUEST.dump_python(payload, mode="json"),
                    )
                    return as_recorded(record, CHILD_RESULT)
                logger.warning("run %s of %s goes on anew", child.run, child.turn)
        except Exception:
            logger.exception("run %s of %s is lost", child.run, child.turn)
        return ChildResult(
            run=child.run,
            task=child.task,
            text=LOST,
            is_error=True,
        )

    def _share(self, left: RunLimits) -> RunLimits:
        """A child's part of what the run's own work has left, beside all others that it began."""
        granted = sum(self._requests[run].limits.max_tokens for run in self._out())
        passed_s = (self._clock() - self._begun_at).total_seconds()
        left_s = min(left.max_duration_s, self._limits.max_duration_s - passed_s)
        return RunLimits(
            max_steps=max(round(left.max_steps * SHARE), 1),
            max_duration_s=max(left_s * SHARE, 0.0),
            max_tokens=(left.max_tokens - self.tokens - granted) // TOKEN_PARTS,
        )

    def _request(self, child: RunStarted, limits: RunLimits) -> RunRequest:
        return RunRequest(started=child, depth=self._depth + 1, limits=limits)

    def _at(self, run: RunId, slot: int) -> EventHeader:
        return EventHeader(
            session=self._parent.session,
            turn=self._parent.turn,
            run=run,
            step=0,
            attempt=1,
            n=slot,
            at=self._clock(),
        )


def result_of(events: Sequence[AnyEvent], child: RunStarted) -> ChildResult:
    """What the log says that a child run came to, which has ended."""
    own = [event for event in events if event.run == child.run]
    ended = next(event for event in reversed(own) if isinstance(event, RunFinished))
    said = ended.text or (STOPPED if ended.outcome == "stopped" else "")
    corrections = [event.text for event in own if isinstance(event, CorrectionInjected)][-1:]
    below = (event for event in events if is_in_branch(event.run, child.run))
    return ChildResult(
        run=child.run,
        task=child.task,
        text="\n\n".join(filter(None, (said, *corrections))),
        is_error=ended.outcome in ("failed", "stopped"),
        tokens=sum(e.usage.total_tokens for e in below if isinstance(e, StepFinished)),
    )
