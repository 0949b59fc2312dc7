"""Postgres restarts while people write and the bot works: nothing is lost, nothing done twice."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agent_core.runtime.schedules import Schedules
from tests.postgres import new_database, postgres

pytestmark = pytest.mark.subprocess

RESTARTS = 3
UP_S, DOWN_S = 1.5, 0.5


@asynccontextmanager
async def restarting(server: Any) -> AsyncGenerator[list[int]]:
    """Stops the server and starts it again, a few times within the block."""
    effects_then: list[int] = []

    async def restart() -> None:
        for number in range(RESTARTS):
            await asyncio.sleep(UP_S)
            await asyncio.to_thread(server.stop)
            await asyncio.sleep(DOWN_S)
            await asyncio.to_thread(server.start)
            effects_then.append(number)

    task = asyncio.create_task(restart())
    yield effects_then
    await task


@pytest.mark.usefixtures("postgres_server")  # which skips where none can be started
async def test_postgres_restarts_in_the_middle_of_turns(tmp_path: Path) -> None:
    with postgres() as server:
        url = new_database(server)
        schedules = Schedules(tmp_path, 1, threads=8, actions=40, database_url=url)
        async with restarting(server) as restarts:
            await schedules.run(restarts=1, longest_s=3)
            assert restarts, "all was done before the first restart"
        assert schedules.faults == []
