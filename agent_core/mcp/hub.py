"""All MCP servers as one toolset. A server that fails costs its own tools alone.

Connections are pooled: a server has one for all, or one for each session or person.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from agent_core.background import Background
from agent_core.errors import ToolServerError
from agent_core.mcp.config import FleetServer, HubLimits, ServerConfig
from agent_core.mcp.pins import Pins
from agent_core.mcp.server import CallMeta, McpServer, MonotonicTime
from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import (
    OnProgress,
    ToolContext,
    ToolOutput,
    prefix_of,
    server_prefix,
    unknown_tool,
)

_INSTALL_TIMEOUT_S = 180.0
"""To connect to a server of the fleet, whose first start may install its package."""
SHARED = ""
"""The key of the one connection that all use."""


@dataclass(slots=True)
class _PooledConnection:
    server: McpServer
    users: int = 0
    """Calls and listings under way; only a connection without users is ended."""
    expiry: asyncio.TimerHandle | None = None


@dataclass(eq=False)
class PooledServer:
    """One server, over one connection for all or one for each session or person.

    A connection is made at first need. One that is not for all ends when nobody has used it for a
    while, or when there are too many. Use it in one event loop.
    """

    name: str
    _: KW_ONLY
    key: Callable[[ToolContext], str | None]
    """Whose connection a call takes; None where the server is not offered."""
    make: Callable[[str, Path], McpServer]
    """A server for the key, and for the workspace of the session that first needs it."""
    limits: HubLimits
    is_shared: bool = False
    patience_s: float | None = None
    """How long an agent waits for tools; None is until they are there."""

    def __post_init__(self) -> None:
        self._connections: dict[str, _PooledConnection] = {}
        """The one that was used last comes last."""
        self._ending = Background()
        self._is_closed = False

    async def learn(self) -> Sequence[ToolSpec]:
        """The tools of a server for all, so that no agent waits for them; () for others."""
        return await self._specs(SHARED, Path()) if self.is_shared else ()

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools for this agent; a ToolServerError says why they are not available."""
        key = self.key(context)
        return () if key is None else await self._specs(key, context.workspace)

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        """Run a call; every failure is a value."""
        key = self.key(context)
        if key is None:
            return unknown_tool(call.name, ())
        try:
            with self._use(key, context.workspace) as server:
                return await server.run(call, context, progress)
        except ToolServerError as error:
            return ToolOutput(text=str(error), is_error=True)

    async def close(self) -> None:
        """End all connections for good; bounded by the limits."""
        self._is_closed = True
        for key in list(self._connections):
            self._end(key)
        await self._ending.settle()

    async def _specs(self, key: str, workspace: Path) -> Sequence[ToolSpec]:
        with self._use(key, workspace) as server:
            return await server.specs(self.patience_s)

    @contextmanager
    def _use(self, key: str, workspace: Path) -> Generator[McpServer]:
        connection = self._taken(key, workspace)
        connection.users += 1
        if connection.expiry is not None:
            connection.expiry.cancel()
        try:
            yield connection.server
        finally:
            connection.users -= 1
            is_pooled = self._connections.get(key) is connection
            if is_pooled and not connection.users and not self.is_shared:
                self._connections[key] = self._connections.pop(key)
                loop = asyncio.get_running_loop()
                connection.expiry = loop.call_later(self.limits.idle_after_s, self._end, key)

    def _taken(self, key: str, workspace: Path) -> _PooledConnection:
        if self._is_closed:
            raise ToolServerError(f"The tool server {self.name} has been shut down.")
        connection = self._connections.get(key)
        if connection is not None:
            return connection
        idle = [key for key, each in self._connections.items() if not each.users]
        if idle and len(self._connections) >= self.limits.max_connections:
            self._end(idle[0])
        connection = _PooledConnection(self.make(key, workspace))
        self._connections[key] = connection
        return connection

    def _end(self, key: str) -> None:
        connection = self._connections.pop(key)
        if connection.expiry is not None:
            connection.expiry.cancel()
        self._ending.start(connection.server.close())


