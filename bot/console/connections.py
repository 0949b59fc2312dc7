"""The connections of the console's port: those without a cookie have a deadline and a bound.

Each connection holds one of the process's file descriptors, which the bot needs for its database,
its tools and Slack. Whoever reaches the port may open many and say nothing, so a stranger's
connection is closed when its first request is late, and the oldest give way to new ones. A
connection is no stranger's any more once a request on it was authorised.
"""

import asyncio
import resource
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

from aiohttp import web
from aiohttp.typedefs import Handler

from agent_core.background import Background
from bot.slack_api import MonotonicClock

FIRST_REQUEST_S = 10.0
"""A connection whose first request is not whole by then is closed."""
STRANGER_S = 60.0
"""A connection without a cookie is closed after this, whatever it asks for."""
KEPT_S = 20.0
"""An idle connection is closed after this."""
LOOK_EVERY_S = 1.0
MAX_STRANGERS = 256
"""Of all addresses together, and no more than a quarter of the file descriptors."""
ADDRESS_SHARE = 2
"""One address may have this part of the strangers' connections: a proxy is one address, too."""


class _Connection(asyncio.Protocol):
    """Passes all that happens on a connection on to the HTTP server, if it may stay."""

    def __init__(self, server: asyncio.Protocol, owner: "Connections") -> None:
        self.address = ""
        self.opened_s = owner.clock.seconds()
        self.has_asked = False
        self.transport: asyncio.Transport | None = None
        self._server = server
        self._owner = owner
        self._is_served = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        self._is_served = self._owner.admit(self)
        if self._is_served:
            self._server.connection_made(transport)
        else:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.forget(self)
        if self._is_served:
            self._server.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_served:
            self._server.data_received(data)

    def eof_received(self) -> bool | None:
        return self._server.eof_received() if self._is_served else None

    def pause_writing(self) -> None:
        self._server.pause_writing()

    def resume_writing(self) -> None:
        self._server.resume_writing()


class Connections:
    """All open connections of a port, and which of them are strangers'."""

    def __init__(self, clock: MonotonicClock, max_files: int = 0) -> None:
        soft_limit = max_files or resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.clock = clock
        self.max_open = soft_limit // 2
        self.max_strangers = max(ADDRESS_SHARE, min(MAX_STRANGERS, soft_limit // 4))
        self.max_of_address = self.max_strangers // ADDRESS_SHARE
        self._open: dict[asyncio.BaseTransport, _Connection] = {}
        self._strangers: dict[_Connection, None] = {}
        """In the order in which they came."""

    def factory(self, server: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """A factory of protocols around the server's own."""
        return lambda: _Connection(server(), self)

    @web.middleware
    async def note_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The middleware that notes that a connection's first request was whole."""
        connection = self._open.get(request.transport) if request.transport else None
        if connection is not None:
            connection.has_asked = True
        return await handler(request)

    def note_cookie(self, request: web.Request) -> None:
        """The request was authorised: its connection is no stranger's."""
        connection = self._open.get(request.transport) if request.transport else None
        if connection is not None:
            self._no_stranger(connection)

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Meanwhile connections whose time is over are closed."""
        work = Background()
        pause = partial(self.clock.sleep, LOOK_EVERY_S)
        work.repeat(self._close_late, pause=pause, name="a look at connections")
        try:
            yield
        finally:
            await work.close()

    async def _close_late(self) -> None:
        """Close the strangers' connections whose time is over."""
        now_s = self.clock.seconds()
        for connection in list(self._strangers):
            allowed_s = STRANGER_S if connection.has_asked else FIRST_REQUEST_S
            if now_s - connection.opened_s > allowed_s:
                self._drop(connection)

    def admit(self, connection: _Connection) -> bool:
        """Count a new connection; whether it may stay. The oldest strangers give way to it."""
        of_address = [each for each in self._strangers if each.address == connection.address]
        if len(of_address) >= self.max_of_address:
            self._drop(of_address[0])
        elif len(self._strangers) >= self.max_strangers:
            self._drop(next(iter(self._strangers)))
        if connection.transport is None or len(self._open) >= self.max_open:
            return False
        self._open[connection.transport] = connection
        self._strangers[connection] = None
        return True

    def forget(self, connection: _Connection) -> None:
        self._no_stranger(connection)
        if connection.transport is not None:
            self._open.pop(connection.transport, None)

    def _drop(self, connection: _Connection) -> None:
        self.forget(connection)
        if connection.transport is not None:
            connection.transport.abort()

    def _no_stranger(self, connection: _Connection) -> None:
        self._strangers.pop(connection, None)
