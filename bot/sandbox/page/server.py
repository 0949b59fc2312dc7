"""The page's own server on loopback: who may talk to it, its files and the team's, its port."""

import asyncio
import errno
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Self
from urllib.parse import quote

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.sandbox.page.acts import MAX_BYTES, Acts
from bot.sandbox.page.feed import HEARTBEAT_S, Live
from bot.sandbox.slack import SlackStandIn

LOOPBACK = "127.0.0.1"
MAX_PORT = 65_535
MAX_PORTS_TRIED = 100
STATIC = Path(__file__).parent / "static"
TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' https: data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""Pictures may come from elsewhere, since image blocks name them; nothing that runs may."""
FOREIGN_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a file of the team holds may be looked at, never run."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_MIMETYPE = re.compile(r"[\w.+-]+/[\w.+-]+")


class NoPortError(Exception):
    """There is no such port, or neither it nor the ones above it are free."""


class Page:
    """Serves a stand-in's team to browsers of this machine; an asynchronous context manager.

    `port` is the first one that is tried, and the next free one is taken; 0 is any. `commands` are
    the slash commands that the app's manifest declares. Raises NoPortError.
    """

    def __init__(
        self,
        slack: SlackStandIn,
        *,
        port: int = 0,
        commands: Sequence[Mapping[str, str]] = (),
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        if not 0 <= port <= MAX_PORT:
            raise NoPortError(f"There is no port {port}: they go up to {MAX_PORT}.")
        self._slack = slack
        self._port = port
        self._live = Live(slack, commands, heartbeat_s)
        self._acts = Acts(slack)
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
        self._live.close()
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
        app = web.Application(middlewares=[_refuse_strangers], client_max_size=MAX_BYTES)
        app.on_response_prepare.append(_add_headers)
        app.router.add_get("/", _send_own)
        app.router.add_get("/static/{path:.+}", _send_own)
        app.router.add_get("/events", self._live.handle, allow_head=False)
        app.router.add_get("/files/{file_id}/{name:(?s:.*)}", self._send_file)
        app.router.add_post("/acts/{name}", self._acts.handle)
        return app

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        """A file of the team by its id; the name in the address is for people."""
        file_id = request.match_info["file_id"]
        file = next((file for file in self._slack.files if file.id == file_id), None)
        if file is None:
            return web.Response(status=404, text="There is no such file.")
        is_known = _MIMETYPE.fullmatch(file.mimetype)
        mimetype = file.mimetype if is_known else "application/octet-stream"
        disposition = "attachment" if request.query.get("download") == "1" else "inline"
        name = quote(file.name, safe="", errors="replace")
        headers = {
            "Content-Type": mimetype + ("; charset=utf-8" if mimetype.startswith("text/") else ""),
            "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
        }
        if mimetype != "application/pdf":  # which browsers show in a program of their own
            headers["Content-Security-Policy"] = FOREIGN_POLICY
        return web.Response(body=BytesIO(file.content), headers=headers)


async def _send_own(request: web.Request) -> web.StreamResponse:
    """The page's own files; types depend on no machine, and no path leads out of the folder."""
    parts = request.match_info.get("path", "index.html").split("/")
    is_plain = all(part.strip(".") and "\0" not in part and "\\" not in part for part in parts)
    path = STATIC.joinpath(*parts) if is_plain else STATIC
    try:
        body = await asyncio.to_thread(path.read_bytes)
        return web.Response(body=body, headers={"Content-Type": TYPES[path.suffix]})
    except (OSError, KeyError):
        return web.Response(status=404, text="There is no such file.")


@web.middleware
async def _refuse_strangers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer only to this machine's names (against DNS rebinding), acts only to the page."""
    host = request.headers.get(hdrs.HOST, "")
    if not _LOCAL_HOST.fullmatch(host):
        return _refuse("This page answers only to 127.0.0.1 and localhost.")
    is_reading = request.method in (hdrs.METH_GET, hdrs.METH_HEAD)
    if not is_reading and request.headers.get(hdrs.ORIGIN, "").lower() != f"http://{host}".lower():
        return _refuse("Only the page itself may act.")
    return await handler(request)


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Nothing is kept by the browser, read by other sites or shown inside of them."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)


def _refuse(sentence: str) -> web.Response:
    return web.json_response({"ok": False, "error": sentence}, status=403)
