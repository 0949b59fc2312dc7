from collections.abc import AsyncIterator

import pytest

from tests.bot.socket.world import World, fresh_world


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A stand-in and a socket to it that is open; time stands still but where it is passed."""
    async with fresh_world() as world:
        await world.socket.start()
        yield world
