from collections.abc import AsyncIterator

import pytest

from tests.bot.ingress.world import HOUR_S, Outside, World, bot_in, connected_world, outside_world


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with connected_world() as world:
        yield world


@pytest.fixture
async def outside() -> AsyncIterator[Outside]:
    """A team whose bot was started once, so that there are marks, and has stopped."""
    async with outside_world() as outside:
        async with bot_in(outside):
            pass
        outside.clock.advance(HOUR_S)
        yield outside
