"""Serves an ASGI app inside the running event loop, behind an API key."""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncGenerator, Generator

import uvicorn
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.sandbox.composio.errors import refuse_key, refuse_rate
from bot.sandbox.composio.faults import Faults

LOOPBACK = "127.0.0.1"
OPEN_PATHS = ("/link/", "/s3/", "/mailbox")
"""Asked for by browsers and by whoever holds a presigned address, so without the key."""


class KeyGate:
    """Lets only requests with the right `x-api-key` through, and not more than the faults allow."""

    def __init__(self, app: ASGIApp, api_key: str, faults: Faults) -> None:
        self._app = app
        self._api_key = api_key.encode()
        self._faults = faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(OPEN_PATHS):
            await self._app(scope, receive, send)
        elif not self._has_key(scope):
            await refuse_key().as_response()(scope, receive, send)
        elif self._faults.rate_limited > 0:
            self._faults.rate_limited -= 1
            await refuse_rate(self._faults.retry_after_s)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _has_key(self, scope: Scope) -> bool:
        given = Request(scope).headers.get("x-api-key", "")
        return secrets.compare_digest(given.encode(), self._api_key)


class QuietServer(uvicorn.Server):
    """A server that lives inside someone else's process: it leaves the signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@contextlib.asynccontextmanager
async def serve(app: ASGIApp) -> AsyncGenerator[int]:
    """Serves an ASGI app on a free loopback port, which it yields, until the block ends."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        config = uvicorn.Config(
            app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=1
        )
        server = QuietServer(config)
        running = asyncio.create_task(server.serve([listener]))
        listening = asyncio.create_task(server.listening.wait())
        try:
            await asyncio.wait([running, listening], return_when=asyncio.FIRST_COMPLETED)
            yield int(listener.getsockname()[1])
        finally:
            listening.cancel()
            server.should_exit = True
            await running
