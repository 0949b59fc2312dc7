"""The page's own server on loopback: it starts, finds a port, and ends with its pages."""

import errno
from collections.abc import Sequence
from typing import Self

from aiohttp import web

from bot.sandbox.page.acts import Acts
from bot.sandbox.page.assets import handle_asset, handle_index
from bot.sandbox.page.downloads import Downloads
from bot.sandbox.page.features import Command, Features, Shortcut
from bot.sandbox.page.guard import add_headers, refuse_strangers
from bot.sandbox.page.live import HEARTBEAT_S, Live
from bot.sandbox.page.requests import MAX_JSON_BYTES
from bot.sandbox.slack import SlackStandIn

LOOPBACK = "127.0.0.1"
MAX_PORT = 65_535
MAX_PORTS_TRIED = 100


class NoPortError(Exception):
    """There is no such port, or neither it nor the ones above it are free."""


class Page:
    """Serves a stand-in's team to browsers of this machine; an asynchronous context manager.

    `port` is the first one that is tried, and the next free one is taken; 0 is any. `commands`
    and `shortcuts` are those that the app's manifest declares. Raises NoPortError.
    """

    def __init__(
        self,
        slack: SlackStandIn,
        *,
        port: int = 0,
        commands: Sequence[Command] = (),
        shortcuts: Sequence[Shortcut] = (),
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        if not 0 <= port <= MAX_PORT:
            raise NoPortError(f"There is no port {port}: they go up to {MAX_PORT}.")
        features = Features(commands=commands, shortcuts=shortcuts)
        self._slack = slack
        self._port = port
        self._live = Live(slack, features, heartbeat_s)
        self._acts = Acts(slack, features)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{LOOPBACK}:{self._port}/"

    async def __aenter__(self) -> Self:
        """Start serving. Raises NoPortError."""
        for person in self._slack.people.values():
            self._slack.dm_id(person)
        runner = web.AppRunner(self._build_app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._runner = runner
        try:
            await self._listen(runner)
        except BaseException:
            await runner.cleanup()
            raise
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._live.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> None:
        last = min(self._port + MAX_PORTS_TRIED, MAX_PORT + 1) if self._port else 1
        for port in range(self._port, last):
            try:
                await web.TCPSite(runner, LOOPBACK, port).start()
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                self._port = int(runner.addresses[0][1])
                return
        raise NoPortError(f"No port from {self._port} to {last - 1} is free.")

    def _build_app(self) -> web.Application:
        app = web.Application(middlewares=[refuse_strangers], client_max_size=MAX_JSON_BYTES)
        app.on_response_prepare.append(add_headers)
        app.router.add_get("/", handle_index)
        app.router.add_get("/static/{path:.+}", handle_asset)
        app.router.add_get("/events", self._live.handle, allow_head=False)
        app.router.add_get("/files/{file_id}/{name:(?s:.*)}", Downloads(self._slack).handle)
        app.router.add_post("/acts/{name}", self._acts.handle)
        return app
