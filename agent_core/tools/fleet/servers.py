"""One server of the fleet: who may use it, how it is reached, and its tools."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from agent_core.messages import ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import MAIN_AGENT, Progress, ToolContext, ToolOutput
from agent_core.tools.names import server_prefix
from agent_core.tools.pins import WORKSPACE, Pins
from agent_core.tools.pool import ServerPool
from agent_core.tools.server import McpServer
from agent_core.tools.server_tools import ServerTools
from agent_core.tools.servers import HttpServer, HubLimits, StdioServer

Scope = Literal["bot", "session"]
Transport = Literal["stdio", "http", "sse", "unknown"]

ANY = "*"
_SHARED = ""
"""The key of the one process that all sessions share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Limits to agents, channels and people; None is no limit."""

    agents: frozenset[str] | None = None
    """Names of agents; None is the main agent alone."""
    channels: frozenset[str] | None = None
    """`channel`, or `team:channel` where several teams use the bot."""
    users: frozenset[str] | None = None
    """`user` or `team:user`."""

    def admits(self, context: ToolContext) -> bool:
        """Whether the server is offered to this agent when it works there for that person."""
        agents = self.agents if self.agents is not None else {MAIN_AGENT}
        asker = context.asker
        return (
            _names(agents, context.agent)
            and (self.channels is None or _names(self.channels, *context.places))
            and (self.users is None or _names(self.users, asker, asker.rpartition(":")[2]))
        )

    @property
    def in_words(self) -> str:
        """The limits for people, such as `channels C1 C2`; empty without any."""
        lists = {"agents": self.agents, "channels": self.channels, "users": self.users}
        return "; ".join(
            f"{kind} {' '.join(sorted(names)) or '(nobody)'}"
            for kind, names in lists.items()
            if names is not None
        )


def _names(listed: frozenset[str] | set[str], *candidates: str) -> bool:
    return ANY in listed or not listed.isdisjoint(candidates)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetServer:
    """What the file and the catalogue say of one server."""

    name: str
    transport: Transport
    config: StdioServer | HttpServer | None
    """How to reach it; None where its entry does not say it."""
    off: str = ""
    """Why it is off, as a sentence for the operator; empty when it is on."""
    is_ready: bool = True
    """All that it needs is there, so that it could be started, also while it is off."""
    scope: Scope = "bot"
    """`session`: a process for each session, which works in the session's directory."""
    access: Access = field(default_factory=Access)
    is_shipped: bool = False
    """It comes from the catalogue, changed by the operator or not."""

    @property
    def is_on(self) -> bool:
        return self.config is not None and self.is_ready and not self.off

    def config_in(self, workspace: Path) -> StdioServer | HttpServer:
        """How to reach it for the session of this directory; the server must be on."""
        config = self.config
        if config is None:
            raise ValueError(f"{self.name} is off: {self.off}")
        if self.scope == "bot":
            return config
        place = str(workspace)
        if isinstance(config, HttpServer):
            return replace(config, url=config.url.replace(WORKSPACE, place))
        return replace(
            config,
            args=tuple(argument.replace(WORKSPACE, place) for argument in config.args),
            env=_in_place(config.env, place),
            cwd=config.cwd or workspace,
        )


def _in_place(texts: Mapping[str, str], place: str) -> dict[str, str]:
    return {name: text.replace(WORKSPACE, place) for name, text in texts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLimits:
    """Bounds on what one server of the fleet may cost."""

    start_timeout_s: float = 180.0
    """A first start may install the server's package."""
    first_list_wait_s: float = 8.0
    """How long an agent waits for tools never seen before; after that they come later."""
    idle_after_s: float = 900.0
    """A session's process ends when it was not used for so long."""
    max_processes: int = 24
    """Of one server; where there would be more, the one that was idle longest ends."""


class FleetTools:
    """Offers a server that is on, to those who may use it.

    The process is started at the first call when the tools are known from earlier, else when an
    agent first asks for tools; starting never fails the agent that asks.
    """

    def __init__(
        self,
        server: FleetServer,
        *,
        hub_limits: HubLimits,
        limits: FleetLimits | None = None,
        pins: Pins | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = server
        self._limits = limits or FleetLimits()
        self._hub_limits = replace(hub_limits, connect_timeout_s=self._limits.start_timeout_s)
        self._pins = pins
        self._clock = clock
        self._processes = ServerPool(
            idle_after_s=self._limits.idle_after_s if server.scope == "session" else None,
            max_entries=self._limits.max_processes,
        )

    @property
    def name(self) -> str:
        return self._server.name

    @property
    def prefix(self) -> str:
        """What all full names of this server begin with."""
        return server_prefix(self.name)

    async def learn(self) -> Sequence[ToolSpec]:
        """The tools of a shared server, so that no agent waits for them; () for others.

        Raises:
            ToolServerError: the server is not to be had.
        """
        if self._server.scope == "session":
            return ()
        with self._processes.use(_SHARED, lambda: self._process(Path())) as tools:
            return await tools.specs_within(self._limits.first_list_wait_s)

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        """The tools to tell this agent of; none while the server is still being installed.

        Raises:
            ToolServerError: the server is not to be had.
        """
        if not self._server.access.admits(context):
            return ()
        with self._process_of(context) as tools:
            return await tools.specs_within(self._limits.first_list_wait_s)

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        """Run a call; every failure is a value."""
        if not self._server.access.admits(context):
            return ToolOutput(text=f"There is no tool {call.name}.", is_error=True)
        with self._process_of(context) as tools:
            return await tools.run(call, context, progress)

    async def close(self) -> None:
        """End all processes; bounded by the limits."""
        await self._processes.close()

    @contextmanager
    def _process_of(self, context: ToolContext) -> Generator[ServerTools]:
        key = context.session if self._server.scope == "session" else _SHARED
        with self._processes.use(key, lambda: self._process(context.workspace)) as tools:
            yield tools

    def _process(self, workspace: Path) -> ServerTools:
        is_own = self._server.scope == "session"
        server = McpServer(
            self._server.config_in(workspace),
            self._hub_limits,
            self._clock,
            pins=self._pins,
            workspace=workspace if is_own else None,
            waits=True,
        )
        return ServerTools(server, max_result_bytes=self._hub_limits.max_result_bytes)
