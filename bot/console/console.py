"""The console: an HTTP port with `/healthz` and the live view, and the links to it in Slack.

Every page but `/healthz` and the static files needs a cookie; a link from Slack is exchanged for
one. Read `access.py` for links, cookies and authorisation, `live.py` for the feed.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from hmac import compare_digest
from html import escape
from importlib import import_module
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import quote

from aiohttp import hdrs, web

from agent_core.ids import SessionId, UserId
from agent_core.runtime import Runtime
from bot.clicks import Gesture, LiveViewClick, Refused
from bot.console.access import FRESH_S, ThreadAccess
from bot.console.acts import Acts
from bot.console.connections import Connections
from bot.console.live import LiveView
from bot.console.passes import COOKIE_LIFE, HOME, Pass, Passes, Visit
from bot.console.server import (
    Closed,
    Look,
    add_headers,
    add_health,
    guard,
    is_near,
    is_of_this_machine,
    listening,
    page,
    say,
)
from bot.ingress import Ingress, Rules
from bot.settings import BotSettings
from bot.slack_api import Person, SlackApi, language_of
from bot.words import BOT

STATIC = Path(__file__).parent / "static"
MAX_BODY_BYTES = 64 * 1024
FILE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "frame-ancestors 'self'"
)
"""A sandbox: a file that an agent made may be shown, never run."""

logger = logging.getLogger(__name__)


class Console:
    """Serves the live view and `/healthz`. `port` is None while nothing is served."""

    def __init__(
        self,
        settings: BotSettings,
        runtime: Runtime,
        api: SlackApi,
        rules: Rules,
        clock: Callable[[], datetime],
    ) -> None:
        self.port: int | None = None
        self._host = settings.console_host
        self._wanted_port = settings.console_port
        self._public_url = settings.console_url
        self._runtime = runtime
        self._api = api
        self._rules = rules
        self._clock = clock
        self._metrics_token = settings.metrics_token.get_secret_value()
        self._metrics: Any = None
        secret = settings.console_secret.get_secret_value().encode()
        self._passes = Passes(secret or secrets.token_bytes(32), clock)
        self._access = ThreadAccess(api, rules)
        self._connections = Connections(api.clock)

    @property
    def url(self) -> str | None:
        """The public address of links; None while nothing is served, or without such a setting.

        The address that the bot listens at is no substitute: on a person's machine the same address
        may belong to a stranger's server, which would get their pass.
        """
        return None if self.port is None else self._public_url or None

    def link(self, user: UserId, session: SessionId) -> str | None:
        """A link for one person, or None while there is no address."""
        return self.url and f"{self.url}/enter?pass={self._passes.link(user, session)}"

    async def open(self, click: LiveViewClick, gesture: Gesture, person: Person | None) -> None:
        """Handle “Open live view”: an ephemeral post gives the person a link of their own.

        Raises SlackError; the press may come again.
        """
        session = gesture.session
        if await self._access.level(gesture.by, session) == "none":
            raise Refused("live-not-yours")
        link = self.link(gesture.by, session)
        if link is None:
            raise Refused("live-off")
        text = BOT.say(language_of(person), "live-link", url=link)
        sender = gesture.sender
        await self._api.whisper(
            sender.channel,
            sender.user,
            text,
            thread_ts=gesture.thread_ts,
        )

    def acts(self, ingress: Ingress) -> Acts:
        """The actions of viewers."""
        return Acts(self._runtime, self._access, self._api, ingress, self._clock)

    @asynccontextmanager
    async def serve(self, looks: Mapping[str, Look], acts: Acts) -> AsyncGenerator[None]:
        """Serve until the context is left. If the port is in use, the bot works without."""
        self._looks = looks
        self._live = LiveView(self._runtime, self._access, self._passes, acts)
        clock = self._api.clock
        app = web.Application(
            middlewares=[guard(self._host, self._public_url)], client_max_size=MAX_BODY_BYTES
        )
        app.on_response_prepare.append(add_headers)
        add_health(app, looks, clock)
        routes = {
            "/": self._page,
            "/s/{session}": self._page,
            "/enter": self._enter,
            "/ws": self._watch,
            "/artifacts/{session}/{path:.+}": self._file,
            "/metrics": self._scrape,
        }
        for path, handler in routes.items():
            app.router.add_get(path, handler, allow_head=False)
        app.router.add_post("/enter", self._enter)
        app.router.add_post("/leave", self._leave)
        app.router.add_static("/static", STATIC)
        connections = self._connections
        async with listening(app, self._host, self._wanted_port, connections) as self.port:
            self._live.start(clock)
            if self.url:
                logger.info("posts have “Open live view”, which leads to %s", self.url)
            else:
                logger.info("posts have no “Open live view”: CONSOLE_URL is not set")
            try:
                yield
            finally:
                self.port = None
                await self._live.close()

    def note_sign(self, post_ts: str) -> None:
        """A post in Slack has its first sign that it is worked on."""
        if self._metrics is not None:
            self._metrics.note_sign(self._clock().timestamp() - float(post_ts))

    async def _scrape(self, request: web.Request) -> web.Response:
        """The metrics, for this machine or with the token; counted from the first scrape on."""
        shown = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Bearer ")
        token = self._metrics_token or secrets.token_hex()
        if not compare_digest(shown.encode(), token.encode()) and not is_of_this_machine(request):
            return web.Response(status=401, headers={hdrs.WWW_AUTHENTICATE: "Bearer"})
        self._connections.note_cookie(request)
        # It takes some megabytes, which a bot that nobody scrapes does without.
        module = await asyncio.to_thread(import_module, "bot.console.metrics")
        if self._metrics is None:
            self._metrics = module.Metrics(self._runtime, self._looks)
            self._runtime.watch(self._metrics.note)
        return web.Response(body=await self._metrics.text(), content_type="text/plain")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        """The page of a session, or HOME: the page that begins a task."""
        await self._let_in(request)
        return web.FileResponse(STATIC / "index.html")

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Exchange a link for a cookie, by a POST of this site's own page.

        A GET alone, such as a link scanner's, or one that another site makes a browser send,
        neither uses the link up nor logs anybody in. The page goes on by itself for whoever is
        logged in as the link's person, or as nobody where no other site opened it; else it asks.
        """
        link = self._passes.read("link", request.query.get("pass", ""))
        if link is None:
            raise Closed(401, "over")
        if request.method == "GET":
            person = await self._access.person(link.user)
            asked = say(request, "live-enter", name=person.name if person else "")
            known = self._cookie(request)
            goes_on = known.user == link.user if known else is_near(request)
            mark = " data-near" if goes_on else ""
            button = f'<button class="button is-primary">{escape(asked)}</button>'
            script = '<script type="module" src="/static/js/enter.js"></script>'
            asking = page(f'<form method="post"{mark}>{button}</form>{script}')
            asking.headers["Referrer-Policy"] = "same-origin"  # else the form has no origin
            return asking
        [session] = link.sessions
        await self._check(link.user, session)
        key = f"live:{link.once}"  # the ledger deduplicates across processes
        is_first = await self._runtime.ledger.record(key, "", {})
        await self._runtime.ledger.settle(key)
        if not is_first:
            raise Closed(401, "over")
        target = f"/s/{quote(session, safe=':')}" if session else "/"
        response = web.Response(status=303, headers={"Location": target})
        name = self._passes.cookie_name
        before = self._cookie(request)
        if before and await self._runtime.ledger.has(before.left_key):
            before = None
        response.set_cookie(
            name,
            self._passes.cookie(link, before),
            max_age=int(COOKIE_LIFE.total_seconds()),
            httponly=True,
            secure=self._public_url.startswith("https:"),
            samesite="Strict",
        )
        return response

    async def _leave(self, request: web.Request) -> web.StreamResponse:
        """Log out: the cookie ends here and in the ledger, so that a copy of it opens nothing."""
        if cookie := self._cookie(request):
            await self._runtime.ledger.record(cookie.left_key, "", {})
            await self._runtime.ledger.settle(cookie.left_key)
            self._live.end(cookie)
        response = web.Response(status=204)
        response.del_cookie(self._passes.cookie_name)
        return response

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        return await self._live.watch(request, await self._let_in(request))

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file that an agent saved for the person; no other file of the workspace is served."""
        session = (await self._let_in(request)).session
        path = request.match_info["path"]
        tree = await self._live.tree(session)
        if not any(path in state.turn.artifacts for state in tree.agents.values()):
            raise Closed(404, "no-file")
        root = (await self._runtime.workspace(session, self._clock())).resolve()
        file = (root / path).resolve()
        if not (file.is_relative_to(root) and file.is_file()):
            raise Closed(404, "no-file")
        kind, _ = guess_type(path)
        disposition = "attachment"
        content_type = "application/octet-stream"
        if kind and kind.startswith(("text/html", "image/")):
            disposition = "inline"
            content_type = f"{kind}; charset=utf-8"
        name = quote(file.name, safe="", errors="replace")
        return web.FileResponse(
            file,
            headers={
                "Content-Type": content_type,
                "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
                "Content-Security-Policy": FILE_POLICY,
            },
        )

    def _cookie(self, request: web.Request) -> Pass | None:
        return self._passes.read("cookie", request.cookies.get(self._passes.cookie_name, ""))

    async def _let_in(self, request: web.Request) -> Visit:
        """Authorise a request.

        It needs a cookie with the session, or any cookie for HOME, and access to the thread.
        """
        asked = request.match_info.get("session") or request.query.get("session", HOME)
        session = SessionId(asked)
        cookie = self._cookie(request)
        if cookie is None or await self._runtime.ledger.has(cookie.left_key):
            raise Closed(401, "how")
        self._connections.note_cookie(request)
        opened = cookie.sessions
        if session != HOME and session not in opened:
            raise Closed(403, "how")
        await self._check(cookie.user, session)
        until_s = opened.get(session, max(opened.values()))
        return Visit(user=cookie.user, session=session, until_s=until_s, cookie=cookie)

    async def _check(self, user: UserId, session: SessionId) -> None:
        if await self._access.level(user, session, max_age_s=FRESH_S) == "none":
            raise Closed(403, "not-yours")
