"""The page's own server on loopback: who may talk to it, its files and the team's, its port."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import quote

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from bot.sandbox.page.acts import MAX_BYTES, handle_act
from bot.sandbox.page.feed import serve_page
from bot.sandbox.slack import SlackStandIn

LOOPBACK = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
"""Nothing comes from elsewhere."""
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


class Page:
    """Serves a stand-in's team to browsers of this machine; an asynchronous context manager.

    A port that is taken gives way to any other. `commands` are the slash commands that the app's
    manifest declares.
    """

    def __init__(
        self, slack: SlackStandIn, *, port: int = 0, commands: Sequence[Mapping[str, str]] = ()
    ) -> None:
        self._slack = slack
        self._port = port
        app = web.Application(middlewares=[_refuse_strangers], client_max_size=MAX_BYTES)
        app.on_response_prepare.append(_add_headers)
        app.router.add_get("/", _send_index)
        app.router.add_static("/static", STATIC)
        app.router.add_get("/events", partial(serve_page, slack, commands), allow_head=False)
        app.router.add_get("/files/{file_id}/{name:(?s:.*)}", self._send_file)
        app.router.add_post("/acts/{name}", partial(handle_act, slack))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{LOOPBACK}:{self._port}/"

    async def __aenter__(self) -> Self:
        for person in self._slack.people.values():
            self._slack.dm_id(person)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, LOOPBACK, self._port).start()
        except OSError:
            await web.TCPSite(self._runner, LOOPBACK, 0).start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._runner.cleanup()

    async def _send_file(self, request: web.Request) -> web.StreamResponse:
        """A file of the team by its id; the name in the address is for people."""
        file = self._slack.state.files.get(request.match_info["file_id"])
        if file is None:
            return web.Response(status=404, text="There is no such file.")
        disposition = "attachment" if request.query.get("download") == "1" else "inline"
        name = quote(file.name, safe="", errors="replace")
        headers = {"Content-Disposition": f"{disposition}; filename*=UTF-8''{name}"}
        headers["Content-Type"] = f"{file.mimetype.partition(';')[0]}; charset=utf-8"
        if file.mimetype != "application/pdf":  # which browsers show in a program of their own
            headers["Content-Security-Policy"] = FOREIGN_POLICY
        return web.Response(body=file.content, headers=headers)


async def _send_index(_request: web.Request) -> web.StreamResponse:
    return web.FileResponse(STATIC / "index.html")


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
