"""The console's HTTP port: who may talk to it, and the pages, files and writes that it serves.

A request must name this host as its own (DNS rebinding), and come from a page of it or from no page
at all. All but `/healthz` and the page's own code needs a cookie, for which a link is exchanged.
"""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from html import escape
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from agent_core.errors import SessionError
from agent_core.ids import SessionId, UserId
from agent_core.runtime import Runtime, detect_language
from bot.console.access import Access
from bot.console.acts import Act, Refused, read_said
from bot.console.live import LiveView
from bot.console.passes import COOKIE_LIFE, HOME, Cookie, Passes
from bot.settings import is_loopback
from bot.slack_api import SlackError
from bot.words import BOT

STATIC = Path(__file__).parent / "static"
MAX_BODY_BYTES = 64 * 1024
MAX_FILE_BYTES = 50 * 1024 * 1024

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
"""Nothing comes from elsewhere, and nobody shows the page inside of theirs."""
FILE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""What an agent made may be looked at, never run."""
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
SHOWN: Mapping[str, str] = {
    ".html": "text/html", ".htm": "text/html", ".svg": "image/svg+xml", ".png": "image/png",
    ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}  # fmt: skip
"""Kinds of files that a browser may show; all others are saved."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Site:
    """The routes of the live view."""

    _live: LiveView
    _passes: Passes
    _access: Access
    _runtime: Runtime
    _clock: Callable[[], datetime]
    _is_secure: bool
    """Whether the cookie is for https alone."""

    def add_to(self, app: web.Application) -> None:
        """A link is used up by what opens it: nothing here answers HEAD."""
        routes = {
            "/": self._page,
            "/s/{session}": self._page,
            "/enter": self._enter,
            "/ws": self._watch,
            "/artifacts/{session}/{path:.+}": self._file,
        }
        for path, handler in routes.items():
            app.router.add_get(path, handler, allow_head=False)
        app.router.add_post("/s/{session}/intervene", self._intervene)
        app.router.add_static("/static", STATIC)

    async def _page(self, request: web.Request) -> web.StreamResponse:
        """Of a session, or the one that begins a task in the person's conversation with the bot."""
        await self._let_in(request, request.match_info.get("session", HOME))
        return web.FileResponse(STATIC / "index.html")

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Exchange a link for a cookie.

        The page is opened by this site's own answer: a redirect of what another site began would
        be without the cookie, which is SameSite=Strict.
        """
        link = self._passes.read_link(request.query.get("pass", ""))
        if link is None or not await self._is_first(link.once):
            raise Closed(401, "over")
        await self._check(link.user, link.session)
        target = f"/s/{quote(link.session, safe=':')}" if link.session else "/"
        name = self._passes.cookie_name
        response = _plain(
            f'<meta http-equiv="refresh" content="0;url={escape(target)}">'
            f'<p><a href="{escape(target)}">{escape(_say(request, "live-button"))}</a></p>'
        )
        response.set_cookie(
            name,
            self._passes.cookie(link, request.cookies.get(name, "")),
            max_age=int(COOKIE_LIFE.total_seconds()),
            httponly=True,
            secure=self._is_secure,
            samesite="Strict",
        )
        return response

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        session = request.query.get("session", HOME)
        visitor = await self._let_in(request, session)
        return await self._live.watch(request, visitor.user, SessionId(session))

    async def _intervene(self, request: web.Request) -> web.StreamResponse:
        """What a message of the WebSocket does, for who has none: JSON with the same fields."""
        session = SessionId(request.match_info["session"])
        visitor = await self._let_in(request, session)
        given = request.headers.get("X-CSRF-Token", "")
        if not self._passes.is_csrf(given, visitor.user, session):
            raise Closed(403, "not-from-here")
        try:
            said = read_said(await request.text())
            if isinstance(said, Act):
                await self._live.acts.do(visitor.user, session, said)
        except Refused as refused:
            status = 403 if refused.is_forbidden else 400
            error = refused.sentence(await self._access.person(visitor.user))
            return web.json_response({"ok": False, "error": error}, status=status)
        return web.json_response({"ok": True})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file that an agent has announced, and no other one of the workspace."""
        session, path = SessionId(request.match_info["session"]), request.match_info["path"]
        await self._let_in(request, session)
        if path not in await self._live.artifacts(session):
            raise Closed(404, "no-file")
        workspace = await self._runtime.workspace(session, self._clock())
        content = await asyncio.to_thread(_read_inside, workspace, path)
        if content is None:
            raise Closed(404, "no-file")
        shown = SHOWN.get(Path(path).suffix.lower())
        disposition = "inline" if shown else "attachment"
        name = quote(Path(path).name, safe="", errors="replace")
        kind = shown or "application/octet-stream"
        return web.Response(
            body=content,
            headers={
                "Content-Type": f"{kind}; charset=utf-8" if kind == "text/html" else kind,
                "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
                "Content-Security-Policy": FILE_POLICY,
            },
        )

    async def _let_in(self, request: web.Request, session: str) -> Cookie:
        """Whoever has a cookie for the session, any cookie for HOME, and may see it now."""
        visitor = self._passes.read_cookie(request.cookies.get(self._passes.cookie_name, ""))
        if visitor is None:
            raise Closed(401, "how")
        if session != HOME and session not in visitor.sessions:
            raise Closed(403, "how")
        await self._check(visitor.user, SessionId(session))
        return visitor

    async def _check(self, user: UserId, session: SessionId) -> None:
        if await self._access.level(user, session) == "none":
            raise Closed(403, "not-yours")

    async def _is_first(self, once: str) -> bool:
        """Whether nobody has used the link before, at whatever process."""
        key = f"live:{once}"
        is_first = await self._runtime.ledger.record(key, "", {})
        await self._runtime.ledger.settle(key)
        return is_first


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
    try:
        yield await _listen(runner, host, port)
    finally:
        await runner.cleanup()


