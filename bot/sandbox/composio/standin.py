"""The Composio stand-in: REST and MCP on one loopback origin, over a set of pages to search."""

import contextlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from bot.sandbox.composio.endpoint import McpEndpoint
from bot.sandbox.composio.engine import SearchEngine, WebShape
from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.rest import Rest
from bot.sandbox.composio.serving import LOOPBACK, KeyGate, serve
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.toolbox import Toolbox
from bot.sandbox.web import Page

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PageSource = Iterable[Page] | Callable[[], Awaitable[Sequence[Page]]]


class ComposioStandIn:
    """Composio's hosted service on loopback; an asynchronous context manager.

    `pages` are what its search finds: the pages themselves, or a coroutine function that
    brings them (`SmallWeb.ready`), awaited at the first search. `calls` records every tool call.
    """

    def __init__(
        self,
        pages: PageSource,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        web_shape: WebShape = "citations",
        api_key: str | None = None,
    ) -> None:
        self.api_key = api_key or f"ak_sandbox_{secrets.token_hex(8)}"
        self.base_url = ""
        self.sessions: dict[str, Session] = {}
        self._engine = SearchEngine(_make_loader(pages), clock, web_shape)
        self._toolbox = Toolbox(self._engine, clock)
        self.calls = self._toolbox.calls
        self._open = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._engine.close)
            port = await stack.enter_async_context(serve(KeyGate(self._build_app(), self.api_key)))
            self.base_url = f"http://{LOOPBACK}:{port}"
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    def _build_app(self) -> ASGIApp:
        endpoint = McpEndpoint(self._toolbox, self.sessions)

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            async with endpoint.run():
                yield

        routes = [
            *Rest(self._toolbox, self.sessions).routes(),
            Route("/v3/mcp/{session_id}", endpoint),
            Route("/{path:path}", _refuse_path, methods=METHODS),
        ]
        return Starlette(
            routes=routes, lifespan=lifespan, exception_handlers={RestError: _answer_error}
        )


async def _refuse_path(request: Request) -> Response:
    asked = f"{request.method} {request.url.path}"
    raise RestError(404, "HTTP_NotFound", f"{asked} is not part of this sandbox")


async def _answer_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, RestError):
        raise error
    return error.as_response()


def _make_loader(pages: PageSource) -> Callable[[], Awaitable[Sequence[Page]]]:
    if callable(pages):
        return pages
    known = tuple(pages)

    async def load() -> Sequence[Page]:
        return known

    return load