class McpHub:
    """Starts servers at first need, all at once; call `close` at the end.

    Args:
        servers: Offered to every agent. Those that are not our own are pinned.
        fleet: Offered to those who may use them; of these, servers that are off are left out.
        more: Further servers, behind these.
        pins: Turns off tools whose definitions changed; without it every definition is taken.
        call_meta: What our own servers get with each call, beside its arguments.

    No two have one name: a file of servers cannot take the names of our own.
    """

    def __init__(
        self,
        servers: Sequence[ServerConfig],
        *,
        fleet: Sequence[FleetServer] = (),
        more: Sequence[PooledServer] = (),
        pins: Pins | None = None,
        call_meta: CallMeta | None = None,
        limits: HubLimits | None = None,
        clock: MonotonicTime = time.monotonic,
    ) -> None:
        limits = limits or HubLimits()
        pooled = [
            _always_on(
                config,
                limits,
                clock,
                pins,
                call_meta,
            )
            for config in servers
        ]
        pooled += [_of_fleet(server, limits, pins) for server in fleet if server.is_on]
        pooled += more
        self._servers = {server_prefix(server.name): server for server in pooled}
        """By the prefix of their tools' names, in the order of the configuration."""
        self._failures: dict[str, str] = {}

    @property
    def failures(self) -> Mapping[str, str]:
        """Servers that could not be had when last asked, with the reason."""
        return dict(self._failures)

    async def warm_up(self) -> None:
        """Start every server now; one that does not start is found in `failures`.

        Of the fleet, those whose tools are known from earlier start at their first call.
        """
        async with asyncio.TaskGroup() as group:
            for server in self._servers.values():
                group.create_task(self._noted(server.name, server.learn()))

    def away(self, context: ToolContext) -> Mapping[str, str]:
        """Servers for this agent and person that could not be had when last asked, and why."""
        return {
            server.name: self._failures[server.name]
            for server in self._servers.values()
            if server.name in self._failures and server.key(context) is not None
        }

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools of all servers that can be had, in the order of the configuration."""
        async with asyncio.TaskGroup() as group:
            listings = [
                group.create_task(self._noted(server.name, server.specs(context)))
                for server in self._servers.values()
            ]
        return [spec for listing in listings for spec in listing.result()]

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        server = self._servers.get(prefix_of(call.name))
        if server is not None:
            return await server.run(call, context, progress)
        return unknown_tool(call.name, [spec.name for spec in await self.specs(context)])

    async def close(self) -> None:
        """End all servers at once; bounded by the limits."""
        async with asyncio.TaskGroup() as group:
            for server in self._servers.values():
                group.create_task(server.close())

    async def _noted(self, name: str, listing: Awaitable[Sequence[ToolSpec]]) -> Sequence[ToolSpec]:
        try:
            specs = await listing
        except ToolServerError as error:
            self._failures[name] = str(error)
            return ()
        self._failures.pop(name, None)
        return specs


def _always_on(
    config: ServerConfig,
    limits: HubLimits,
    clock: MonotonicTime,
    pins: Pins | None,
    call_meta: CallMeta | None,
) -> PooledServer:
    if config.trusted:
        pins = None  # our own tools change with our releases
    return PooledServer(
        config.name,
        key=lambda _: SHARED,
        make=lambda _key, _workspace: McpServer(
            config, limits, clock, pins=pins, call_meta=call_meta
        ),
        limits=limits,
        is_shared=True,
    )


def _of_fleet(server: FleetServer, limits: HubLimits, pins: Pins | None) -> PooledServer:
    """The process starts at the first call when the tools are known from earlier."""
    is_shared = server.scope == "bot"
    patient = replace(limits, connect_timeout_s=_INSTALL_TIMEOUT_S)

    def key(context: ToolContext) -> str | None:
        if not server.access.admits(context):
            return None
        return SHARED if is_shared else context.session

    def make(_: str, workspace: Path) -> McpServer:
        return McpServer(
            server.config_in(workspace),
            patient,
            pins=pins,
            workspace=None if is_shared else workspace,
            waits=True,
        )

    return PooledServer(
        server.name,
        key=key,
        make=make,
        limits=limits,
        is_shared=is_shared,
        patience_s=limits.list_patience_s,
    )
