"""The console's HTTP port: who may talk to it, and with what headers it answers.

A request must name this host as its own (DNS rebinding), and come from a page of it or from no page
at all.
"""

import logging
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from html import escape
from ipaddress import ip_address
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from agent_core.errors import SessionError
from agent_core.runtime import detect_language
from bot.settings import is_loopback
from bot.slack_api import SlackError
from bot.words import BOT

HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'self'"
    ),
}
"""Nothing comes from elsewhere, is kept by the browser or read by others, or shown inside them."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)

logger = logging.getLogger(__name__)


class Closed(Exception):
    """A request is not served; `why` names the sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


@asynccontextmanager
async def listening(app: web.Application, host: str, port: int) -> AsyncGenerator[int | None]:
    """Answer at this address; port 0 means any that is free. Gives the port in use.

    Where it cannot be served, that is a warning and the port is None: the bot works without.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    taken: int | None = None
    try:
        try:
            await web.TCPSite(runner, host, port).start()
            taken = runner.addresses[0][1]
            logger.info("/healthz is served on %s port %d", host, taken)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            logger.warning("/healthz is not served: %s port %d: %s", host, port, reason)
        yield taken
    finally:
        await runner.cleanup()


def guard(host: str, url: str) -> Middleware:
    """A middleware that serves only who means this host, and comes from no other site.

    Args:
        host: Where it listens. At an address of a network it may be called by any address.
        url: Its public address, such as `https://live.example.org`; empty for none.
    """
    public = (urlsplit(url).hostname or "").lower()
    names = {"127.0.0.1", "localhost", "[::1]", host.lower(), public}
    is_open = not is_loopback(host)

    @web.middleware
    async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path == "/healthz":
            return await handler(request)
        asked = request.headers.get(hdrs.HOST, "").lower()
        named = _HOST.fullmatch(asked)
        is_own = named and (named[1] in names or (is_open and _is_address(named[1])))
        if not is_own or _is_from_elsewhere(request, asked, url):
            return _closed(request, 403, "not-from-here")
        try:
            return await handler(request)
        except Closed as closed:
            return _closed(request, closed.status, closed.why)
        except (SlackError, SessionError) as error:
            logger.warning("%s could not be served: %s", request.path, error)
            return _closed(request, 503, "away")

    return serve


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """What a response does not say otherwise."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def page(body: str, status: int = 200) -> web.Response:
    """A page without anything else."""
    text = f'<!doctype html><meta charset="utf-8"><title>Live view</title>{body}'
    return web.Response(text=text, status=status, content_type="text/html")


def say(request: web.Request, key: str, **slots: str) -> str:
    """A sentence in the language that the browser wants."""
    wanted = request.headers.get(hdrs.ACCEPT_LANGUAGE, "").partition(",")[0].strip()
    return BOT.say(detect_language(locale=wanted), key, **slots)


def _closed(request: web.Request, status: int, why: str) -> web.Response:
    return page(f"<p>{escape(say(request, f'live-{why}'))}</p>", status)


def _is_from_elsewhere(request: web.Request, host: str, url: str) -> bool:
    """By the origin, which each write must name, and by what browsers say of who wants a page."""
    origin = request.headers.get(hdrs.ORIGIN)
    own = {f"http://{host}", f"https://{host}", url.lower()}
    if request.method == "POST" if origin is None else origin.lower() not in own:
        return True
    is_opened = request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document"
    site = request.headers.get("Sec-Fetch-Site", "none")
    return site not in {"none", "same-origin"} and not is_opened


def _is_address(name: str) -> bool:
    """A name that is an address stands in no foreign DNS."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
