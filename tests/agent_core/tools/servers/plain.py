"""A well-behaved stdio server made with the SDK."""

import os
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, ImageContent, TextContent

server = MCPServer("plain", log_level="CRITICAL")


@server.tool(description="Says it back.")
def echo(text: str) -> str:
    return text


@server.tool()
def fail() -> str:
    raise ValueError("secret detail")


@server.tool()
async def progress(ctx: Context[Any]) -> str:
    await ctx.report_progress(3, 8)
    await ctx.report_progress(8, 8, "Read all pages")
    return "done"


@server.tool()
def where(ctx: Context[Any]) -> str:
    meta = ctx.request_context.meta or {}
    return str(meta.get("session_dir", "untold"))


@server.tool()
def environment() -> dict[str, str]:
    return dict(os.environ)  # noqa: TID251 - what was inherited is the point


@server.tool()
def picture() -> CallToolResult:
    return CallToolResult(
        content=[
            TextContent(type="text", text="Look:"),
            ImageContent(type="image", data="A" * 16_000, mime_type="image/png"),
        ]
    )


@server.tool()
def report(path: str) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text="written")],
        _meta={"artifacts": [{"path": path, "title": "T", "mimetype": "text/html"}]},
    )


if __name__ == "__main__":
    server.run()
