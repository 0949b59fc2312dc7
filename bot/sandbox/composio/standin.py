"""The Composio stand-in: REST, MCP and pages on one loopback origin, and what tests look into."""

import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Self

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.sandbox.composio.accounts import Account
from bot.sandbox.composio.files import RemoteFolder
from bot.sandbox.composio.mcp import McpEndpoint
from bot.sandbox.composio.meta import LINK_PATH, Service
from bot.sandbox.composio.pages import Pages
from bot.sandbox.composio.records import Data, Execution, RestError
from bot.sandbox.composio.rest import MAX_FILE_BYTES, RestRoutes
from bot.sandbox.composio.search import PageSource, SearchEngine

_LOOPBACK = "127.0.0.1"
_OPEN_PATHS = (LINK_PATH, "/s3/", "/mailbox")
"""Asked for by browsers and by whoever holds a presigned address, so without the key."""


class ComposioStandIn:
    """Composio's hosted service on loopback; an asynchronous context manager.

    Args:
        pages: What its search finds: the pages themselves, or a coroutine function that brings them
            (`SmallWeb.ready`), awaited at the first search.
        clock: What time it is.
        name: The name of a user id's person, from which their accounts' addresses are made.
    """

    def __init__(
        self,
        pages: PageSource,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        name: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.api_key = f"ak_sandbox_{secrets.token_hex(8)}"
        self._service = service = Service(SearchEngine(pages, clock), clock, name)
        self.faults = service.faults
        self.sessions = service.sessions
        self.accounts = service.accounts
        self.storage = service.storage
        """The uploaded files, by their s3 keys."""
        self.apps = service.apps
        """What lies in the apps: mails, events, issues."""
        self.calls = service.calls
        """Every tool call that came in."""
        self.executions = service.executions
        """Every app tool that ran, in order."""
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._service.close)
            runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.5)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, _LOOPBACK, 0).start()
            self._service.origin = f"http://{_LOOPBACK}:{runner.addresses[0][1]}"
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    @property
    def base_url(self) -> str:
        """Where it is reached, once it is open."""
        return self._service.origin

    @property
    def effects(self) -> list[Execution]:
        """The executions that changed something in an app, in their order."""
        return [one for one in self.executions if one.is_effect]

    def mails(self, user_id: str, label: str) -> list[Data]:
        """A person's mails of a label (`INBOX`, `SENT`, `DRAFT`), oldest first, as JSON."""
        return self.apps.mails(user_id, label)

    def remote_files(self, user_id: str) -> RemoteFolder:
        """The person's files in the remote sandbox."""
        return self._service.remote.of(user_id)

    def connect(self, user_id: str, toolkit: str, *, identity: str | None = None) -> Account:
        """Give a person an active account, as if they had connected it before."""
        return self.accounts.connect(user_id, toolkit, identity=identity)

    def follow_link(self, link: str, *, allow: bool = True) -> Account:
        """What a person does behind a link, without a browser.

        Raises:
            LookupError: the link does not wait for anybody.
        """
        account = self.accounts.by_link(link.rpartition("/")[2])
        if account is None or account.status != "INITIATED":
            raise LookupError(link)
        return self.accounts.finish(account, allowed=allow)

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=MAX_FILE_BYTES)
        app.add_routes(RestRoutes(self._service).routes())
        app.add_routes(Pages(self._service).routes())
        app.router.add_route("*", "/v3/mcp/{session_id}", McpEndpoint(self._service).handle)
        app.router.add_route("*", "/{path:.*}", _refuse_path)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Lets only requests with the key through, and tells refusals in Composio's envelope."""
        given = request.headers.get("x-api-key", "").encode()
        try:
            if request.path.startswith(_OPEN_PATHS):
                return await handler(request)
            if not secrets.compare_digest(given, self.api_key.encode()):
                return RestError(401, "HTTP_Unauthorized", "Invalid API key").as_response()
            if self.faults.rate_limited > 0:
                self.faults.rate_limited -= 1
                wait = {"Retry-After": str(self.faults.retry_after_s)}
                refusal = RestError(429, "HTTP_TooManyRequests", "Too many", headers=wait)
                return refusal.as_response()
            return await handler(request)
        except RestError as error:
            return error.as_response()


async def _refuse_path(request: web.Request) -> web.Response:
    asked = f"{request.method} {request.path}"
    raise RestError(404, "HTTP_NotFound", f"{asked} is not part of this sandbox")
