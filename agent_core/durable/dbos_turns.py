"""Turns as DBOS workflows, model and tool calls as their steps, child runs as child workflows.

The library is used through closures made at start, so nothing is registered at import. DBOS allows
one instance a process; this module owns it.
"""

import asyncio
import contextvars
import logging
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID, StepOptions
from dbos._error import DBOSUnexpectedStepError
from pydantic import TypeAdapter
from sqlalchemy import event, make_url

from agent_core.durable import CannotReplay, ChildBody, TurnBody, cannot_replay
from agent_core.errors import SettingsError
from agent_core.messages import JsonObject

T = TypeVar("T")

logger = logging.getLogger(__name__)

APPLICATION_VERSION = "universal-agent"
"""Pinned: a turn that new code cannot replay goes on from its history and is not orphaned."""

EXECUTOR_ID = "local"
CHILD_POLL_S = 0.05
STOP_PATIENCE_S = 5.0
OLDEST_SQLITE_WITH_SUBSEC = (3, 42)


ChildWorkflow = Callable[[JsonObject], Coroutine[Any, Any, JsonObject]]


class DbosSteps:
    """The `Steps` of a running workflow."""

    def __init__(self, start_child: ChildWorkflow) -> None:
        self._start_child = start_child

    async def once(self, name: str, work: Callable[[], Awaitable[T]], result: TypeAdapter[T]) -> T:
        async def recorded() -> Any:
            return result.dump_python(await work(), mode="json")

        try:
            record = await DBOS.run_step_async(StepOptions(name=name), recorded)
        except DBOSUnexpectedStepError as error:
            raise CannotReplay(str(error)) from error
        return result.validate_python(record)

    async def child(self, run_key: str, payload: JsonObject) -> JsonObject:
        try:
            with SetWorkflowID(run_key):
                handle = await DBOS.start_workflow_async(self._start_child, payload)
        except DBOSUnexpectedStepError as error:
            raise CannotReplay(str(error)) from error
        # Outside the workflow's context the wait is no step of its own: the order in which parallel
        # children end is not the same on a replay.
        waiting: asyncio.Task[JsonObject] = asyncio.create_task(
            handle.get_result(polling_interval_sec=CHILD_POLL_S), context=contextvars.Context()
        )
        return await waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class DurableConfig:
    url: str
    """SQLAlchemy URL of the system database: `sqlite:///…` or `postgresql://…`."""


class DurableTurns:
    """Starts turns, and on launch takes up those that a killed process left behind.

    `launch` MUST be called inside the running event loop: recovered workflows then run on it.

    Args:
        config: Where the records are.
        turn: The body of a turn.
        child: The body of a child run.
        on_cannot_replay: Told the id and generation of a turn whose record does not fit the code.
    """

    def __init__(
        self,
        config: DurableConfig,
        *,
        turn: TurnBody,
        child: ChildBody,
        on_cannot_replay: Callable[[str, int], None],
    ) -> None:
        self._config = config
        self._turn_body = turn
        self._child_body = child
        self._on_cannot_replay = on_cannot_replay
        self._bodies: set[asyncio.Task[Any]] = set()
        self._workflows: set[asyncio.Task[Any]] = set()
        """The same tasks until their outcome is recorded, too."""

    def launch(self) -> None:
        """Open the system database, register the workflows and recover pending ones.

        Raises:
            SettingsError: DBOS cannot run on this machine's SQLite.
        """
        check_sqlite(self._config.url)

        @DBOS.workflow(name="child_run")
        async def child_run(payload: JsonObject) -> JsonObject:
            with self._held():
                return await self._child_body(DbosSteps(child_run), payload)

        @DBOS.workflow(name="turn")
        async def turn(turn_id: str, generation: int) -> None:
            try:
                with self._held():
                    await self._turn_body(DbosSteps(child_run), turn_id, generation)
            except Exception as error:
                if not cannot_replay(error):
                    raise
                logger.warning("turn %s does not replay", turn_id)
                self._on_cannot_replay(turn_id, generation)

        self._turn_workflow = turn
        DBOS(config=_dbos_config(self._config.url))
        DBOS.launch()

    async def start(self, turn_id: str, generation: int) -> None:
        """Start a turn's workflow; a second start of the same one changes nothing."""
        with SetWorkflowID(f"{turn_id}#{generation}"):
            await DBOS.start_workflow_async(self._turn_workflow, turn_id, generation)

    async def is_known(self, turn_id: str, generation: int) -> bool:
        """Whether DBOS holds this workflow and will finish it."""
        status = await DBOS.get_workflow_status_async(f"{turn_id}#{generation}")
        return status is not None and status.status in {"PENDING", "ENQUEUED"}

    async def close(self) -> None:
        """Stop; unfinished turns stay pending and go on at the next launch."""
        for body in self._bodies:  # a cancelled body records nothing, so its workflow stays pending
            body.cancel()
        if self._workflows:
            await asyncio.wait(self._workflows, timeout=STOP_PATIENCE_S)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        # DBOS made its threads the loop's own and has ended them: whoever comes next needs others.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())

    @contextmanager
    def _held(self) -> Generator[None]:
        """Remember the task that runs a body, so that `close` can end it."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a workflow runs outside of any task")
        self._bodies.add(task)
        self._workflows.add(task)
        task.add_done_callback(self._workflows.discard)
        try:
            yield
        finally:
            self._bodies.discard(task)


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


def _dbos_config(url: str) -> DBOSConfig:
    config = DBOSConfig(
        name="universal-agent",
        system_database_url=url,
        application_version=APPLICATION_VERSION,
        executor_id=EXECUTOR_ID,
        log_level="ERROR",
        notification_listener_polling_interval_sec=0.05,
    )
    if make_url(url).get_backend_name() == "sqlite":
        config["system_database_engine"] = _sqlite_engine(url)
    return config


def _sqlite_engine(url: str) -> sqlalchemy.Engine:
    """DBOS's own SQLite settings, with WAL: half the time a step, as safe against kill -9."""
    database = make_url(url).database
    if database:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    engine = sqlalchemy.create_engine(url)

    def tune(connection: Any, _entry: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "busy_timeout=30000",
            "foreign_keys=ON",
            "journal_mode=WAL",
            "synchronous=NORMAL",
        ):
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", tune)
    return engine
