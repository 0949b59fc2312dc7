"""Tells the SDK's own errors from those that a server sends: both come with the same codes.

The code -32000 is free for servers, and many use it for faults of their own.
"""

import re

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, METHOD_NOT_FOUND

from agent_core.tools.http_streams import UNAUTHORIZED

_UNCLEAR = re.compile(r"HTTP 5\d\d|Unexpected content type: .*", re.DOTALL)

_CLOSED = ("Connection closed", "SSE stream ")
_GONE = {
    (INVALID_REQUEST, "Session terminated"),
    (METHOD_NOT_FOUND, "Not Found"),
    UNAUTHORIZED,
}


def is_gone(error: MCPError) -> bool:
    """An HTTP server answered 404 (the SDK spells that in two ways) or 401: nothing ran."""
    return (error.code, error.message) in _GONE


def is_unauthorized(error: MCPError) -> bool:
    """An HTTP server answered 401."""
    return (error.code, error.message) == UNAUTHORIZED


def is_lost(error: MCPError) -> bool:
    """The connection ended before the answer."""
    return error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED)


def is_unclear(error: MCPError) -> bool:
    """An HTTP server, or what stands before it, failed on the way back: the call may have run."""
    return _UNCLEAR.fullmatch(error.message) is not None
