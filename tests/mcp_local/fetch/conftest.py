"""The loopback site that stands for the internet."""

from collections.abc import AsyncGenerator

import pytest

from tests.mcp_local.fetch.world import Site, serving


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as served:
        yield served
