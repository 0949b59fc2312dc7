"""MCP servers: how each is reached, pooled, started again and pinned, and its tools as a toolset.

The door of this room: other rooms import from here alone. Read `hub.py` first, then `server.py`
(one server) and `client.py` (one life of its connection).
"""

from agent_core.mcp.config import (
    FleetServer,
    HttpServer,
    HubLimits,
    ServerConfig,
    StdioServer,
    read_fleet,
)
from agent_core.mcp.hub import McpHub, PooledServer
from agent_core.mcp.pins import ListedTool, Pins, stored_form, suspicion_of
from agent_core.mcp.server import McpServer, MonotonicTime
from agent_core.mcp.wire import TOO_LARGE

__all__ = [
    "TOO_LARGE",
    "FleetServer",
    "HttpServer",
    "HubLimits",
    "ListedTool",
    "McpHub",
    "McpServer",
    "MonotonicTime",
    "Pins",
    "PooledServer",
    "ServerConfig",
    "StdioServer",
    "read_fleet",
    "stored_form",
    "suspicion_of",
]
