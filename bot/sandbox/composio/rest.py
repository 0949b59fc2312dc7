"""The REST side: sessions, and running tools in them, as the Composio SDK asks for them."""

import json
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.outcome import Data, Outcome, describe_invalid
from bot.sandbox.composio.sessions import Session, SessionRequest, open_session
from bot.sandbox.composio.toolbox import Toolbox

PREFIX = "/api/v3.1"
Model = TypeVar("Model", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


class ExecuteRequest(BaseModel):
    tool_slug: str
    arguments: dict[str, Any] = {}


class ExecuteMetaRequest(BaseModel):
    slug: str
    arguments: dict[str, Any] = {}


class Rest:
    """The REST handlers over a toolbox and the sessions that they open."""

    def __init__(self, toolbox: Toolbox, sessions: dict[str, Session]) -> None:
        self._toolbox = toolbox
        self._sessions = sessions

    def routes(self) -> list[Route]:
        """All routes below `/api/v3.1`; whatever else is asked for is not found."""
        session = f"{PREFIX}/tool_router/session"
        one = f"{session}/{{session_id}}"
        return [
            _route("POST", session, self._create),
            _route("GET", one, self._retrieve),
            _route("DELETE", one, self._delete),
            _route("POST", f"{one}/execute", self._execute),
            _route("POST", f"{one}/execute_meta", self._execute_meta),
            _route("POST", f"{one}/search", self._search),
            _route("GET", f"{one}/toolkits", self._list_toolkits),
            _route("POST", f"{one}/link", self._link),
            _route("GET", f"{PREFIX}/connected_accounts", self._list_accounts),
        ]

    async def _create(self, request: Request) -> Response:
        session = open_session(await _read(request, SessionRequest))
        self._sessions[session.id] = session
        return JSONResponse(self._describe(session, request), 201)

    async def _retrieve(self, request: Request) -> Response:
        return JSONResponse(self._describe(self._find(request), request))

    async def _delete(self, request: Request) -> Response:
        session = self._find(request)
        del self._sessions[session.id]
        return JSONResponse({"session_id": session.id, "deleted": True})

    async def _execute(self, request: Request) -> Response:
        session, body = self._find(request), await _read(request, ExecuteRequest)
        return await self._run(session, body.tool_slug, body.arguments)

    async def _execute_meta(self, request: Request) -> Response:
        session, body = self._find(request), await _read(request, ExecuteMetaRequest)
        return await self._run(session, body.slug, body.arguments)

    async def _run(self, session: Session, slug: str, arguments: Data) -> Response:
        outcome = await self._toolbox.execute(session, slug, arguments)
        if outcome is None:
            raise RestError(404, "Tool_ToolNotFound", self._toolbox.explain_absence(slug))
        return JSONResponse(
            {
                "data": outcome.data,
                "error": outcome.error,
                "log_id": f"log_{secrets.token_hex(6)}",
                "result_type": "completed" if outcome.successful else "failed",
            }
        )

    async def _search(self, request: Request) -> Response:
        session, body = self._find(request), await _read_json(request)
        found = await self._toolbox.execute(session, "COMPOSIO_SEARCH_TOOLS", body)
        outcome = found or Outcome(error="this session has no search")
        if not outcome.successful:
            raise RestError(400, "HTTP_BadRequest", outcome.error or "")
        return JSONResponse({"success": True, "error": None, **outcome.data})

    async def _list_toolkits(self, request: Request) -> Response:
        session = self._find(request)
        items = [_SEARCH_TOOLKIT] if session.allows("composio_search") else []
        return JSONResponse(_paginate(items))

    async def _link(self, request: Request) -> Response:
        self._find(request)
        toolkit = str((await _read_json(request)).get("toolkit", ""))
        raise RestError(
            404,
            "Toolkit_ToolkitNotFound",
            f"Toolkit {toolkit!r} is not part of this sandbox, so it cannot be connected.",
        )

    async def _list_accounts(self, _: Request) -> Response:
        return JSONResponse(_paginate([]))

    def _find(self, request: Request) -> Session:
        session = self._sessions.get(request.path_params["session_id"])
        if session is None:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        return session

    def _describe(self, session: Session, request: Request) -> Data:
        tools = self._toolbox.list_tools(session)
        return {
            "session_id": session.id,
            "config_version": 1,
            "mcp": {"type": "http", "url": f"{request.base_url}v3/mcp/{session.id}"},
            "tool_router_tools": [tool.slug for tool in tools],
            "config": {
                "user_id": session.user_id,
                "toolkits": session.request.toolkits.as_response() or {"disabled": []},
                "preload": {"tools": []},
                "execute": {},
                "search": {},
                "manage_connections": {"enabled": False},
                "instant": False,
            },
            "experimental": None,
        }


_SEARCH_TOOLKIT: Data = {
    "slug": "composio_search",
    "name": "Composio Search",
    "enabled": True,
    "is_no_auth": True,
    "composio_managed_auth_schemes": [],
    "meta": {"logo": "", "description": "Web and news search. Needs no account."},
    "connected_account": None,
}


def _route(method: str, path: str, handler: Handler) -> Route:
    return Route(path, handler, methods=[method])


def _paginate(items: list[Data]) -> Data:
    return {
        "items": items,
        "total_pages": 1,
        "total_items": len(items),
        "current_page": 1,
        "next_cursor": None,
    }


async def _read(request: Request, model: type[Model]) -> Model:
    body = await _read_json(request)
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise RestError(400, "HTTP_BadRequest", describe_invalid("this request", error)) from error


async def _read_json(request: Request) -> Data:
    try:
        body: object = json.loads(await request.body() or b"{}")
    except ValueError as error:
        raise RestError(400, "HTTP_BadRequest", "The body is not valid JSON") from error
    if not isinstance(body, dict):
        raise RestError(400, "HTTP_BadRequest", "The body must be a JSON object")
    return cast(Data, body)
