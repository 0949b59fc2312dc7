"""The console: `/healthz` and the live view on one port, and the links to it in Slack.

All but `/healthz` and the page's own code needs a cookie, for which a link is exchanged.
"""

import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from html import escape
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote

from aiohttp import web

from agent_core.ids import SessionId, UserId
from agent_core.runtime import Runtime
from bot.clicks import LiveViewClick, Refused
from bot.console.access import FRESH_S, ThreadAccess
from bot.console.acts import Acts
from bot.console.health import Look, add_health
from bot.console.live import LiveView
from bot.console.passes import COOKIE_LIFE, HOME, Passes
from bot.console.server import Closed, add_headers, guard, listening, page, say
from bot.ingress import Gesture, Ingress, Rules
from bot.settings import BotSettings
from bot.slack_api import Person, SlackApi, language_of
from bot.words import BOT

STATIC = Path(__file__).parent / "static"
MAX_BODY_BYTES = 64 * 1024
FILE_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)
"""What an agent made may be looked at, never run."""


class Console:
    """Serves people and those who watch over the bot. `port` is None while nothing is served."""

    def __init__(
        self,
        settings: BotSettings,
        runtime: Runtime,
        api: SlackApi,
        rules: Rules,
        clock: Callable[[], datetime],
    ) -> None:
        self.port: int | None = None
        self._host, self._wanted_port = settings.console_host, settings.console_port
        self._public_url = settings.console_url
        self._runtime = runtime
        self._api = api
        self._rules = rules
        self._clock = clock
        secret = settings.console_secret.get_secret_value().encode()
        self._passes = Passes(secret or secrets.token_bytes(32), clock)
        self._access = ThreadAccess(api, rules)

    @property
    def url(self) -> str | None:
        """What links begin with; None while nothing is served, or not known where for people.

        The bot's own host is none of theirs: a link there would hand their pass to a stranger.
        """
        return None if self.port is None else self._public_url or None

    def link(self, user: UserId, session: SessionId) -> str | None:
        """A link for one person; None where there is none."""
        return self.url and f"{self.url}/enter?pass={self._passes.link(user, session)}"

    async def open(self, click: LiveViewClick, gesture: Gesture, person: Person | None) -> None:
        """The handler of “Open live view”: who presses it gets a link of their own, alone.

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
        await self._api.whisper(sender.channel, sender.user, text, thread_ts=gesture.thread_ts)

    def acts(self, ingress: Ingress) -> Acts:
        """The way in of what viewers do."""
        return Acts(self._runtime, self._access, self._api, ingress, self._clock)

    @asynccontextmanager
    async def serve(self, looks: Mapping[str, Look], acts: Acts) -> AsyncGenerator[None]:
        """Until the context is left. Where the port is taken the bot works without."""
        self._live = LiveView(self._runtime, self._access, self._passes, acts)
        app = web.Application(
            middlewares=[guard(self._host, self._public_url)], client_max_size=MAX_BODY_BYTES
        )
        app.on_response_prepare.append(add_headers)
        add_health(app, looks, self._api.clock)
        routes = {
            "/": self._page,
            "/s/{session}": self._page,
            "/enter": self._enter,
            "/ws": self._watch,
            "/artifacts/{session}/{path:.+}": self._file,
        }
        for path, handler in routes.items():
            app.router.add_get(path, handler, allow_head=False)
        app.router.add_post("/enter", self._enter)
        app.router.add_static("/static", STATIC)
        async with listening(app, self._host, self._wanted_port) as self.port:
            self._live.start(self._api.clock)
            try:
                yield
            finally:
                self.port = None
                await self._live.close()

    async def _page(self, request: web.Request) -> web.StreamResponse:
        """Of a session, or the one that begins a task in the person's conversation with the bot."""
        await self._let_in(request)
        return web.FileResponse(STATIC / "index.html")

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Exchange a link for a cookie, for whoever says on this site's own page that they want it.

        Following a link alone, as other sites and link scanners do, makes nobody somebody else,
        and uses nothing up.
        """
        link = self._passes.read("link", request.query.get("pass", ""))
        if link is None:
            raise Closed(401, "over")
        if request.method == "GET":
            person = await self._access.person(link.user)
            asked = say(request, "live-enter", name=person.name if person else "")
            asking = page(f'<form method="post"><button>{escape(asked)}</button></form>')
            asking.headers["Referrer-Policy"] = "same-origin"  # else the form has no origin
            return asking
        [session] = link.sessions
        await self._check(link.user, session)
        if not await self._is_first(link.once):
            raise Closed(401, "over")
        target, name = (
            f"/s/{quote(session, safe=':')}" if session else "/",
            self._passes.cookie_name,
        )
        response = web.Response(status=303, headers={"Location": target})
        response.set_cookie(
            name,
            self._passes.cookie(link, request.cookies.get(name, "")),
            max_age=int(COOKIE_LIFE.total_seconds()),
            httponly=True,
            secure=self._public_url.startswith("https:"),
            samesite="Strict",
        )
        return response

    async def _watch(self, request: web.Request) -> web.StreamResponse:
        user, session, until_s = await self._let_in(request)
        return await self._live.watch(request, user, session, until_s)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """A file that an agent has announced, and no other one of the workspace."""
        _, session, _ = await self._let_in(request)
        path = request.match_info["path"]
        tree = await self._live.tree(session)
        if not any(path in state.run.artifacts for state in tree.agents.values()):
            raise Closed(404, "no-file")
        root = (await self._runtime.workspace(session, self._clock())).resolve()
        file = (root / path).resolve()
        if not (file.is_relative_to(root) and file.is_file()):
            raise Closed(404, "no-file")
        kind = guess_type(path)[0] or ""
        is_shown = kind == "text/html" or kind.startswith("image/")
        kind = f"{kind}; charset=utf-8" if is_shown else "application/octet-stream"
        disposition = "inline" if is_shown else "attachment"
        name = quote(file.name, safe="", errors="replace")
        return web.FileResponse(
            file,
            headers={
                "Content-Type": kind,
                "Content-Disposition": f"{disposition}; filename*=UTF-8''{name}",
                "Content-Security-Policy": FILE_POLICY,
            },
        )

    async def _let_in(self, request: web.Request) -> tuple[UserId, SessionId, float]:
        """Whoever has a cookie for the session, any cookie for HOME, and may see it now.

        The third is the moment until which the cookie is good for it.
        """
        asked = request.match_info.get("session") or request.query.get("session", HOME)
        session, name = SessionId(asked), self._passes.cookie_name
        visitor = self._passes.read("cookie", request.cookies.get(name, ""))
        if visitor is None:
            raise Closed(401, "how")
        opened = visitor.sessions
        if session != HOME and session not in opened:
            raise Closed(403, "how")
        await self._check(visitor.user, session)
        return visitor.user, session, opened.get(session, max(opened.values()))

    async def _check(self, user: UserId, session: SessionId) -> None:
        if await self._access.level(user, session, max_age_s=FRESH_S) == "none":
            raise Closed(403, "not-yours")

    async def _is_first(self, once: str) -> bool:
        """Whether nobody has used the link before, at whatever process."""
        key = f"live:{once}"
        is_first = await self._runtime.ledger.record(key, "", {})
        await self._runtime.ledger.settle(key)
        return is_first
