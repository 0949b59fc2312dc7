"""The operator's MCP servers as one toolset. A server that fails costs its own tools alone."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence

from agent_core.errors import SettingsError, ToolServerError
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput
from agent_core.tools.server import Clock, McpServer
from agent_core.tools.server_tools import ServerTools
from agent_core.tools.servers import HubLimits, ServerConfig

logger = logging.getLogger(__name__)


class McpHub:
    """Starts servers at first need, all at once; call `close` at the end.

    Raises:
        SettingsError: two servers have one name.
    """

    def __init__(
        self,
        servers: Sequence[ServerConfig],
        *,
        limits: HubLimits | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        bounds = limits or HubLimits()
        self._servers = tuple(
            ServerTools(McpServer(config, bounds, clock), max_result_bytes=bounds.max_result_bytes)
            for config in servers
        )
        if len({server.prefix for server in self._servers}) < len(self._servers):
            raise SettingsError("Two MCP servers have the same name; give each its own.")
        self._failures: dict[str, str] = {}

    @property
    def failures(self) -> Mapping[str, str]:
        """Servers that could not be had when last asked, with the reason."""
        return dict(self._failures)

    async def warm_up(self) -> None:
        """Start every server now; one that does not start is found in `failures`."""
        await self._all_specs()

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools of all servers that can be had, in the order of the configuration."""
        return await self._all_specs()

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        for server in self._servers:
            if call.name.startswith(server.prefix):
                return await server.run(call, context, progress)
        return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)

    async def close(self) -> None:
        """End all servers at once; bounded by the limits."""
        async with asyncio.TaskGroup() as group:
            for server in self._servers:
                group.create_task(server.close())

    async def _all_specs(self) -> list[ToolSpec]:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(self._specs_of(server)) for server in self._servers]
        return [spec for answer in asked for spec in answer.result()]

    async def _specs_of(self, server: ServerTools) -> Sequence[ToolSpec]:
        try:
            specs = await server.specs()
        except ToolServerError as error:
            self._failures[server.name] = str(error)
            return ()
        self._failures.pop(server.name, None)
        return specs
