"""What the tests of tools share: a context in a workspace, and hubs that are closed at the end."""

import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest

from agent_core.testing.tools import tool_context
from agent_core.tools import ToolContext
from agent_core.tools.hub import McpHub
from agent_core.tools.servers import HubLimits, ServerConfig

QUICK = HubLimits(connect_timeout_s=10, list_timeout_s=5, backoff_s=0.01, grace_s=0.3)

HubMaker = Callable[..., McpHub]


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    workspace = tmp_path / "session"
    workspace.mkdir()
    return tool_context(workspace)


@pytest.fixture
async def make_hub() -> AsyncGenerator[HubMaker, None]:
    """Makes hubs and closes them, whatever happened."""
    hubs: list[McpHub] = []

    def make(
        *servers: ServerConfig, limits: HubLimits = QUICK, clock: Callable[[], float] | None = None
    ) -> McpHub:
        hub = McpHub(servers, limits=limits, clock=clock or time.monotonic)
        hubs.append(hub)
        return hub

    yield make
    for hub in hubs:
        await hub.close()
