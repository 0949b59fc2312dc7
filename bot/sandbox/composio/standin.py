"""The Composio stand-in: REST, hosted MCP and pages on one loopback origin."""

import json
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.sandbox.composio.catalogue import (
    NO_TOOL,
    NO_TOOLKIT,
    Data,
    Tool,
    app_tools,
    as_data,
    make_id,
    meta_tools,
    needs_account,
    toolkits,
)
from bot.sandbox.composio.pages import ComposioPages
from bot.sandbox.composio.service import (
    LINK_PATH,
    AppExecution,
    ConnectedAccount,
    RouterSession,
    Service,
)
from bot.sandbox.composio.workbench import StoredFile
from bot.sandbox.loopback import LOOPBACK, serve

_PREFIX = "/api/v3.1"
_SESSION = f"{_PREFIX}/tool_router/session"
_DIRECT_CHARS = 20_000
"""Where a session does not say how long results may be that come directly."""
_MAX_FILE_BYTES = 100_000_000

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


def _refusal(kind: type[web.HTTPClientError], message: str) -> web.HTTPClientError:
    """The answer of a request that is refused, in Composio's envelope."""
    text = json.dumps({"error": {"message": message}})
    return kind(text=text, content_type="application/json")


class ComposioStandIn(Service):
    """Composio's hosted service on loopback; an asynchronous context manager."""

    _open: AsyncExitStack

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            scratch = stack.enter_context(TemporaryDirectory(prefix="composio-"))
            self.workbench.directory = Path(scratch)
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
        account = self.accounts.waiting(link.rpartition("/")[2])
        if account is None:
            raise LookupError(link)
        account.finish(allowed=True)

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=_MAX_FILE_BYTES)
        app.add_routes(self._rest_routes())
        app.add_routes(ComposioPages(self).routes())
        app.router.add_post("/v3/mcp/{session_id}", self._answer_mcp)
        return app

    async def _answer_mcp(self, request: web.Request) -> web.Response:
        """The hosted MCP endpoint, one address a session: JSON-RPC over HTTP without streams.

        Written out and not taken from the SDK, so that the product's client meets other hands.
        """
        session = self._session_of(request)
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
        return web.json_response(answer)

    def _session_of(self, request: web.Request) -> RouterSession:
        """The session that a request names; an unknown one is refused."""
        session = self.sessions.get(request.match_info["session_id"])
        if session is None:
            raise _refusal(web.HTTPNotFound, "Session not found")
        return session

    async def _call(self, session: RouterSession, params: Data) -> Data:
        outcome = await self.execute(session, params["name"], as_data(params.get("arguments")))
        text = json.dumps(outcome.as_json(), ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def _rest_routes(self) -> list[web.RouteDef]:
        one = f"{_SESSION}/{{session_id}}"
        return [
            web.post(_SESSION, self._create),
            web.delete(one, self._delete),
            web.post(f"{one}/execute_meta", self._execute_meta),
            web.post(f"{one}/link", self._link),
            web.get(f"{_PREFIX}/connected_accounts", self._list_accounts),
            web.delete(f"{_PREFIX}/connected_accounts/{{id}}", self._remove_account),
            web.get(f"{_PREFIX}/tools/{{slug}}", self._describe_tool),
            web.post(f"{_PREFIX}/files/upload/request", self._announce),
            web.put("/s3/{token}/{filename}", self._receive),
            web.get("/s3/{token}/{filename}", self._send),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        body = as_data(await request.json())
        session_id = make_id("trs")
        workbench = as_data(body.get("workbench"))
        preloaded: list[str] = []
        if self.preload == "granted":
            preloaded = as_data(body.get("preload")).get("tools", [])
        tools = [*preloaded, *meta_tools()]
        session = RouterSession(
            user_id=body["user_id"],
            tools=tools,
            direct_chars=workbench.get("auto_offload_threshold", _DIRECT_CHARS),
        )
        self.sessions[session_id] = session
        answer = {
            "session_id": session_id,
            "mcp": {"type": "http", "url": f"{self.base_url}/v3/mcp/{session_id}"},
            "tool_router_tools": tools,
        }
        return web.json_response(answer, status=201)

    async def _delete(self, request: web.Request) -> web.Response:
        self._session_of(request)
        session_id = request.match_info["session_id"]
        del self.sessions[session_id]
        return web.json_response({"session_id": session_id, "deleted": True})

    async def _execute_meta(self, request: web.Request) -> web.Response:
        session = self._session_of(request)
        body = as_data(await request.json())
        outcome = await self.execute(session, body["slug"], as_data(body.get("arguments")))
        answer = {
            "data": outcome.data,
            "error": outcome.error,
            "result_type": "failed" if outcome.error else "completed",
        }
        return web.json_response(answer)

    async def _link(self, request: web.Request) -> web.Response:
        session = self._session_of(request)
        body = as_data(await request.json())
        toolkit = str(body.get("toolkit")).casefold()
        if toolkit not in toolkits():
            raise _refusal(web.HTTPNotFound, NO_TOOLKIT.format(toolkit))
        account = self.accounts.begin(session.user_id, toolkit)
        return web.json_response({"redirect_url": self.link_of(account)}, status=201)

    async def _list_accounts(self, request: web.Request) -> web.Response:
        """A person's accounts of all apps, whatever else the query asks for."""
        user_id = request.query["user_ids"]
        accounts = [each.as_json() for each in self.accounts.all() if each.user_id == user_id]
        return web.json_response({"items": accounts})

    async def _remove_account(self, request: web.Request) -> web.Response:
        self.accounts.remove(request.match_info["id"])
        return web.json_response({"success": True})

    async def _describe_tool(self, request: web.Request) -> web.Response:
        slug = request.match_info["slug"]
        tool = app_tools().get(slug)
        if tool is None:
            raise _refusal(web.HTTPNotFound, NO_TOOL.format(slug))
        record = {
            "slug": slug,
            "description": tool.about["description"],
            "no_auth": not needs_account(tool.toolkit),
            "input_parameters": tool.schema,
            "toolkit": {"slug": tool.toolkit},
        }
        return web.json_response(record)

    async def _announce(self, request: web.Request) -> web.Response:
        body = as_data(await request.json())
        stored = self.storage.keep(body["filename"], body["mimetype"])
        url = f"{self.base_url}{stored.path}"
        answer = {
            "id": stored.id,
            "key": stored.key,
            "new_presigned_url": url,
        }
        return web.json_response(answer, status=201)

    async def _receive(self, request: web.Request) -> web.Response:
        stored = self._stored(request)
        stored.data = await request.read()
        return web.Response()

    async def _send(self, request: web.Request) -> web.Response:
        stored = self._stored(request)
        # Whatever it holds, a browser does not show it from this origin.
        headers = {
            "content-type": stored.mimetype,
            "content-disposition": "attachment",
            "x-content-type-options": "nosniff",
        }
        return web.Response(body=stored.data, headers=headers)

    def _stored(self, request: web.Request) -> StoredFile:
        stored = self.storage.announced.get(request.match_info["token"])
        if stored is None:
            raise _refusal(web.HTTPForbidden, "This address is not valid")
        return stored

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Lets only requests with the key through."""
        is_open = request.path.startswith(_OPEN_PATHS)
        if not is_open and request.headers.get("x-api-key") != self.api_key:
            raise _refusal(web.HTTPUnauthorized, "Invalid API key")
        return await handler(request)


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
