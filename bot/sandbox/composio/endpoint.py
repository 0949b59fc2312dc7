"""The hosted MCP endpoint: one address a session, one server behind them all."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import cast

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as McpTool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.outcome import Data
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.toolbox import Toolbox
from bot.sandbox.composio.tools import Tool

Context = ServerRequestContext[Data]


class McpEndpoint:
    """The ASGI app of the endpoint; the session's id is the last part of the path."""

    def __init__(self, toolbox: Toolbox, sessions: Mapping[str, Session]) -> None:
        self._toolbox = toolbox
        self._sessions = sessions
        server: Server[Data] = Server(
            "composio-stand-in",
            version="1",
            instructions="Find tools with COMPOSIO_SEARCH_TOOLS, then run them.",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self._manager = StreamableHTTPSessionManager(server, json_response=True)

    def run(self) -> AbstractAsyncContextManager[None]:
        """Holds the connections of all clients; entered once, for as long as the app serves."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path_params"]["session_id"] not in self._sessions:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        if scope["method"] == "GET":
            # The endpoint has nothing to say unasked, and an open stream would delay the exit.
            raise RestError(405, "HTTP_MethodNotAllowed", "This endpoint offers no event stream")
        await self._manager.handle_request(scope, receive, send)

    async def _list_tools(
        self, context: Context, _: PaginatedRequestParams | None
    ) -> ListToolsResult:
        tools = self._toolbox.list_offered(self._find_session(context))
        return ListToolsResult(tools=[_describe(tool) for tool in tools])

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        session = self._find_session(context)
        offered = {tool.slug for tool in self._toolbox.list_offered(session)}
        if params.name not in offered:
            return _write(self._toolbox.explain_absence(params.name), is_error=True)
        outcome = await self._toolbox.execute(session, params.name, params.arguments or {})
        if outcome is None:
            return _write(self._toolbox.explain_absence(params.name), is_error=True)
        return _write(json.dumps(outcome.as_json(), ensure_ascii=False))

    def _find_session(self, context: Context) -> Session:
        request = cast(Request, context.request)
        return self._sessions[request.path_params["session_id"]]


def _describe(tool: Tool) -> McpTool:
    reads = tool.reads_only
    return McpTool(
        name=tool.slug,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=reads,
            destructive_hint=not reads,
            open_world_hint="openWorldHint" in tool.tags,
        ),
    )


def _write(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)
