"""The durable engine's database is locked, full or restarting: no step is lost or done twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from dbos import DBOS, DBOSConfig, SetWorkflowID, StepOptions
from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from agent_core.durable.engine import make_system_engine
from tests.agent_core.sessions.databases import locked

TIMEOUT_S = 90
TURNS, STEPS = 5, 6
ENOUGH = 8
LARGE = "x" * 100_000

Trouble = Callable[[Engine], AbstractAsyncContextManager[None]]


class Work:
    """Turns of several steps, each of which has an effect outside of any database."""

    def __init__(self, engine: Engine) -> None:
        self.effects: Counter[str] = Counter()
        self.half_done = asyncio.Event()
        self.may_go_on = asyncio.Event()
        self.met_trouble = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        event.listen(engine, "handle_error", self._on_error)

    def _on_error(self, _: ExceptionContext) -> None:
        self._loop.call_soon_threadsafe(self.met_trouble.set)

    async def turn(self, name: str) -> str:
        for number in range(STEPS):
            await DBOS.run_step_async(StepOptions(name=f"{number}"), self._step(f"{name}/{number}"))
        return "done"

    def _step(self, key: str) -> Callable[[], Awaitable[str]]:
        async def effect() -> str:
            self.effects[key] += 1
            if self.effects.total() >= ENOUGH:
                self.half_done.set()
                await self.may_go_on.wait()
            return LARGE

        return effect


@asynccontextmanager
async def launched(engine: Engine, url: str) -> AsyncGenerator[None]:
    DBOS(
        config=DBOSConfig(
            name="trouble",
            system_database_url=url,
            system_database_engine=engine,
            log_level="CRITICAL",
        )
    )
    DBOS.launch()
    try:
        yield
    finally:
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        engine.dispose()


async def work_through(url: str, trouble: Trouble) -> Counter[str]:
    """What was done by turns in whose middle there was trouble."""
    engine = make_system_engine(url)
    work = Work(engine)

    @DBOS.workflow(name="turn")
    async def turn(name: str) -> str:
        return await work.turn(name)

    async with asyncio.timeout(TIMEOUT_S), launched(engine, url):
        handles: list[Any] = []
        for number in range(TURNS):
            with SetWorkflowID(f"turn {number}"):
                handles.append(await DBOS.start_workflow_async(turn, f"turn {number}"))
        await work.half_done.wait()
        work.met_trouble.clear()
        async with trouble(engine):
            work.may_go_on.set()
            await work.met_trouble.wait()
        for handle in handles:
            assert await handle.get_result(polling_interval_sec=0.05) == "done"
    return work.effects


EACH_ONCE = Counter({f"turn {turn}/{step}": 1 for turn in range(TURNS) for step in range(STEPS)})


@pytest.mark.proves("database.full")
async def test_a_full_disk_in_the_middle_of_turns(tmp_path: Path) -> None:
    limit_pages = 1_000_000

    @asynccontextmanager
    async def full(engine: Engine) -> AsyncGenerator[None]:
        nonlocal limit_pages
        event.listen(engine, "checkout", limit_size)
        limit_pages = 1
        yield
        limit_pages = 1_000_000

    def limit_size(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {limit_pages}")

    assert await work_through(f"sqlite:///{tmp_path}/turns.sqlite", full) == EACH_ONCE


@pytest.mark.proves("database.locked")
async def test_a_file_that_somebody_locks_in_the_middle_of_turns(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/turns.sqlite"

    @asynccontextmanager
    async def held(engine: Engine) -> AsyncGenerator[None]:
        event.listen(engine, "checkout", wait_shortly)
        with locked(tmp_path / "turns.sqlite"):
            yield

    def wait_shortly(connection: Any, *_: object) -> None:
        connection.execute("PRAGMA busy_timeout = 100")

    assert await work_through(url, held) == EACH_ONCE


@pytest.mark.proves("database.restarted")
@pytest.mark.process("Postgres goes away and comes back")
async def test_postgres_restarts_in_the_middle_of_turns(own_postgres: Any) -> None:
    server, url = own_postgres

    @asynccontextmanager
    async def restarted(_: Engine) -> AsyncGenerator[None]:
        await asyncio.to_thread(server.stop)
        yield
        await asyncio.to_thread(server.start)

    assert await work_through(url, restarted) == EACH_ONCE
