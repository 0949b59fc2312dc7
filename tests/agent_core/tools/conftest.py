"""What the tests of tools share: a context in a workspace, and hubs that are closed at the end."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from agent_core.sessions.pins import ToolPins
from agent_core.testing.tools import tool_context
from agent_core.tools import ToolContext
from agent_core.tools.hub import McpHub
from agent_core.tools.servers import HubLimits, ServerConfig
from tests.agent_core.tools.world import Told, stored_pins

QUICK = HubLimits(connect_timeout_s=10, list_timeout_s=5, backoff_s=0.01, grace_s=0.3)

HubMaker = Callable[..., McpHub]


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "session"
    workspace.mkdir()
    return tool_context(workspace)


@pytest.fixture
async def make_hub() -> AsyncGenerator[HubMaker]:
    """Makes hubs and closes them, whatever happened."""
    hubs: list[McpHub] = []

    def make(*servers: ServerConfig, limits: HubLimits = QUICK, **more: Any) -> McpHub:
        hubs.append(McpHub(servers, limits=limits, **more))
        return hubs[-1]

    yield make
    for hub in hubs:
        await hub.close()


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[ToolPins]:
    async with stored_pins(tmp_path) as store:
        yield store
