"""The tools, one family per file; this file turns the toolkit's errors into MCP's."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError

from mcp_local.errors import ToolkitError

P = ParamSpec("P")
T = TypeVar("T")


def with_plain_errors(tool: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Wrap a tool so that a ToolkitError becomes an error result with the same sentence.

    Use it under the registration: `@server.tool(...)`, then `@with_plain_errors`, then the
    function. Signature, name and docstring stay visible to the server.
    """

    @wraps(tool)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await tool(*args, **kwargs)
        except ToolkitError as error:
            raise ToolError(str(error)) from error

    return wrapped
