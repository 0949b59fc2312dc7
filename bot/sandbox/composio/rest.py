"""The REST routes that the product calls: sessions, tools in them, accounts, records, uploads."""

import hashlib
import json
from typing import cast

from aiohttp import web

from bot.sandbox.composio.catalogue import read_tools
from bot.sandbox.composio.files import StoredFile
from bot.sandbox.composio.meta import Service
from bot.sandbox.composio.records import Data, RestError, Session, as_data, make_id

_PREFIX = "/api/v3.1"
_SESSION = f"{_PREFIX}/tool_router/session"
_OPTIONS = {"user_id", "manage_connections", "workbench", "proxy_execute"}
"""What a session may be made with; here all are alike, with code that runs no tools."""
MAX_BYTES = 6_000_000
"""What the transport carries in one request or response."""
MAX_FILE_BYTES = 100_000_000


class RestRoutes:
    """The handlers below `/api`, and those behind presigned addresses."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._checksums: dict[str, str] = {}
        """What files must have that were announced, by the tokens of their addresses."""

    def routes(self) -> list[web.RouteDef]:
        """All of them."""
        one = f"{_SESSION}/{{session_id}}"
        return [
            web.post(_SESSION, self._create),
            web.post(f"{one}/execute", self._execute),
            web.post(f"{one}/execute_meta", self._execute),
            web.post(f"{one}/link", self._link),
            web.get(f"{_PREFIX}/connected_accounts", self._list_accounts),
            web.get(f"{_PREFIX}/tools/{{slug}}", self._describe_tool),
            web.post(f"{_PREFIX}/files/upload/request", self._announce),
            web.put("/s3/{token}/{filename}", self._receive),
            web.get("/s3/{token}/{filename}", self._send),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        body = await _body(request)
        for name in body.keys() - _OPTIONS:
            raise RestError(400, "HTTP_BadRequest", f"{name}: is not part of this sandbox")
        user_id = body.get("user_id")
        if not isinstance(user_id, str) or not user_id:
            raise RestError(400, "HTTP_BadRequest", "user_id: a non-empty string is required")
        session = Session(id=make_id("trs"), user_id=user_id)
        self._service.sessions[session.id] = session
        answer = {
            "session_id": session.id,
            "config_version": 1,
            "mcp": {"type": "http", "url": f"{self._service.origin}/v3/mcp/{session.id}"},
            "tool_router_tools": list(self._service.catalogue.offered),
            "config": {"user_id": session.user_id},
            "experimental": None,
        }
        return web.json_response(answer, status=201)

    async def _execute(self, request: web.Request) -> web.Response:
        session, body = self._find(request), await _body(request)
        slug = str(body.get("tool_slug") or body.get("slug"))
        outcome = await self._service.execute(session, slug, as_data(body.get("arguments")))
        if outcome is None:
            raise RestError(404, "Tool_ToolNotFound", self._service.catalogue.explain_absence(slug))
        kind = "completed" if outcome.successful else "failed"
        told = {"data": outcome.data, "error": outcome.error, "log_id": make_id("log")}
        return _answer({**told, "result_type": kind})

    async def _link(self, request: web.Request) -> web.Response:
        session, body = self._find(request), await _body(request)
        toolkit = str(body.get("toolkit")).casefold()
        catalogue = self._service.catalogue
        if toolkit not in catalogue.toolkits:
            missing = catalogue.explain_missing(toolkit)
            raise RestError(404, "Toolkit_ToolkitNotFound", missing)
        if not catalogue.needs_account(toolkit):
            raise RestError(400, "ToolRouterV2_NoAuthToolkit", f"{toolkit} needs no account")
        account = self._service.accounts.begin(session.user_id, toolkit)
        answer = {
            "connected_account_id": account.id,
            "link_token": account.link_token,
            "redirect_url": self._service.link_of(account),
        }
        return web.json_response(answer, status=201)

    async def _list_accounts(self, request: web.Request) -> web.Response:
        wanted = [_query(request, each) for each in ("user_ids", "toolkit_slugs", "statuses")]
        items = [
            account.as_json()
            for account in self._service.accounts.all()
            if all(
                value in allowed or not allowed
                for value, allowed in zip(
                    (account.user_id, account.toolkit, account.status), wanted, strict=True
                )
            )
        ]
        return web.json_response({"items": items, "total_items": len(items), "next_cursor": None})

    async def _describe_tool(self, request: web.Request) -> web.Response:
        slug, catalogue = request.match_info["slug"], self._service.catalogue
        tool = catalogue.tools.get(slug)
        if tool is None:
            raise RestError(404, "Tool_ToolNotFound", catalogue.explain_absence(slug))
        record = read_tools()["tool_record"] | {
            "slug": slug,
            "name": tool.about["title"],
            "description": tool.about["description"],
            "human_description": tool.about["title"],
            "tags": tool.about["tags"],
            "no_auth": not catalogue.needs_account(tool.toolkit),
            "input_parameters": tool.schema,
            "toolkit": {"slug": tool.toolkit, "name": catalogue.toolkits[tool.toolkit]["name"]},
        }
        return web.json_response(record)

    async def _announce(self, request: web.Request) -> web.Response:
        body = await _body(request)
        place = f"{body['toolkit_slug']}/{body['tool_slug']}"
        stored = self._service.storage.keep(body["filename"], body["mimetype"], place=place)
        self._checksums[stored.token] = body["md5"].lower()
        url = f"{self._service.origin}{stored.path}"
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
        stored, data = self._stored(request), await request.read()
        if self._checksums[stored.token] != hashlib.md5(data, usedforsecurity=False).hexdigest():
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

    def _find(self, request: web.Request) -> Session:
        session = self._service.sessions.get(request.match_info["session_id"])
        if session is None:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        return session


async def _body(request: web.Request) -> Data:
    """The JSON object of a request. Raises RestError."""
    raw = await request.read()
    if len(raw) > MAX_BYTES:
        raise RestError(413, "HTTP_PayloadTooLarge", "The request is larger than 6 MB")
    try:
        body: object = json.loads(raw)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise RestError(400, "HTTP_BadRequest", "The body must be a JSON object")
    return as_data(cast("object", body))


def _answer(body: Data) -> web.Response:
    """What a call came to. Raises RestError: it is more than the transport carries."""
    text = json.dumps(body, ensure_ascii=False)
    if len(text.encode()) > MAX_BYTES:
        raise RestError(413, "HTTP_PayloadTooLarge", "The response is larger than 6 MB")
    return web.json_response(text=text)


def _query(request: web.Request, name: str) -> list[str]:
    """A query parameter that may be repeated or hold several values with commas between."""
    given = [*request.query.getall(name, []), *request.query.getall(f"{name}[]", [])]
    return [part for value in given for part in value.split(",") if part]
