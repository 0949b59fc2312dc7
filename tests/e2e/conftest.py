from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.browser import browser, browser_page
from tests.e2e.one_task import in_one_task
from tests.e2e.world import World, bot_in_a_world

__all__ = ["browser", "browser_page", "world"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World, None]:
    """One bot for a module's tests."""
    async with in_one_task(bot_in_a_world(tmp_path_factory.mktemp("workspaces"))) as world:
        yield world
