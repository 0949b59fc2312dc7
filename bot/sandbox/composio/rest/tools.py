"""Tools over REST without a session: their records, and running one as a user id."""

from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.errors import RestError, refuse_account
from bot.sandbox.composio.rest.bodies import PREFIX, read, route
from bot.sandbox.composio.rest.results import Results
from bot.sandbox.composio.runner import Runner
from bot.sandbox.composio.sessions import stand_in_for
from bot.sandbox.composio.tools import Tool


class ExecuteRequest(BaseModel):
    user_id: str | None = None
    connected_account_id: str | None = None
    arguments: dict[str, Any] = {}
    version: str | None = None


class ToolRoutes:
    """The handlers below `/api/v3.1/tools`."""

    def __init__(self, catalogue: Catalogue, runner: Runner, results: Results) -> None:
        self._catalogue = catalogue
        self._runner = runner
        self._results = results

    def routes(self) -> list[Route]:
        return [
            route("GET", f"{PREFIX}/tools/{{slug}}", self._retrieve),
            route("POST", f"{PREFIX}/tools/execute/{{slug}}", self._execute),
        ]

    async def _retrieve(self, request: Request) -> Response:
        tool = self._find(request)
        return JSONResponse(self._catalogue.toolkit_of(tool).as_record(tool))

    async def _execute(self, request: Request) -> Response:
        tool, body = self._find(request), await read(request, ExecuteRequest)
        if not body.user_id:
            raise RestError(400, "ActionExecute_MissingUserId", "user_id is required")
        outcome = await self._runner.run(
            stand_in_for(body.user_id), tool.slug, body.arguments, body.connected_account_id
        )
        if outcome.cause == "no_account":
            raise refuse_account(body.user_id, tool.toolkit)
        return self._results.answer_direct(outcome)

    def _find(self, request: Request) -> Tool:
        slug = request.path_params["slug"]
        tool = self._catalogue.get(slug)
        if tool is None:
            reason = self._catalogue.explain_absence(slug)
            raise RestError(404, "Tool_ToolNotFound", reason)
        return tool