async def _listen(runner: web.AppRunner, host: str, port: int) -> int | None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        logger.warning("/healthz is not served: %s port %d: %s", host, port, reason)
        return None
    taken: int = runner.addresses[0][1]
    logger.info("/healthz is served on %s port %d", host, taken)
    return taken


def guard(host: str, url: str) -> Middleware:
    """A middleware that serves only who means this host, and comes from no other site.

    Args:
        host: Where it listens. At an address of a network it may be called by any address.
        url: Its public address, such as `https://live.example.org`; empty for none.
    """
    names = {
        "127.0.0.1",
        "localhost",
        "[::1]",
        host.lower(),
        (urlsplit(url).hostname or "").lower(),
    }
    is_open = not is_loopback(host)

    def is_own(name: str) -> bool:
        return name in names or (is_open and _is_address(name))

    @web.middleware
    async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path == "/healthz":
            return await handler(request)
        asked = request.headers.get(hdrs.HOST, "").lower()
        named = _HOST.fullmatch(asked)
        if named is None or not is_own(named[1]) or _is_from_elsewhere(request, asked, url):
            return _closed(request, 403, "not-from-here")
        try:
            return await handler(request)
        except Closed as closed:
            return _closed(request, closed.status, closed.why)
        except (SlackError, SessionError) as error:
            logger.warning("%s could not be served: %s", request.path, error)
            return _closed(request, 503, "away")

    return serve


def _is_from_elsewhere(request: web.Request, host: str, url: str) -> bool:
    """By the origin, and by what browsers say of whoever wants a page that is not opened itself."""
    origin = request.headers.get(hdrs.ORIGIN)
    own = {f"http://{host}", f"https://{host}", url.lower()}
    if origin is not None and origin.lower() not in own:
        return True
    is_opened = request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document"
    site = request.headers.get("Sec-Fetch-Site", "none")
    return site not in {"none", "same-origin"} and not is_opened


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Nothing is kept by the browser, read by other sites or shown inside of them."""
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)


def _is_address(name: str) -> bool:
    """A name that is an address stands in no foreign DNS."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _read_inside(workspace: Path, path: str) -> bytes | None:
    """A file of the workspace; None where it is none, or leads out of it."""
    try:
        root = workspace.resolve(strict=True)
        file = (root / path).resolve(strict=True)
        if not file.is_relative_to(root) or not file.is_file():
            return None
        return file.read_bytes() if file.stat().st_size <= MAX_FILE_BYTES else None
    except (OSError, ValueError):
        return None


def _plain(body: str, status: int = 200) -> web.Response:
    text = f'<!doctype html><meta charset="utf-8"><title>Live view</title>{body}'
    return web.Response(text=text, status=status, content_type="text/html")


def _closed(request: web.Request, status: int, why: str) -> web.Response:
    return _plain(f"<p>{escape(_say(request, f'live-{why}'))}</p>", status)


def _say(request: web.Request, key: str) -> str:
    wanted = request.headers.get(hdrs.ACCEPT_LANGUAGE, "").partition(",")[0].strip()
    return BOT.say(detect_language(locale=wanted), key)
