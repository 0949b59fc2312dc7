"""What the operator configures: which MCP servers there are, and how long each thing may take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mcp.server.mcpserver import MCPServer


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioServer:
    """A server that we start as a child process. Comes from the operator, never from a chat."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Added to a short allow list (PATH, HOME, LANG and the like); nothing else is inherited."""
    cwd: Path | None = None
    trusted: bool = False
    """Ours: it is told the session's directory, and its word on artifacts is believed."""
    call_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpServer:
    """A server elsewhere, over streamable HTTP."""

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent to the origin of `url` alone."""
    trusted: bool = False
    call_timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class InProcessServer:
    """A server object of this process: for tests, and for tools that need no own process."""

    name: str
    server: MCPServer
    trusted: bool = False
    call_timeout_s: float = 120.0


ServerConfig = StdioServer | HttpServer | InProcessServer


@dataclass(frozen=True, slots=True, kw_only=True)
class HubLimits:
    """Bounds on what a server may cost."""

    connect_timeout_s: float = 15.0
    list_timeout_s: float = 10.0
    close_timeout_s: float = 6.0
    grace_s: float = 1.5
    """For a child process to leave by itself, and again after a polite signal."""
    max_restarts: int = 3
    """Within `restart_window_s`; beyond that the server counts as down until the window is over."""
    restart_window_s: float = 60.0
    backoff_s: float = 0.2
    """Before the first restart; doubles with each further one inside the window."""
    retry_after_s: float = 30.0
    """How long a failed start is remembered before the next attempt."""
    relist_after_s: float = 300.0
    """Age at which the tool list of an HTTP server is fetched again."""
    pins_again_after_s: float = 30.0
    """How long after a tool was turned off it is looked up whether a person accepted it."""
    max_message_bytes: int = 6_000_000
    """Of one message on the wire; what is beyond is dropped while it arrives."""
    max_result_bytes: int = 5_000_000
    """Of one result's text."""
