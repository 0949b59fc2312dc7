"""A server of the SDK over stdio that announces another tool, to those who listen for that."""

from typing import Any

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("near", log_level="CRITICAL")


async def grow(ctx: Context[Any]) -> str:
    server.add_tool(grow, name="grown")
    await ctx.notify_tools_changed()
    return "grown"


if __name__ == "__main__":
    server.add_tool(grow)
    server.run()
