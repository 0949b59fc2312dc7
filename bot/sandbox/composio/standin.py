"""The Composio stand-in: REST, MCP and pages on one loopback origin, and what tests look into."""

import json
import secrets
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.sandbox.composio.accounts import ConnectedAccount
from bot.sandbox.composio.catalogue import NO_TOOL, Tool, app_tools, meta_tools
from bot.sandbox.composio.meta import LINK_PATH, Service
from bot.sandbox.composio.pages import ComposioPages
from bot.sandbox.composio.records import AppExecution, Data, RestError, RouterSession, as_data
from bot.sandbox.composio.rest import MAX_FILE_BYTES, RestRoutes, bounded
from bot.sandbox.loopback import LOOPBACK, serve

_OPEN_PATHS = (LINK_PATH, "/s3/", "/mailbox")
"""Asked for by browsers and by whoever holds a presigned address, so without the key."""
_CACHE: Data = {"ttlMs": 0, "cacheScope": "private"}
_ABOUT: Data = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "composio-stand-in", "version": "1"},
    "instructions": "Find tools with COMPOSIO_SEARCH_TOOLS, then run them.",
    **_CACHE,
}
_NO_METHOD = -32_601


class ComposioStandIn(Service):
    """Composio's hosted service on loopback; an asynchronous context manager."""

    _open: AsyncExitStack

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            scratch = stack.enter_context(TemporaryDirectory(prefix="composio-"))
            self.remote.directory = Path(scratch)
            stack.push_async_callback(self.workbench.close)
            port = await stack.enter_async_context(serve(self._app()))
            self.base_url = f"http://{LOOPBACK}:{port}"
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that lead a bot here."""
        return {"COMPOSIO_API_KEY": self.api_key, "COMPOSIO_BASE_URL": self.base_url}

    @property
    def effects(self) -> list[AppExecution]:
        """The executions that changed something in an app, in their order."""
        return [one for one in self.executions if not (one.reads_only or one.error)]

    def connect(self, user_id: str, toolkit: str, *, identity: str = "") -> ConnectedAccount:
        """Give a person an active account, as if they had connected it before."""
        account = self.accounts.begin(user_id, toolkit)
        account.finish(allowed=True, identity=identity)
        return account

    def follow_link(self, link: str) -> None:
        """Allow a connection behind its link, as the person would in a browser.

        Raises LookupError where the link waits for nobody.
        """
        account = self.accounts.by_link(link.rpartition("/")[2])
        if account is None or account.status != "INITIATED":
            raise LookupError(link)
        account.finish(allowed=True)

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=MAX_FILE_BYTES)
        app.add_routes(RestRoutes(self).routes())
        app.add_routes(ComposioPages(self).routes())
        app.router.add_post("/v3/mcp/{session_id}", self._answer_mcp)
        app.router.add_route("*", "/{path:.*}", _refuse_path)
        return app

    async def _answer_mcp(self, request: web.Request) -> web.Response:
        """The hosted MCP endpoint, one address a session: JSON-RPC over HTTP without streams.

        Written out and not taken from the SDK, so that the product's client meets other hands.
        """
        session = self.session_of(request)
        message = as_data(await request.json())
        if "id" not in message:
            return web.Response(status=202)
        answer: Data = {"jsonrpc": "2.0", "id": message["id"]}
        match message.get("method"):
            case "server/discover":
                result = _ABOUT
            case "tools/list":
                known = {**app_tools(), **meta_tools()}
                tools = [_describe(known[slug]) for slug in session.tools]
                result: Data = {"tools": tools, **_CACHE}
            case "tools/call":
                result = await self._call(session, as_data(message.get("params")))
            case _:
                error = {"code": _NO_METHOD, "message": "Method not found"}
                return web.json_response({**answer, "error": error})
        answer["result"] = {"resultType": "complete", **result}
        return bounded(answer)

    async def _call(self, session: RouterSession, params: Data) -> Data:
        slug = str(params.get("name"))
        is_known = slug in session.tools
        text = NO_TOOL.format(slug)
        if is_known:
            outcome = await self.execute(session, slug, as_data(params.get("arguments")))
            text = json.dumps(outcome.as_json(), ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "isError": not is_known}

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Lets only requests with the key through, and tells refusals in Composio's envelope."""
        given = request.headers.get("x-api-key", "").encode()
        try:
            if request.path.startswith(_OPEN_PATHS):
                return await handler(request)
            if not secrets.compare_digest(given, self.api_key.encode()):
                return RestError(401, "HTTP_Unauthorized", "Invalid API key").as_response()
            return await handler(request)
        except RestError as error:
            return error.as_response()


async def _refuse_path(request: web.Request) -> web.Response:
    asked = f"{request.method} {request.path}"
    raise RestError(404, "HTTP_NotFound", f"{asked} is not part of this sandbox")


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
