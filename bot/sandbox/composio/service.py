"""Puts the stand-in's parts together: apps, accounts, tools, and the routes that lead to them."""

import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.sandbox.composio.accounts import Accounts
from bot.sandbox.composio.batches import Batches
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.connections import Connections
from bot.sandbox.composio.discovery import Discovery
from bot.sandbox.composio.endpoint import McpEndpoint
from bot.sandbox.composio.engine import SearchEngine
from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.meta_tools import MetaParts
from bot.sandbox.composio.pages.links import LinkPages
from bot.sandbox.composio.pages.mailbox import MailboxPage
from bot.sandbox.composio.rest.accounts import AccountRoutes
from bot.sandbox.composio.rest.files import FileRoutes
from bot.sandbox.composio.rest.results import Results
from bot.sandbox.composio.rest.sessions import SessionRoutes
from bot.sandbox.composio.rest.tools import ToolRoutes
from bot.sandbox.composio.runner import Runner
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.storage import Storage
from bot.sandbox.composio.toolbox import Toolbox
from bot.sandbox.composio.toolkits.codeinterpreter import CodeInterpreter, build_codeinterpreter
from bot.sandbox.composio.toolkits.composio_search import build_search_toolkit
from bot.sandbox.composio.toolkits.desks import Desks
from bot.sandbox.composio.workbench import RemoteFiles, Workbench

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the service gets from whoever runs it."""

    engine: SearchEngine
    clock: Callable[[], datetime]
    faults: Faults
    origin: Callable[[], str]
    """Where the service is reached; known once it listens."""
    downloads: Callable[[], Path]
    name: Callable[[str], str | None]


class Service:
    """The parts that last as long as the stand-in, and the app over them."""

    def __init__(self, around: Surroundings) -> None:
        clock, faults = around.clock, around.faults
        self.sessions: dict[str, Session] = {}
        self.accounts = Accounts(clock, around.name)
        self.desks = Desks(clock)
        self.storage = Storage()
        self.files = RemoteFiles()
        interpreter = CodeInterpreter(self.files, faults, around.downloads, clock)
        self.catalogue = Catalogue(
            (
                build_search_toolkit(around.engine, faults),
                *self.desks.build_toolkits(self.storage, around.origin),
                build_codeinterpreter(interpreter),
            )
        )
        self.runner = Runner(self.catalogue, self.accounts, faults, clock)
        self.connections = Connections(self.catalogue, self.accounts, faults, around.origin)
        parts = MetaParts(
            discovery=Discovery(self.catalogue, self.accounts, clock),
            batches=Batches(self.runner, self.files, faults, clock),
            connections=self.connections,
            workbench=Workbench(self.files, self.storage, self.runner.run, around.origin, clock),
        )
        self.toolbox = Toolbox(self.catalogue, self.runner, parts)
        self._results = Results(faults)
        self._around = around

    def build_app(self) -> Starlette:
        """REST, MCP and the pages on one origin."""
        endpoint = McpEndpoint(self.toolbox, self.sessions)

        @contextlib.asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncGenerator[None]:
            async with endpoint.run():
                yield

        routes = [
            *self._list_routes(),
            Route("/v3/mcp/{session_id}", endpoint),
            Route("/{path:path}", _refuse_path, methods=METHODS),
        ]
        return Starlette(
            routes=routes, lifespan=lifespan, exception_handlers={RestError: _answer_error}
        )

    def _list_routes(self) -> list[Route]:
        clock, faults = self._around.clock, self._around.faults
        sessions = SessionRoutes(
            self.toolbox,
            self.catalogue,
            self.accounts,
            self.connections,
            self._results,
            self.sessions,
        )
        return [
            *sessions.routes(),
            *AccountRoutes(self.accounts, faults).routes(),
            *ToolRoutes(self.catalogue, self.runner, self._results).routes(),
            *FileRoutes(self.storage, self.files, self.sessions, clock).routes(),
            *LinkPages(self.accounts, self.catalogue).routes(),
            *MailboxPage(self.desks, self.accounts).routes(),
        ]


async def _refuse_path(request: Request) -> Response:
    asked = f"{request.method} {request.url.path}"
    raise RestError(404, "HTTP_NotFound", f"{asked} is not part of this sandbox")


async def _answer_error(_: Request, error: Exception) -> Response:
    if not isinstance(error, RestError):
        raise error
    return error.as_response()
