"""What calls of tools need in tests: a small MCP server, a context."""

from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations

from agent_core.ids import ROOT_RUN, SessionId, TurnId, UserId
from agent_core.tools import ToolContext


def echo_server(name: str = "echo") -> MCPServer:
    """An MCP server with one read-only tool, `echo(text)`; more can be added with its `tool()`."""
    server = MCPServer(name, log_level="CRITICAL")

    def echo(text: str) -> str:
        """Says it back."""
        return text

    server.add_tool(echo, annotations=ToolAnnotations(read_only_hint=True))
    return server


def tool_context(workspace: Path, *, asker: str = "T1:U1", turn: str = "turn_1") -> ToolContext:
    """A context in `workspace` for the root run of a turn."""
    return ToolContext(
        session=SessionId("session_1"),
        turn=TurnId(turn),
        run=ROOT_RUN,
        asker=UserId(asker),
        workspace=workspace,
    )
