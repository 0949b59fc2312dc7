"""Just enough of Composio to make sessions and serve their tools, on one origin."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from tests.agent_core.tools.loopback import serve

API_KEY = "key-of-the-project"
_SESSIONS_PATH = "/api/v3.1/tool_router/session"
_MCP_PATH = "/v3/mcp/"


class ComposioWorld:
    """Sessions by id with their user; what was asked of each; and ways to misbehave."""

    def __init__(self) -> None:
        self.users: dict[str, str] = {}
        self.wishes: list[dict[str, Any]] = []
        self.used: list[str] = []
        self.runs = 0
        self.mcp_origin: str | None = None
        self.is_down = False
        self.refused: set[str] = set()
        """People who get no session."""
        self.speaks_otherwise = False
        """Answers a wish for a session with JSON that describes none."""
        self.port = 0
        mcp = MCPServer("composio", log_level="CRITICAL")
        mcp.add_tool(self._search, name="COMPOSIO_SEARCH_TOOLS")
        self._mcp = mcp.streamable_http_app(streamable_http_path="/mcp")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["ComposioWorld", None]:
        async with serve(self) as port:
            self.port = port
            yield self

    def forget_sessions(self) -> None:
        self.users.clear()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._mcp(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = await self._answer(request)
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self._mcp({**scope, "path": "/mcp", "raw_path": b"/mcp"}, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """The answer to anything but a call of a known session."""
        if self.is_down:
            return Response(status_code=503)
        if request.headers.get("x-api-key") != API_KEY:
            return _refusal(401, "Invalid API key")
        path = request.url.path
        if request.method == "POST" and path == _SESSIONS_PATH:
            return await self._create(request)
        session = path.removeprefix(_MCP_PATH)
        if session not in self.users:
            return _refusal(404, "no such session")
        self.used.append(self.users[session])
        return None

    async def _create(self, request: Request) -> Response:
        wish: dict[str, Any] = json.loads(await request.body())
        self.wishes.append(wish)
        if wish["user_id"] in self.refused:
            return _refusal(400, "user id not accepted")
        if self.speaks_otherwise:
            return JSONResponse({"ok": True})
        session = f"trs_{len(self.wishes)}"
        self.users[session] = wish["user_id"]
        url = f"{self.mcp_origin or self.base_url}{_MCP_PATH}{session}"
        return JSONResponse(
            {
                "session_id": session,
                "config_version": 1,
                "mcp": {"type": "http", "url": url},
                "tool_router_tools": [],
                "config": {"user_id": wish["user_id"], "toolkits": {}, "preload": {"tools": []}},
                "experimental": None,
            },
            status_code=201,
        )

    async def _search(self, use_case: str) -> str:
        self.runs += 1
        return f"found for {use_case}"


def _refusal(status: int, message: str) -> Response:
    error = {"message": message, "code": status, "slug": "x", "status": status, "request_id": "r"}
    return JSONResponse({"error": error}, status_code=status)
