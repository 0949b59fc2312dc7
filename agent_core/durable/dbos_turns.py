"""Turns as DBOS workflows, model and tool calls as their steps, child runs as child workflows.

The library is used through closures made at start, so nothing is registered at import. DBOS allows
one instance a process; this module owns it. Nothing is recovered by itself: whoever takes over a
session says which turn goes on here, and it comes through a queue that this process alone reads.
"""

import asyncio
import contextvars
import logging
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar, cast

from dbos import DBOS, DBOSConfig, SetWorkflowID, StepOptions, WorkflowHandleAsync
from dbos._error import DBOSUnexpectedStepError
from opentelemetry import context as trace_context
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import make_url

from agent_core.durable.engine import make_system_engine
from agent_core.errors import SettingsError
from agent_core.ids import ProcessId
from agent_core.messages import JsonObject

T = TypeVar("T")

logger = logging.getLogger(__name__)

APPLICATION_VERSION = "universal-agent"
"""Pinned: a turn that new code cannot replay goes on from its history and is not orphaned."""

QUEUE_POLL_S = 1.0
"""Each look takes the write lock of an SQLite file for a moment, and steps wait for it."""
_UNFINISHED = ("PENDING", "ENQUEUED")
CHILD_POLL_S = 0.05
STOP_PATIENCE_S = 5.0
OLDEST_SQLITE_WITH_SUBSEC = (3, 42)


class CannotReplay(Exception):
    """A recorded turn does not fit the code any more; it has to go on from its history."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error itself, or all that a group of parallel work holds."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        for each in group.exceptions:
            yield from causes(each)
    else:
        yield error


def cannot_replay(error: BaseException) -> bool:
    """Whether `error` is a CannotReplay, or a group of errors that holds one."""
    return any(isinstance(each, CannotReplay) for each in causes(error))


def as_recorded(record: object, kind: TypeAdapter[T]) -> T:
    """What a step, or whoever began a child run, left behind.

    Raises:
        CannotReplay: other code wrote it, in another shape.
    """
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        raise CannotReplay(str(error)) from error


class Steps(Protocol):
    """Where the body of a turn or of a child run does its work.

    A body MUST reach the same calls in the same order on every replay: it may branch only on what
    steps returned and on what was stored before it began.
    """

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        """Do `work` and record its result, or what it raised; on a replay return the record.

        Several may run in parallel if their tasks are created in the same order every time.
        """
        ...

    async def child(self, run_key: str, payload: object) -> JsonObject:
        """What the child body returned for `payload`, as a unit of its own.

        It is no part of the body that asks: it goes on when that ends, and is begun once for a
        key, whoever asks for it and however often.

        Raises:
            CannotReplay: its record does not fit the code; it has to go on under another key.
        """
        ...


class GuardedSteps:
    """The same steps, each with a look at `guard` right before its work is really done.

    What `guard` raises ends the body without a record of the step.
    """

    def __init__(self, steps: Steps, guard: Callable[[], Awaitable[None]]) -> None:
        self._steps = steps
        self._guard = guard

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        async def guarded() -> T:
            await self._guard()
            return await work()

        return await self._steps.once(name, guarded, result)

    async def child(self, run_key: str, payload: object) -> JsonObject:
        return await self._steps.child(run_key, payload)


TurnBody = Callable[[Steps, str, int], Awaitable[None]]
"""A turn's body: its steps, the turn's id, its generation (2 or more: it goes on from history)."""

ChildBody = Callable[[Steps, object], Awaitable[JsonObject]]
"""A child run's body."""


class DbosSteps:
    """The `Steps` of a running workflow; `child` gives the result of a child's workflow."""

    def __init__(self, child: Callable[[str, object], Coroutine[Any, Any, JsonObject]]) -> None:
        self._child = child

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        async def recorded() -> Any:
            return result.dump_python(await work(), mode="json")

        try:
            record = await DBOS.run_step_async(StepOptions(name=name), recorded)
        except DBOSUnexpectedStepError as error:
            raise CannotReplay(str(error)) from error
        return as_recorded(record, result)

    async def child(self, run_key: str, payload: object) -> JsonObject:
        # Outside of any workflow, but in the same trace: to start a child and to wait for it are no
        # steps, so their order need not be the same on a replay.
        outside = contextvars.Context()
        outside.run(trace_context.attach, trace_context.get_current())
        return await asyncio.create_task(self._child(run_key, payload), context=outside)


