"""The REST routes that the product calls: sessions, tools in them, accounts, records, uploads."""

import hashlib
import json

from aiohttp import web

from bot.sandbox.composio.catalogue import (
    NO_TOOL,
    NO_TOOLKIT,
    app_tools,
    meta_tools,
    needs_account,
    read_tools,
    toolkits,
)
from bot.sandbox.composio.files import StoredFile
from bot.sandbox.composio.meta import Service
from bot.sandbox.composio.records import Data, RestError, RouterSession, as_data, make_id

_PREFIX = "/api/v3.1"
_SESSION = f"{_PREFIX}/tool_router/session"
_DIRECT_CHARS = 20_000
"""Where a session does not say how long results may be that come directly."""
MAX_BYTES = 6_000_000
"""The transport's limit for one answer."""
MAX_FILE_BYTES = 100_000_000


class RestRoutes:
    """The handlers below `/api`, and those behind presigned addresses."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._checksums: dict[str, str] = {}
        """The announced MD5 of each file, by the token of its address."""

    def routes(self) -> list[web.RouteDef]:
        one = f"{_SESSION}/{{session_id}}"
        return [
            web.post(_SESSION, self._create),
            web.post(f"{one}/execute", self._execute),
            web.post(f"{one}/execute_meta", self._execute),
            web.post(f"{one}/link", self._link),
            web.get(f"{_PREFIX}/connected_accounts", self._list_accounts),
            web.delete(f"{_PREFIX}/connected_accounts/{{id}}", self._remove_account),
            web.get(f"{_PREFIX}/tools/{{slug}}", self._describe_tool),
            web.post(f"{_PREFIX}/files/upload/request", self._announce),
            web.put("/s3/{token}/{filename}", self._receive),
            web.get("/s3/{token}/{filename}", self._send),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        body = await _body(request)
        user_id = body["user_id"]
        session_id = make_id("trs")
        workbench = as_data(body.get("workbench"))
        preloaded: list[str] = []
        if self._service.preload == "granted":
            preloaded = as_data(body.get("preload")).get("tools", [])
        tools = list(preloaded)
        for slug, tool in meta_tools().items():
            option = as_data(body.get(tool.about.get("of", "")))
            if option.get("enable", True):
                tools.append(slug)
        session = RouterSession(
            user_id=user_id,
            tools=tools,
            direct_chars=workbench.get("auto_offload_threshold", _DIRECT_CHARS),
        )
        self._service.sessions[session_id] = session
        answer = {
            "session_id": session_id,
            "config_version": 1,
            "mcp": {"type": "http", "url": f"{self._service.base_url}/v3/mcp/{session_id}"},
            "tool_router_tools": tools,
            "config": {"user_id": user_id, "preload": {"tools": preloaded}},
            "experimental": None,
        }
        return web.json_response(answer, status=201)

    async def _execute(self, request: web.Request) -> web.Response:
        """A tool of an app by `tool_slug`, or a meta tool by `slug`."""
        session = self._service.session_of(request)
        body = await _body(request)
        slug = str(body.get("tool_slug", body.get("slug")))
        tools = app_tools() if "tool_slug" in body else meta_tools()
        if slug not in tools:
            raise RestError(404, "Tool_ToolNotFound", NO_TOOL.format(slug))
        if slug in meta_tools() and slug not in session.tools:
            raise RestError(400, "HTTP_BadRequest", f"{slug} is disabled in this session")
        outcome = await self._service.execute(session, slug, as_data(body.get("arguments")))
        answer = {
            "data": outcome.data,
            "error": outcome.error,
            "log_id": make_id("log"),
            "result_type": "failed" if outcome.error else "completed",
        }
        return bounded(answer)

    async def _link(self, request: web.Request) -> web.Response:
        session = self._service.session_of(request)
        body = await _body(request)
        toolkit = str(body.get("toolkit")).casefold()
        if toolkit not in toolkits():
            raise RestError(404, "Toolkit_ToolkitNotFound", NO_TOOLKIT.format(toolkit))
        if not needs_account(toolkit):
            raise RestError(400, "ToolRouterV2_NoAuthToolkit", f"{toolkit} needs no account")
        account = self._service.accounts.begin(session.user_id, toolkit)
        answer = {
            "connected_account_id": account.id,
            "link_token": account.link_token,
            "redirect_url": self._service.link_of(account),
        }
        return web.json_response(answer, status=201)

    async def _list_accounts(self, request: web.Request) -> web.Response:
        query = request.query
        items: list[Data] = []
        for account in self._service.accounts.all():
            is_wanted = (
                account.user_id in query.getall("user_ids", [account.user_id])
                and account.toolkit in query.getall("toolkit_slugs", [account.toolkit])
                and account.status in query.getall("statuses", [account.status])
            )
            if is_wanted:
                items.append(account.as_json())
        return web.json_response({"items": items, "total_items": len(items), "next_cursor": None})

    async def _remove_account(self, request: web.Request) -> web.Response:
        if not self._service.accounts.remove(request.match_info["id"]):
            raise RestError(404, "ConnectedAccount_ResourceNotFound", "Connected account not found")
        return web.json_response({"success": True})

    async def _describe_tool(self, request: web.Request) -> web.Response:
        slug = request.match_info["slug"]
        tool = app_tools().get(slug)
        if tool is None:
            raise RestError(404, "Tool_ToolNotFound", NO_TOOL.format(slug))
        record = read_tools()["tool_record"] | {
            "slug": slug,
            "name": tool.about["title"],
            "description": tool.about["description"],
            "human_description": tool.about["title"],
            "tags": tool.about["tags"],
            "no_auth": not needs_account(tool.toolkit),
            "input_parameters": tool.schema,
            "toolkit": {"slug": tool.toolkit, "name": toolkits()[tool.toolkit]["name"]},
        }
        return web.json_response(record)

    async def _announce(self, request: web.Request) -> web.Response:
        body = await _body(request)
        folder = f"{body['toolkit_slug']}/{body['tool_slug']}"
        stored = self._service.storage.keep(body["filename"], body["mimetype"], folder=folder)
        self._checksums[stored.token] = body["md5"].lower()
        url = f"{self._service.base_url}{stored.path}"
        answer = {
            "id": stored.id,
            "key": stored.key,
            "type": "new",
            "new_presigned_url": url,
            "newPresignedUrl": url,
            "metadata": {"storage_backend": "s3"},
        }
        return web.json_response(answer, status=201)

    async def _receive(self, request: web.Request) -> web.Response:
        stored = self._stored(request)
        data = await request.read()
        digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
        if digest != self._checksums[stored.token]:
            raise RestError(400, "S3_BadDigest", "The content does not have the announced md5")
        stored.data = data
        return web.Response()

    async def _send(self, request: web.Request) -> web.Response:
        stored = self._stored(request)
        if stored.data is None:
            raise RestError(403, "S3_AccessDenied", "This address is not valid")
        # Whatever it holds, a browser does not show it from this origin.
        headers = {
            "content-type": stored.mimetype,
            "content-disposition": "attachment",
            "x-content-type-options": "nosniff",
        }
        return web.Response(body=stored.data, headers=headers)

    def _stored(self, request: web.Request) -> StoredFile:
        stored = self._service.storage.announced.get(request.match_info["token"])
        if stored is None:
            raise RestError(403, "S3_AccessDenied", "This address is not valid")
        return stored


def bounded(answer: Data) -> web.Response:
    """An answer as the transport carries it. Raises RestError: it is too large for that."""
    text = json.dumps(answer)
    if len(text) > MAX_BYTES:
        raise RestError(413, "HTTP_PayloadTooLarge", "The response is larger than 6 MB")
    return web.json_response(text=text)


async def _body(request: web.Request) -> Data:
    return as_data(await request.json())
