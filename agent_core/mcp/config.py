"""Configuration of MCP servers: how each is reached, who may use it, and what it may cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from mcp.server.mcpserver import MCPServer

from agent_core.tools import MAIN_AGENT, ToolContext

WORKSPACE = "${WORKSPACE}"
"""Stands for the session's directory, in the file of servers and in stored definitions."""
ANY = "*"

Scope = Literal["bot", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServerBase:
    name: str
    trusted: bool = False
    """Ours: it gets the session's directory, and its artifacts are believed."""
    call_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer(_ServerBase):
    """A server that we start as a child process. Comes from the operator, never from a chat."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Added to a short allow list (PATH, HOME, LANG and the like); nothing else is inherited."""
    cwd: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer(_ServerBase):
    """A server elsewhere, over streamable HTTP."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent to the origin of `url` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessServer(_ServerBase):
    """A server object of this process: for tests, and for tools that need no own process."""

    server: MCPServer


ServerConfig = StdioServer | HttpServer | InProcessServer


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccess:
    """Limits to agents, channels and people; None is no limit."""

    agents: frozenset[str] | None = None
    """Names of agents; None is the main agent alone."""
    channels: frozenset[str] | None = None
    """`channel`, or `team:channel` where several teams use the bot."""
    users: frozenset[str] | None = None
    """`user` or `team:user`."""

    def admits(self, context: ToolContext) -> bool:
        """Whether the server is offered to this agent when it works there for that person."""
        agents = frozenset({MAIN_AGENT}) if self.agents is None else self.agents
        person = context.asker.rpartition(":")[2]
        return (
            _admits(agents, context.agent)
            and _admits(self.channels, *context.places)
            and _admits(self.users, context.asker, person)
        )

    @property
    def in_words(self) -> str:
        """The limits for people, such as `channels C1 C2`; empty without any."""
        limits = {
            "agents": self.agents,
            "channels": self.channels,
            "users": self.users,
        }
        lines: list[str] = []
        for kind, names in limits.items():
            if names is not None:
                listed = " ".join(sorted(names))
                lines.append(f"{kind} {listed or '(nobody)'}")
        return "; ".join(lines)


def _admits(limit: frozenset[str] | None, *names: str) -> bool:
    return limit is None or ANY in limit or not limit.isdisjoint(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetServer:
    """One server of the operator's file or the shipped catalogue."""

    name: str
    off: str = ""
    """Why it is off, as a sentence for the operator; empty when it is on."""
    transport: str = "unknown"
    config: StdioServer | HttpServer | None = None
    """How to reach it; None where its entry does not say it."""
    is_ready: bool = True
    """All that it needs is there, so that it could be started, also while it is off."""
    scope: Scope = "bot"
    """`session`: a process for each session, which works in the session's directory."""
    access: ServerAccess = field(default_factory=ServerAccess)
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
        directory = str(workspace)
        if isinstance(config, HttpServer):
            return replace(config, url=config.url.replace(WORKSPACE, directory))
        return replace(
            config,
            args=tuple(argument.replace(WORKSPACE, directory) for argument in config.args),
            env={name: text.replace(WORKSPACE, directory) for name, text in config.env.items()},
            cwd=config.cwd or workspace,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HubLimits:
    """Bounds on what a server may cost."""

    connect_timeout_s: float = 30.0
    install_timeout_s: float = 180.0
    """In its place for a server of the fleet, whose first start may install its package."""
    list_timeout_s: float = 10.0
    list_patience_s: float = 8.0
    """How long an agent waits for tools of the fleet never seen before; then they come later."""
    close_timeout_s: float = 6.0
    grace_s: float = 1.5
    """For a child process to leave by itself, and again after a polite signal."""
    max_restarts: int = 3
    """Within `restart_window_s`; beyond that the server counts as down until the window is over."""
    restart_window_s: float = 60.0
    retry_after_s: float = 30.0
    """How long a failed start is remembered before the next attempt."""
    relist_after_s: float = 300.0
    """Age at which a tool list is fetched again, whatever the server announces."""
    idle_after_s: float = 900.0
    """A connection of one session or person ends when it was not used for so long."""
    max_connections: int = 24
    """Of one server to sessions or people; beyond them the one that was idle longest ends."""
    max_message_bytes: int = 6_000_000
    """Of one message on the wire; a longer one ends its call while it arrives."""
    max_result_bytes: int = 5_000_000
    """Of one result's text."""