class DurableTurns:
    """Starts turns, and takes over those that another process left behind.

    `launch` MUST be called inside the running event loop: workflows that are taken over then run
    on it.

    Args:
        url: SQLAlchemy URL of the system database: `sqlite:///…` or `postgresql://…`.
        process: Which process this is.
        turn: The body of a turn.
        child: The body of a child run.
        on_broken: Told the id and generation of a turn that cannot end in its workflow, and why:
            CannotReplay where its record does not fit the code.
    """

    def __init__(
        self,
        url: str,
        *,
        process: ProcessId,
        turn: TurnBody,
        child: ChildBody,
        on_broken: Callable[[str, int, Exception], None],
    ) -> None:
        self._url = url
        self._process = process
        self._turn_body = turn
        self._child_body = child
        self._on_broken = on_broken
        self._at_work: dict[asyncio.Task[Any], str] = {}
        """The tasks that run bodies, and their workflows."""
        self._workflows: set[asyncio.Task[Any]] = set()
        """The same tasks until their outcome is recorded, too."""
        self._begun: set[str] = set()
        """Child workflows that this process has begun or taken over, and that have not ended."""
        self._is_closing = False

    async def launch(self) -> None:
        """Open the system database and register the workflows.

        Raises:
            SettingsError: DBOS cannot run on this machine's SQLite.
        """
        check_sqlite(self._url)

        @DBOS.workflow(name="child_run")
        async def child_run(payload: object) -> JsonObject:
            with self._held(DBOS.workflow_id or ""):
                return await self._child_body(DbosSteps(self._child), payload)

        @DBOS.workflow(name="turn")
        async def turn(turn_id: str, generation: int) -> None:
            try:
                with self._held(f"{turn_id}#{generation}"):
                    await self._turn_body(DbosSteps(self._child), turn_id, generation)
            except Exception as error:
                if cannot_replay(error):
                    logger.warning("turn %s does not replay", turn_id)
                else:
                    logger.exception("turn %s broke off", turn_id)
                self._on_broken(turn_id, generation, error)

        self._turn_workflow, self._child_workflow = turn, child_run
        self._engine = make_system_engine(self._url)
        config = DBOSConfig(
            name="universal-agent",
            system_database_url=self._url,
            system_database_engine=self._engine,
            application_version=APPLICATION_VERSION,
            executor_id=self._process,
            log_level="ERROR",
            notification_listener_polling_interval_sec=0.05,
        )
        DBOS(config=config)
        queue = queue_of(self._process)
        DBOS.listen_queues([queue])
        DBOS.launch()
        await DBOS.register_queue_async(queue, polling_interval_sec=QUEUE_POLL_S)

    async def start(self, turn_id: str, generation: int) -> None:
        """Start a turn's workflow; a second start of the same one changes nothing.

        Raises:
            CancelledError: this process ends; the next one finds the turn.
        """
        self._refuse_when_closing()
        # Outside of any workflow: a step of another turn may begin this one.
        outside = contextvars.Context()
        await asyncio.create_task(self._start(turn_id, generation), context=outside)

    async def _start(self, turn_id: str, generation: int) -> None:
        with SetWorkflowID(f"{turn_id}#{generation}"):
            await DBOS.start_workflow_async(self._turn_workflow, turn_id, generation)

    def is_at_work(self, turn_id: str, generation: int) -> bool:
        """Whether the turn's body runs in this process."""
        return f"{turn_id}#{generation}" in self._at_work.values()

    async def take_over(self, turn_id: str, generation: int) -> bool:
        """Go on here with a turn of a dead process; its body takes its child runs over.

        Steps that were recorded are not done again. False when DBOS has no unfinished workflow of
        this turn: it has to go on from its history.
        """
        workflow = f"{turn_id}#{generation}"
        status = await DBOS.get_workflow_status_async(workflow)
        if status is None or status.status not in _UNFINISHED:
            return False
        await self._take_here(workflow)
        return True

    async def _child(self, workflow: str, payload: object) -> JsonObject:
        """What a child comes to; it is begun, or taken over from a dead process, where need be."""
        self._refuse_when_closing()
        handle: WorkflowHandleAsync[JsonObject]
        if workflow in self._begun:
            handle = await DBOS.retrieve_workflow_async(workflow, existing_workflow=False)
        else:
            self._begun.add(workflow)
            # Not cancelled with whoever asks: what was half begun would be begun a second time.
            beginning = asyncio.create_task(self._begin_child(workflow, payload))
            self._workflows.add(beginning)
            beginning.add_done_callback(self._workflows.discard)
            handle = await asyncio.shield(beginning)
        return await handle.get_result(polling_interval_sec=CHILD_POLL_S)

    async def _begin_child(self, workflow: str, payload: object) -> WorkflowHandleAsync[JsonObject]:
        try:
            status = await DBOS.get_workflow_status_async(workflow)
            if status is None:
                with SetWorkflowID(workflow):
                    return await DBOS.start_workflow_async(self._child_workflow, payload)
            if status.status in _UNFINISHED:
                await self._take_here(workflow)
            else:
                self._begun.discard(workflow)
        except BaseException:
            self._begun.discard(workflow)
            raise
        known: WorkflowHandleAsync[JsonObject] = await DBOS.retrieve_workflow_async(workflow)
        return known

    async def _take_here(self, workflow: str) -> None:
        await DBOS.resume_workflow_async(workflow, queue_name=queue_of(self._process))

    async def forget(self, process: ProcessId) -> None:
        """A process is gone for good: nobody reads its queue any more."""
        await DBOS.delete_queue_async(queue_of(process))

    async def close(self) -> None:
        """Stop; unfinished turns stay pending and go on where they are taken over."""
        # A cancelled body records nothing, so its workflow stays pending.
        self._is_closing = True
        for body in self._at_work:
            body.cancel()
        if self._workflows:
            await asyncio.wait(self._workflows, timeout=STOP_PATIENCE_S)
        await self.forget(self._process)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        self._engine.dispose()
        # DBOS made its threads the loop's own and has ended them: whoever comes next needs others.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())

    def _refuse_when_closing(self) -> None:
        """What begins while the engine ends would fail for that, and its failure would count."""
        if self._is_closing:
            raise asyncio.CancelledError

    @contextmanager
    def _held(self, workflow: str) -> Generator[None]:
        """Remember the task that runs a body, so that `close` can end it."""
        self._refuse_when_closing()
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a workflow runs outside of any task")
        self._at_work[task] = workflow
        self._workflows.add(task)
        task.add_done_callback(self._workflows.discard)
        task.add_done_callback(lambda _: self._begun.discard(workflow))
        try:
            yield
        finally:
            del self._at_work[task]


def check_sqlite(url: str) -> None:
    """Say plainly where DBOS cannot run on SQLite.

    Raises:
        SettingsError: Python 3.12 or later with an SQLite that lacks sub-second time stamps.
    """
    if make_url(url).get_backend_name() != "sqlite" or sys.version_info < (3, 12):
        return
    if sqlite3.sqlite_version_info < OLDEST_SQLITE_WITH_SUBSEC:
        raise SettingsError(
            f"Python {sys.version_info.major}.{sys.version_info.minor} here comes with SQLite "
            f"{sqlite3.sqlite_version}; durable turns need SQLite 3.42 or later with it. "
            "Use Python 3.11, a newer SQLite, or set DATABASE_URL to a Postgres database."
        )


def queue_of(process: ProcessId) -> str:
    """The queue by which turns that are taken over come to a process."""
    return f"taken over by {process}"
