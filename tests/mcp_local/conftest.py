"""A session on disk, and the loopback site that stands for the internet."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.mcp_local.fetch.world import Site, serving
from tests.mcp_local.sessions import Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as served:
        yield served
