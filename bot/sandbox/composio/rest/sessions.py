"""Sessions of the tool router: made, changed, deleted, and tools run in them."""

from collections.abc import MutableMapping
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.accounts import Accounts
from bot.sandbox.composio.apps import explain_missing
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.connections import Connections
from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.outcome import Data, Outcome, describe_invalid
from bot.sandbox.composio.rest.accounts import describe_brief
from bot.sandbox.composio.rest.bodies import PREFIX, paginate, read, read_json, read_many, route
from bot.sandbox.composio.rest.results import Results
from bot.sandbox.composio.sessions import SHOWN_AS_ASKED, Session, SessionRequest, open_session
from bot.sandbox.composio.toolbox import Toolbox
from bot.sandbox.composio.tools import Toolkit

BASE = f"{PREFIX}/tool_router/session"


class ExecuteRequest(BaseModel):
    tool_slug: str
    arguments: dict[str, Any] = {}
    input_responses: dict[str, Any] = {}
    request_state: str | None = None


class ExecuteMetaRequest(BaseModel):
    slug: str
    arguments: dict[str, Any] = {}


class LinkRequest(BaseModel):
    toolkit: str
    callback_url: str | None = None
    alias: str | None = None


class SessionRoutes:
    """The handlers below `/api/v3.1/tool_router/session`."""

    def __init__(
        self,
        toolbox: Toolbox,
        catalogue: Catalogue,
        accounts: Accounts,
        connections: Connections,
        results: Results,
        sessions: MutableMapping[str, Session],
    ) -> None:
        self._toolbox = toolbox
        self._catalogue = catalogue
        self._accounts = accounts
        self._connections = connections
        self._results = results
        self._sessions = sessions

    def routes(self) -> list[Route]:
        one = f"{BASE}/{{session_id}}"
        return [
            route("POST", BASE, self._create),
            route("GET", one, self._retrieve),
            route("PATCH", one, self._patch),
            route("DELETE", one, self._delete),
            route("POST", f"{one}/execute", self._execute),
            route("POST", f"{one}/execute_meta", self._execute_meta),
            route("POST", f"{one}/search", self._search),
            route("GET", f"{one}/toolkits", self._list_toolkits),
            route("POST", f"{one}/link", self._link),
        ]

    async def _create(self, request: Request) -> Response:
        session = open_session(await read(request, SessionRequest))
        self._check_slugs(session)
        self._sessions[session.id] = session
        return JSONResponse(self._describe(session, request), 201)

    async def _retrieve(self, request: Request) -> Response:
        return JSONResponse(self._describe(self._find(request), request))

    async def _patch(self, request: Request) -> Response:
        session, body = self._find(request), await read_json(request)
        expected = body.pop("expected_config_version", None)
        if expected not in {None, session.config_version}:
            raise RestError(
                409,
                "ToolRouterV2_SessionConfigConflict",
                f"The session's config has version {session.config_version}, not {expected}",
            )
        try:
            changed = session.patch(body | {"user_id": session.user_id})
        except ValidationError as error:
            raise RestError(
                400, "HTTP_BadRequest", describe_invalid("this request", error)
            ) from error
        self._check_slugs(changed)
        self._sessions[session.id] = changed
        return JSONResponse(self._describe(changed, request))

    async def _delete(self, request: Request) -> Response:
        session = self._find(request)
        del self._sessions[session.id]
        return JSONResponse({"session_id": session.id, "deleted": True})

    async def _execute(self, request: Request) -> Response:
        session, body = self._find(request), await read(request, ExecuteRequest)
        slug = body.tool_slug
        early = self._results.hold_back(slug, body.request_state, body.input_responses)
        if early is not None:
            return early
        return self._results.answer(slug, await self._run(session, slug, body.arguments))

    async def _execute_meta(self, request: Request) -> Response:
        session, body = self._find(request), await read(request, ExecuteMetaRequest)
        outcome = await self._run(session, body.slug, body.arguments)
        return self._results.answer(body.slug, outcome)

    async def _run(self, session: Session, slug: str, arguments: Data) -> Outcome:
        outcome = await self._toolbox.execute(session, slug, arguments)
        if outcome is None:
            raise RestError(404, "Tool_ToolNotFound", self._toolbox.explain_absence(slug))
        return outcome

    async def _search(self, request: Request) -> Response:
        session, body = self._find(request), await read_json(request)
        found = await self._run(session, "COMPOSIO_SEARCH_TOOLS", body)
        if not found.successful:
            raise RestError(400, "HTTP_BadRequest", found.error or "")
        return JSONResponse({"success": True, "error": None, **found.data})

    async def _list_toolkits(self, request: Request) -> Response:
        session = self._find(request)
        wanted = read_many(request, "toolkits")
        items = [
            self._describe_toolkit(session, kit)
            for kit in self._catalogue.list_toolkits(session)
            if not wanted or kit.slug in wanted
        ]
        only = request.query_params.get("is_connected")
        if only is not None:
            connected = only.casefold() == "true"
            items = [item for item in items if bool(item["connected_account"]) is connected]
        return JSONResponse(paginate(items))

    async def _link(self, request: Request) -> Response:
        session, body = self._find(request), await read(request, LinkRequest)
        slug = body.toolkit.casefold()
        kit = self._catalogue.toolkits.get(slug)
        if kit is None or not session.allows(slug):
            raise RestError(404, "Toolkit_ToolkitNotFound", explain_missing(body.toolkit))
        if kit.no_auth:
            raise RestError(400, "ToolRouterV2_NoAuthToolkit", f"{kit.name} needs no account")
        account = self._accounts.begin(
            session.user_id,
            slug,
            callback_url=body.callback_url or self._connections.callback_of(session),
            alias=body.alias,
        )
        answer = {
            "connected_account_id": account.id,
            "link_token": account.link_token,
            "redirect_url": self._connections.link_of(account),
        }
        return JSONResponse(answer, 201)

    def _find(self, request: Request) -> Session:
        session = self._sessions.get(request.path_params["session_id"])
        if session is None:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        return session

    def _check_slugs(self, session: Session) -> None:
        """Refuses a session that names a tool which a toolkit does not have."""
        for toolkit, rule in session.request.tools.items():
            kit = self._catalogue.toolkits.get(toolkit)
            known = {tool.slug for tool in kit.tools} if kit else set[str]()
            wrong = {*(rule.enable or []), *(rule.disable or [])} - known
            if wrong:
                raise RestError(
                    400, "Tool_ToolNotFound", f"Not tools of {toolkit}: {', '.join(sorted(wrong))}"
                )

    def _describe_toolkit(self, session: Session, kit: Toolkit) -> Data:
        active = [] if kit.no_auth else self._accounts.active(session.user_id, kit.slug)
        return {
            "slug": kit.slug,
            "name": kit.name,
            "enabled": True,
            "is_no_auth": kit.no_auth,
            "composio_managed_auth_schemes": [] if kit.no_auth else ["OAUTH2"],
            "meta": {"logo": "", "description": kit.description},
            "connected_account": describe_brief(active[0]) if active else None,
        }

    def _describe(self, session: Session, request: Request) -> Data:
        tools = self._toolbox.list_offered(session)
        asked = session.request.model_dump(include=set(SHOWN_AS_ASKED), exclude_unset=True)
        return {
            "session_id": session.id,
            "config_version": session.config_version,
            "mcp": {"type": "http", "url": f"{request.base_url}v3/mcp/{session.id}"},
            "tool_router_tools": [tool.slug for tool in tools],
            "config": {
                **asked,
                "user_id": session.user_id,
                "toolkits": session.request.toolkits.as_response() or {"disabled": []},
                "tools": {slug: rule.as_response() for slug, rule in session.request.tools.items()},
                "tags": session.request.tags and session.request.tags.as_response(),
                "preload": {"tools": sorted(session.preloaded)},
                "execute": {},
                "search": {},
                "manage_connections": {
                    "enabled": session.has("manage_connections"),
                    "callback_url": self._connections.callback_of(session),
                },
                "workbench": {"enable": session.has("workbench")},
                "instant": False,
            },
            "experimental": None,
        }
