"""The console's HTTP server: the guard of requests, the headers of responses, health checks.

Against DNS rebinding a request must name this host, and against cross-site requests it must come
from a page of this host or from no page at all.
"""

import asyncio
import logging
import os
import re
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Mapping,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from html import escape
from ipaddress import ip_address
from typing import cast
from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from agent_core.errors import SessionError
from agent_core.masking import masked_value
from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from agent_core.watchdog import Lag
from bot.console.connections import Connection, Connections
from bot.settings import is_loopback
from bot.slack_api import MonotonicClock, SlackError
from bot.socket import SocketMode
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
"""No foreign content, no caching, no reading by other sites, no frames of them around a page."""

_PAGE_HEAD = """<!doctype html><meta charset="utf-8"><title>Live view</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/shared/tokens.css">
<link rel="stylesheet" href="/static/shared/base.css">"""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?", re.ASCII)

FOR_MACHINES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths that are served under any name of this host: nothing there acts, or is a person's."""
READY = frozenset({"socket", "database"})
"""The parts without which nobody is served."""
LOOK_LIMIT_S = 3.0

logger = logging.getLogger(__name__)


class Closed(Exception):
    """A refused request; `why` is the key of its sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


@asynccontextmanager
async def listening(
    app: web.Application,
    host: str,
    port: int,
    connections: Connections | None = None,
) -> AsyncGenerator[int | None]:
    """Listen at this address; port 0 means any free port. Yields the port in use.

    `connections` bounds those who have shown no cookie; without one, a new one does.

    If it cannot listen, it logs a warning and yields None: the bot works without.
    """
    bounds = connections or Connections(MonotonicClock())
    app.middlewares.insert(0, bounds.note_request)
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    serve = partial(Connection, cast("web.Server", runner.server), bounds)
    bound: int | None = None
    server: asyncio.Server | None = None
    try:
        try:
            server = await asyncio.get_running_loop().create_server(serve, host, port)
            bound = server.sockets[0].getsockname()[1]
            logger.info("the live view and /healthz are served on %s port %d", host, bound)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            logger.warning("no live view and no /healthz: %s port %d: %s", host, port, reason)
        async with bounds.watched():
            yield bound
    finally:
        if server is not None:
            server.close()
        await runner.cleanup()


def guard(host: str, url: str) -> Middleware:
    """The middleware that refuses requests for other hosts, and from other sites.

    Args:
        host: The address it listens at. Unless that is loopback, any IP address may be named.
        url: Its public address, such as `https://live.example.org`; empty for none.
    """
    public = (urlsplit(url).hostname or "").lower()
    names = {"127.0.0.1", "localhost", "[::1]", host.lower(), public}
    is_open = not is_loopback(host)

    @web.middleware
    async def serve(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in FOR_MACHINES:
            return await handler(request)
        asked = request.headers.get(hdrs.HOST, "").lower()
        match = _HOST.fullmatch(asked)
        is_own = match and (match[1] in names or (is_open and _is_address(match[1])))
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
    """Default headers: a response may have set its own. None names the server's software."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.pop(hdrs.SERVER, None)


def page(body: str, status: int = 200) -> web.Response:
    """A page of one sentence or button."""
    text = f"{_PAGE_HEAD}<body class=notice>{body}"
    return web.Response(text=text, status=status, content_type="text/html")


def say(request: web.Request, key: str, **slots: str) -> str:
    """A sentence in the language of the browser."""
    wanted = request.headers.get(hdrs.ACCEPT_LANGUAGE, "").partition(",")[0].strip()
    return BOT.say(detect_language(locale=wanted), key, **slots)


def is_near(request: web.Request) -> bool:
    """Whether no other site opened the page: an app of the person's did, or one of this site's."""
    return request.headers.get("Sec-Fetch-Site") in {"none", "same-site"}


def _closed(request: web.Request, status: int, why: str) -> web.Response:
    return page(f"<p>{escape(say(request, f'live-{why}'))}</p>", status)


def _is_from_elsewhere(request: web.Request, host: str, url: str) -> bool:
    """Whether another site made the request, by `Origin` and `Sec-Fetch`; writes need `Origin`."""
    origin = request.headers.get(hdrs.ORIGIN)
    own = {f"http://{host}", f"https://{host}", url.lower()}
    if request.method == "POST" if origin is None else origin.lower() not in own:
        return True
    is_opened = request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document"
    site = request.headers.get("Sec-Fetch-Site", "none")
    return site not in {"none", "same-origin"} and not is_opened


