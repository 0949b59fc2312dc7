"""What the tests of the fleet share."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from agent_core.sessions.pins import ToolPins
from tests.agent_core.tools.fleet.world import Told, stored_pins


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[ToolPins]:
    async with stored_pins(tmp_path) as store:
        yield store
