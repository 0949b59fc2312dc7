"""The tools, one family per file; this file says how each of them is put onto the server."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Annotated, Any, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from mcp_local.errors import ToolkitError

P = ParamSpec("P")

READS = ToolAnnotations(
    read_only_hint=True,
    destructive_hint=False,
    idempotent_hint=True,
    open_world_hint=False,
)
ADDS_ONCE = ToolAnnotations(
    read_only_hint=False,
    destructive_hint=False,
    idempotent_hint=True,
    open_world_hint=False,
)
LOOKS_UP = READS.model_copy(update={"open_world_hint": True})
OVERWRITES = ADDS_ONCE.model_copy(update={"destructive_hint": True})
FETCHES = ADDS_ONCE.model_copy(update={"open_world_hint": True})

ToolAnswer = str | CallToolResult

FilePath = Annotated[str, Field(description="Path of a file, relative to the session's directory.")]
SessionDir = Annotated[
    str, Field(description="The session's workspace directory; may be left out.")
]


def text_result(answer: str | Mapping[str, Any], **meta: Any) -> CallToolResult:
    """A text, or JSON as one; `meta` is for the bot and not for the model."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], _meta=meta or None)


def local_tool(
    server: MCPServer, title: str, annotations: ToolAnnotations
) -> Callable[[Callable[P, Awaitable[ToolAnswer]]], Callable[P, Awaitable[ToolAnswer]]]:
    """Register the decorated function under its own name, signature and docstring.

    A ToolkitError becomes an error result with the same sentence. Answers go out as text alone:
    the structured form would send each of them twice.
    """

    def register(tool: Callable[P, Awaitable[ToolAnswer]]) -> Callable[P, Awaitable[ToolAnswer]]:
        @wraps(tool)
        async def with_plain_errors(*args: P.args, **kwargs: P.kwargs) -> ToolAnswer:
            try:
                return await tool(*args, **kwargs)
            except ToolkitError as error:
                raise ToolError(str(error)) from error

        titled = annotations.model_copy(update={"title": title})
        server.tool(title=title, annotations=titled, structured_output=False)(with_plain_errors)
        return with_plain_errors

    return register