def _is_address(name: str) -> bool:
    """Whether a name is an IP address: those have no DNS, so no rebinding either."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFinding:
    """The health of one part of the bot."""

    why: str = ""
    """The fault in words; empty when the part is well."""
    details: JsonObject = field(default_factory=JsonObject)
    is_vital: bool = True
    """Whether a fault makes the whole bot unwell; any other fault is only reported."""


Look = Callable[[], Awaitable[HealthFinding]]
"""The health check of one part. A check that fails, or times out, is a fault."""


def add_health(app: web.Application, looks: Mapping[str, Look], clock: MonotonicClock) -> None:
    """Serve `/healthz`, for any host name: 200 if every vital part is well, otherwise 503.

    Why, and the parts, are for requests of this machine alone. `/readyz` is the same of those parts
    alone without which nobody is served.
    """
    started_s = clock.seconds()

    async def answer(request: web.Request) -> web.Response:
        is_ready = request.path == "/readyz"
        looked = {name: look for name, look in looks.items() if name in READY or not is_ready}
        why: list[str] = []
        parts: JsonObject = {}
        is_well = True
        for name, finding in (await take_looks(looked)).items():
            parts[name] = {"ok": not finding.why, **finding.details}
            if finding.why:
                why.append(f"{name}: {finding.why}")
                is_well = is_well and not finding.is_vital
        report: JsonObject = {
            "ok": is_well,
            "why": why,
            "pid": os.getpid(),
            "uptime_s": round(clock.seconds() - started_s, 1),
            **parts,
        }
        if not is_of_this_machine(request):
            report = {"ok": is_well}
        return web.json_response(report, status=200 if is_well else 503)

    for path in ("/healthz", "/readyz"):
        app.router.add_get(path, answer)


def is_of_this_machine(request: web.Request) -> bool:
    """Whether it was made on this machine, for an address of it, and not passed on by a proxy.

    A name could be an attacker's, whose page a browser on this machine shows (DNS rebinding).
    """
    is_passed_on = hdrs.X_FORWARDED_FOR in request.headers or hdrs.FORWARDED in request.headers
    host = _HOST.fullmatch(request.headers.get(hdrs.HOST, "").lower())
    is_near_by = is_loopback(request.remote or "") and host and is_loopback(host[1])
    return bool(is_near_by) and not is_passed_on


async def take_looks(looks: Mapping[str, Look]) -> dict[str, HealthFinding]:
    """All health checks at once, by part."""
    async with asyncio.TaskGroup() as group:
        tasks = {name: group.create_task(_take(look)) for name, look in looks.items()}
    return {name: task.result() for name, task in tasks.items()}


async def _take(look: Look) -> HealthFinding:
    try:
        async with asyncio.timeout(LOOK_LIMIT_S):
            return await look()
    except TimeoutError:
        return HealthFinding(why="does not answer")
    except Exception as error:
        logger.exception("a look at the bot's health failed")
        return HealthFinding(why=f"does not work ({type(error).__name__})")


async def look_at_socket(socket: SocketMode) -> HealthFinding:
    """Whether Slack's payloads reach the bot."""
    last_heard_s = socket.last_heard_s
    if last_heard_s is not None:
        last_heard_s = round(last_heard_s, 1)
    return HealthFinding(
        why=socket.fault,
        details={
            "connected": socket.is_open,
            "last_heard_s": last_heard_s,
            "opened": socket.opened,
        },
    )


async def look_at_loop(lag: Lag) -> HealthFinding:
    """The lag of the event loop, and its number of stalls; the log has each of them."""
    details: JsonObject = {
        "stalls": lag.stalls,
        "worst_ms": round(lag.worst_s * 1_000),
        "lag_ms": round(lag.newest_s * 1_000),
    }
    return HealthFinding(details=details)


async def look_at_database(
    read: Callable[[], Awaitable[object]], trouble: Callable[[], str | None]
) -> HealthFinding:
    """Whether the database answers a read, and takes writes: a full disk can still be read.

    `trouble` is the reason why a writer waits; None when none does.
    """
    await read()
    return HealthFinding(why=trouble() or "")


async def look_at_tools(away: Callable[[], Mapping[str, str]]) -> HealthFinding:
    """Tool servers that were unreachable when last asked; the bot works without them."""
    reasons = away()
    why = ""
    if reasons:
        names = ", ".join(sorted(reasons))
        why = f"{names} cannot be reached"
    return HealthFinding(
        why=why,
        details={"away": masked_value(dict(reasons))},
        is_vital=False,
    )
