import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.browser import browser, browser_page
from tests.e2e.world import World, bot_in_a_world

__all__ = ["browser", "browser_page", "world"]

STOP_S = 30.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World, None]:
    """One bot for a module's tests. It is started and stopped in one task, as task groups ask."""
    root = tmp_path_factory.mktemp("workspaces")
    started: asyncio.Future[World] = asyncio.get_running_loop().create_future()
    may_stop = asyncio.Event()

    async def run() -> None:
        async with bot_in_a_world(root) as world:
            started.set_result(world)
            await may_stop.wait()

    running = asyncio.create_task(run())
    await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()
    yield started.result()
    may_stop.set()
    async with asyncio.timeout(STOP_S):
        await running
