"""What the tests of tools share: a context in a workspace, and hubs that are closed at the end."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from agent_core.mcp import HubLimits, McpHub, ServerConfig
from agent_core.models import ToolSpec
from agent_core.sessions import ToolPins
from agent_core.testing.tools import ignore_progress, tool_call
from agent_core.tools import ToolContext, ToolOutput
from tests.agent_core.mcp.world import Told, stored_pins
from tests.tool_calls import tool_context

QUICK = HubLimits(connect_timeout_s=10, list_timeout_s=5, grace_s=0.3)

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


class Client:
    """A hub, and a session in which its one server's tools are listed and called."""

    def __init__(self, hub: McpHub, context: ToolContext, server: str) -> None:
        self.hub = hub
        self._context = context
        self._prefix = f"mcp__{server}__"

    async def specs(self) -> dict[str, ToolSpec]:
        """The tools of all servers by name, those of its own without their prefix."""
        specs = await self.hub.specs(self._context)
        return {spec.name.removeprefix(self._prefix): spec for spec in specs}

    async def names(self) -> list[str]:
        return list(await self.specs())

    async def call(self, tool: str, **arguments: object) -> ToolOutput:
        made = tool_call(f"{self._prefix}{tool}", arguments)
        return await self.hub.run(made, self._context, ignore_progress)


Start = Callable[..., Client]


@pytest.fixture
def start(make_hub: HubMaker, context: ToolContext) -> Start:
    """Starts the bot anew, as far as its tools are concerned; calls go to the last server."""

    def start(*servers: ServerConfig, **more: Any) -> Client:
        return Client(make_hub(*servers, **more), context, servers[-1].name)

    return start


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[ToolPins]:
    async with stored_pins(tmp_path) as store:
        yield store
