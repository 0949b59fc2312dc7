"""The connections of the console's port: those without a cookie have a deadline and a bound.

Each connection holds one of the process's file descriptors, which the bot needs for its database,
its tools and Slack. Whoever reaches the port may open many and say nothing, so a stranger's
connection is closed when its first request is late, and the oldest give way to new ones. A
connection is no stranger's any more once a request on it was authorised.
"""

import asyncio
import resource
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, cast

from aiohttp import hdrs, web
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


class Connection(web.RequestHandler):
    """One connection: it is served if it may stay."""

    def __init__(self, server: web.Server, owner: "Connections") -> None:
        no_log: dict[str, Any] = {"access_log": None}
        loop = asyncio.get_running_loop()
        super().__init__(server, loop=loop, keepalive_timeout=KEPT_S, **no_log)
        self.address = ""
        self.opened_s = owner.clock.seconds()
        self.has_asked = False
        self._owner = owner

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        if self._owner.admit(self):
            super().connection_made(transport)
        else:
            cast("asyncio.Transport", transport).abort()

    def connection_lost(self, exc: BaseException | None) -> None:
        self._owner.forget(self)
        super().connection_lost(exc)

    def handle_error(self, *about: Any, **more: Any) -> web.StreamResponse:
        """Answer what no application sees, such as a broken request, and name no software."""
        response = super().handle_error(*about, **more)
        response.headers[hdrs.SERVER] = ""
        return response


class Connections:
    """All open connections of a port, and which of them are strangers'."""

    def __init__(self, clock: MonotonicClock) -> None:
        soft_limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.clock = clock
        self.max_open = soft_limit // 2
        self.max_strangers = max(ADDRESS_SHARE, min(MAX_STRANGERS, soft_limit // 4))
        self.max_of_address = self.max_strangers // ADDRESS_SHARE
        self._open: set[Connection] = set()
        self._strangers: dict[Connection, None] = {}
        """In the order in which they came."""

    @web.middleware
    async def note_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The middleware that notes that a connection's first request was whole."""
        if isinstance(request.protocol, Connection):
            request.protocol.has_asked = True
        return await handler(request)

    def note_cookie(self, request: web.Request) -> None:
        """The request was authorised: its connection is no stranger's."""
        self._strangers.pop(cast("Connection", request.protocol), None)

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

    def admit(self, connection: Connection) -> bool:
        """Count a new connection; whether it may stay. The oldest strangers give way to it."""
        of_address = [each for each in self._strangers if each.address == connection.address]
        if len(of_address) >= self.max_of_address:
            self._drop(of_address[0])
        elif len(self._strangers) >= self.max_strangers:
            self._drop(next(iter(self._strangers)))
        if len(self._open) >= self.max_open:
            return False
        self._open.add(connection)
        self._strangers[connection] = None
        return True

    def forget(self, connection: Connection) -> None:
        self._strangers.pop(connection, None)
        self._open.discard(connection)

    def _drop(self, connection: Connection) -> None:
        self.forget(connection)
        if connection.transport is not None:
            connection.transport.abort()
