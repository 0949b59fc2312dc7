"""Postgres restarts while people write and the bot works: nothing is lost, nothing done twice."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agent_core.runtime.test_random_schedules import Schedules
from tests.postgres import new_database, postgres

pytestmark = pytest.mark.process("a Postgres restarts")

RESTARTS = 2
EFFECTS_BETWEEN = 2
LOOK_EVERY_S = 0.01
DOWN_S = 0.5


@asynccontextmanager
async def restarting(server: Any, schedules: Schedules) -> AsyncGenerator[list[int]]:
    """Stops the server whenever some more was done, and starts it again."""
    restarts: list[int] = []
    at_it = asyncio.Lock()

    async def restart() -> None:
        for number in range(RESTARTS):
            enough = len(schedules.effects) + EFFECTS_BETWEEN
            while len(schedules.effects) < enough:  # noqa: ASYNC110 (the list has no event)
                await asyncio.sleep(LOOK_EVERY_S)
            async with at_it:
                restarts.append(number)
                await asyncio.to_thread(server.stop)
                await asyncio.sleep(DOWN_S)
                await asyncio.to_thread(server.start)

    task = asyncio.create_task(restart())
    try:
        yield restarts
    finally:
        async with at_it:
            task.cancel()
        await asyncio.wait({task})


@pytest.mark.usefixtures("postgres_server")  # which skips where none can be started
async def test_postgres_restarts_in_the_middle_of_turns(tmp_path: Path) -> None:
    with postgres() as server:
        schedules = Schedules(tmp_path, 1, threads=4, database_url=new_database(server))
        async with restarting(server, schedules) as restarts:
            await schedules.run(restarts=1)
    assert restarts, "too little was done for a restart"
    assert schedules.faults == []
