"""The operator's MCP servers as one toolset. A server that fails costs its own tools alone."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping, Sequence

from agent_core.errors import SettingsError, ToolServerError
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput
from agent_core.tools.fleet import FleetServer, FleetTools
from agent_core.tools.pins import Pins
from agent_core.tools.server import Clock, McpServer
from agent_core.tools.server_tools import ServerTools, Told
from agent_core.tools.servers import HubLimits, InProcessServer, ServerConfig

logger = logging.getLogger(__name__)


class McpHub:
    """Starts servers at first need, all at once; call `close` at the end.

    Args:
        servers: Offered to every agent. Those that are not our own are pinned.
        fleet: Offered to those who may use them; of these, servers that are off are left out.
        pins: Turns off tools whose definitions changed; without it every definition is taken.
        told: What our own servers are told of each call, beside its arguments.

    Raises:
        SettingsError: two servers have one name.
    """

    def __init__(
        self,
        servers: Sequence[ServerConfig],
        *,
        fleet: Sequence[FleetServer] = (),
        pins: Pins | None = None,
        told: Told | None = None,
        limits: HubLimits | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        bounds = limits or HubLimits()
        self._pins = pins
        self._servers = tuple(
            ServerTools(
                McpServer(config, bounds, clock, pins=pins if _is_pinned(config) else None),
                max_result_bytes=bounds.max_result_bytes,
                told=told,
            )
            for config in servers
        )
        self._fleet = tuple(
            FleetTools(server, hub_limits=bounds, pins=pins, clock=clock)
            for server in fleet
            if server.is_on
        )
        prefixes = {server.prefix for server in self._members}
        if len(prefixes) < len(self._members):
            raise SettingsError("Two MCP servers have the same name; give each its own.")
        self._failures: dict[str, str] = {}

    @property
    def failures(self) -> Mapping[str, str]:
        """Servers that could not be had when last asked, with the reason."""
        return dict(self._failures)

    @property
    def held(self) -> Mapping[str, Mapping[str, str]]:
        """By server each tool that is turned off until it is accepted, with the reason."""
        return {} if self._pins is None else self._pins.held

    async def warm_up(self) -> None:
        """Start every server now; one that does not start is found in `failures`.

        Of the fleet, those whose tools are known from earlier start at their first call.
        """
        async with asyncio.TaskGroup() as group:
            for server in self._servers:
                group.create_task(self._specs_of(server.name, server.specs()))
            for server in self._fleet:
                group.create_task(self._specs_of(server.name, server.learn()))

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools of all servers that can be had, in the order of the configuration."""
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(self._specs_of(server.name, server.specs()))
                for server in self._servers
            ] + [
                group.create_task(self._specs_of(server.name, server.specs(context)))
                for server in self._fleet
            ]
        return [spec for answer in asked for spec in answer.result()]

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        for server in self._members:
            if call.name.startswith(server.prefix):
                return await server.run(call, context, progress)
        return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)

    async def close(self) -> None:
        """End all servers at once; bounded by the limits."""
        async with asyncio.TaskGroup() as group:
            for server in self._members:
                group.create_task(server.close())

    @property
    def _members(self) -> tuple[ServerTools | FleetTools, ...]:
        return (*self._servers, *self._fleet)

    async def _specs_of(
        self, name: str, asking: Awaitable[Sequence[ToolSpec]]
    ) -> Sequence[ToolSpec]:
        try:
            specs = await asking
        except ToolServerError as error:
            self._failures[name] = str(error)
            return ()
        self._failures.pop(name, None)
        return specs


def _is_pinned(config: ServerConfig) -> bool:
    """Our own tools change with our releases."""
    return not (config.trusted or isinstance(config, InProcessServer))
