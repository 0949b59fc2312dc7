"""The hosted MCP endpoint, one address a session: JSON-RPC over HTTP without streams of its own.

Written out and not taken from the SDK, so that the product's client meets a server by other hands.
"""

import json
from typing import Any

from aiohttp import web

from bot.sandbox.composio.catalogue import Tool, explain_absence, offered
from bot.sandbox.composio.meta import Service
from bot.sandbox.composio.records import Data, RestError, as_data

_OLDER = ("2025-03-26", "2025-06-18", "2025-11-25")
"""Versions in which a client begins with `initialize`."""
_STATELESS = "2026-07-28"
_ABOUT: Data = {
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "composio-stand-in", "version": "1"},
    "instructions": "Find tools with COMPOSIO_SEARCH_TOOLS, then run them.",
}
_CACHE: Data = {"ttlMs": 0, "cacheScope": "private"}
_NO_METHOD = -32_601


class McpEndpoint:
    """The handler; the session's id is the last part of the path."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def handle(self, request: web.Request) -> web.Response:
        """The answer to one message."""
        user_id = self._service.person_of(request)
        if request.method != "POST":
            # The endpoint has nothing to say unasked, and keeps nothing that could be ended.
            raise RestError(405, "HTTP_MethodNotAllowed", "This endpoint takes messages alone")
        message = as_data(await request.json())
        if "id" not in message:
            return web.Response(status=202)
        told: Data = {"jsonrpc": "2.0", "id": message["id"]}
        result = await self._result(user_id, str(message.get("method")), message)
        if result is None:
            error = {"code": _NO_METHOD, "message": "Method not found"}
            return web.json_response({**told, "error": error})
        return web.json_response({**told, "result": {"resultType": "complete", **result}})

    async def _result(self, user_id: str, method: str, message: Data) -> Data | None:
        params = as_data(message.get("params"))
        match method:
            case "server/discover":
                return {"supportedVersions": [_STATELESS], **_ABOUT, **_CACHE}
            case "initialize":
                asked = params.get("protocolVersion")
                return {"protocolVersion": asked if asked in _OLDER else _OLDER[-1], **_ABOUT}
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [_describe(tool) for tool in offered().values()], **_CACHE}
            case "tools/call":
                return await self._call(user_id, params)
            case _:
                return None

    async def _call(self, user_id: str, params: Data) -> Data:
        slug, outcome = str(params.get("name")), None
        if slug in offered():
            outcome = await self._service.execute(user_id, slug, as_data(params.get("arguments")))
        if outcome is None:
            return _text(explain_absence(slug), is_error=True)
        return _text(json.dumps(outcome.as_json(), ensure_ascii=False), is_error=False)


def _text(text: str, *, is_error: bool) -> Data:
    content: list[Any] = [{"type": "text", "text": text}]
    return {"content": content, "isError": is_error}


def _describe(tool: Tool) -> Data:
    return {
        "name": tool.slug,
        "title": tool.about["title"],
        "description": tool.about["description"],
        "inputSchema": tool.schema,
        "annotations": {
            "readOnlyHint": tool.reads_only,
            "destructiveHint": not tool.reads_only,
            "openWorldHint": "openWorldHint" in tool.about["tags"],
        },
    }
