"""The child runs of a run, started by key; the seats of runs at work, and how runs are stopped.

The `Task`, `fork` and `wait` tools, a program's `fork` and `wait`, and a plan's sub-questions all
come through here. A child belongs to the turn and not to the workflow that began it: it goes on
while the turn waits for a person, and its result is what the event log says.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, TypeVar
from weakref import WeakValueDictionary

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
from agent_core.ids import ROOT_RUN, RunId, TurnId, child_run, depth_of, is_in_branch
from agent_core.loop.agent import ChildResult, RunLimits, RunScope
from agent_core.sessions import EventLog, Inbox, StoredTurn
from agent_core.tools import ToolContext

T = TypeVar("T")

logger = logging.getLogger(__name__)

MAX_DEPTH = 3
"""Levels of runs below the root run."""
MAX_AT_WORK = 8
"""Runs of one turn; others wait for a seat, and so does who has waited for a child."""
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


ChildRequest = tuple[RunStarted, RunLimits, int]
"""What a child's workflow is begun with, and stored with it: how the run began, its limits, and its
generation (2 or more: its record did not fit the code, and it goes on in a new workflow)."""

CHILD_REQUEST: TypeAdapter[ChildRequest] = TypeAdapter(ChildRequest)
CHILD_RESULT: TypeAdapter[ChildResult] = TypeAdapter(ChildResult)

BegunChildren = tuple[tuple[RunStarted, ChildResult | None], ...]
"""Children that earlier workflows of a run began, with the results that the run has got."""


class Stopped(Exception):
    """The work was ended because a person wanted it so."""


class RunsAtWork:
    """The runs at work in this process: they share the seats of their turn, and can be stopped."""

    def __init__(self) -> None:
        self._tasks: dict[asyncio.Task[Any], tuple[TurnId, RunId]] = {}
        self._stopped: defaultdict[TurnId, set[RunId]] = defaultdict(set)
        """Branches that are to stop."""
        self._seats: WeakValueDictionary[TurnId, asyncio.Semaphore] = WeakValueDictionary()

    def seats_of(self, turn: TurnId) -> asyncio.Semaphore:
        """The seats of the runs of a turn; gone when no run holds them."""
        return self._seats.setdefault(turn, asyncio.Semaphore(MAX_AT_WORK))

    def stop(self, turn: TurnId, branch: RunId = ROOT_RUN) -> None:
        """Cancel what is at work of a branch, and what begins of it later."""
        self._stopped[turn].add(branch)
        for task, (other, run) in self._tasks.items():
            if other == turn and is_in_branch(run, branch) and not task.cancelling():
                task.cancel()

    def forget(self, turn: TurnId) -> None:
        """The turn has ended."""
        self._stopped.pop(turn, None)

    async def unless_stopped(
        self,
        turn: StoredTurn,
        run: RunId,
        work: Coroutine[Any, Any, T],
    ) -> T:
        """Do `work` of a run, and cancel it when the run is to stop.

        Raises:
            Stopped: it was cancelled, and has ended.
        """
        if turn.stop is not None:
            self.stop(turn.id)
        working = asyncio.create_task(work)
        self._tasks[working] = (turn.id, run)
        try:
            if self._is_stopped(turn.id, run):
                working.cancel()
            await asyncio.wait({working})
            broke_off = working.cancelled() or working.exception() is not None
            if broke_off and self._is_stopped(turn.id, run):
                raise Stopped
            return working.result()
        finally:
            working.cancel()
            await asyncio.wait({working})
            del self._tasks[working]

    def _is_stopped(self, turn: TurnId, run: RunId) -> bool:
        return any(is_in_branch(run, branch) for branch in self._stopped.get(turn, ()))


class Seat:
    """A run's seat among those at work in its turn, given up while the run only waits."""

    def __init__(self, seats: asyncio.Semaphore) -> None:
        self._seats = seats
        self._taking = asyncio.Lock()
        self._is_held = False
        self._waits = 0

    async def __aenter__(self) -> None:
        async with self._taking:
            if not self._is_held:
                await self._seats.acquire()
                self._is_held = True

    async def __aexit__(self, *_exc: object) -> None:
        if self._is_held:
            self._is_held = False
            self._seats.release()

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
        context: Of the run that starts them.
        limits: Of that run.
        steps: Where the run's work is recorded.
        log: The events of the turn.
        inbox: Where results wait for the run.
        clock: Tells the moment.
        seats: Of the runs at work in the turn.
        begun: Children that go on from earlier workflows of the run.
    """

    def __init__(
        self,
        context: ToolContext,
        limits: RunLimits,
        *,
        steps: Steps,
        log: EventLog,
        inbox: Inbox,
        clock: UtcClock,
        seats: asyncio.Semaphore,
        begun: BegunChildren = (),
    ) -> None:
        self._parent = context
        self._limits = limits
        self._steps = steps
        self._log = log
        self._inbox = inbox
        self._clock = clock
        self._seat = Seat(seats)
        self._background = Background()
        self._begun_at = clock()
        self._results: dict[RunId, asyncio.Task[ChildResult]] = {}
        self._taken: dict[RunId, int] = {}
        """Whose results the run has, and what they cost."""
        self._children: dict[RunId, tuple[RunStarted, RunLimits]] = {}
        for child, result in begun:
            if result is not None:
                self._taken[child.run] = 0
            self._children[child.run] = (child, self._share(limits))

    @asynccontextmanager
    async def at_work(self) -> AsyncGenerator[None]:
        """The time in which the run is at work."""
        async with self._seat:
            self._begun_at = self._clock()
            try:
                for run in self._out():
                    self._begin(run)
                yield
            finally:
                await self._background.close()

    def waiting(self) -> AbstractAsyncContextManager[None]:
        return self._seat.given_up()

    @property
    def tokens(self) -> int:
        return sum(self._taken.values())

    async def fork(
        self,
        scope: RunScope,
        key: str,
        prompt: str,
        agent: str,
        title: str,
        context: str,
    ) -> RunId:
        parent = self._parent.run
        run = child_run(parent, key)
        if run in self._children:
            return run
        limits = self._share(scope.left)
        if depth_of(parent) >= MAX_DEPTH:
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
            context=context,
            title=title,
            asker=scope.context.asker,
        )
        self._children[run] = (child, limits)
        # Known before any message tells of it, and announced once, whoever begins it again.
        await self._log.append(child)
        self._begin(run)
        return run

    async def wait(self, run: RunId) -> ChildResult:
        if run not in self._children:
            raise ChildRefused(
                f"There is no run {run!r} of yours; there are {list(self._children)}."
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
        return [run for run in self._children if run not in self._taken]

    def _begin(self, run: RunId) -> "asyncio.Task[ChildResult]":
        if run not in self._results:
            work = self._come_back(*self._children[run])
            self._results[run] = self._background.start(work, name=run)
        return self._results[run]

    async def _come_back(self, child: RunStarted, limits: RunLimits) -> ChildResult:
        """The result of a child, which is begun where it is not; it is in the inbox, too."""
        result = await self._result_of(child, limits)
        await self._inbox.put_result(
            self._parent.turn,
            self._parent.run,
            child.run,
            CHILD_RESULT.dump_python(result, mode="json"),
        )
        return result

    async def _result_of(self, child: RunStarted, limits: RunLimits) -> ChildResult:
        """What a child's workflow comes to; a failure is a result."""
        try:
            await self._log.flush()
            for generation in range(1, MAX_WORKFLOWS + 1):
                request = CHILD_REQUEST.dump_python((child, limits, generation), mode="json")
                key = f"{child.turn}/{child.run}#{generation}"
                with suppress(CannotReplay):
                    return as_recorded(await self._steps.child(key, request), CHILD_RESULT)
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
        granted = sum(self._children[run][1].max_tokens for run in self._out())
        passed_s = (self._clock() - self._begun_at).total_seconds()
        left_s = min(left.max_duration_s, self._limits.max_duration_s - passed_s)
        return RunLimits(
            max_steps=max(round(left.max_steps * SHARE), 1),
            max_duration_s=max(left_s * SHARE, 0.0),
            max_tokens=(left.max_tokens - self.tokens - granted) // TOKEN_PARTS,
        )

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
    text = ended.text or (STOPPED if ended.outcome == "stopped" else "")
    corrections = [event.text for event in own if isinstance(event, CorrectionInjected)][-1:]
    below = [event for event in events if is_in_branch(event.run, child.run)]
    return ChildResult(
        run=child.run,
        task=child.task,
        text="\n\n".join(filter(None, (text, *corrections))),
        is_error=ended.outcome in ("failed", "stopped"),
        tokens=sum(e.usage.total_tokens for e in below if isinstance(e, StepFinished)),
    )
