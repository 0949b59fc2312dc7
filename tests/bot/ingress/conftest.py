from collections.abc import AsyncIterator

import pytest

from tests.bot.ingress.world import World, connected_world


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with connected_world() as world:
        yield world
