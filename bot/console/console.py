"""The console as a whole: `/healthz` and the live view on one port, and the links to it."""

import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime

from aiohttp import web

from agent_core.ids import SessionId, UserId
from agent_core.runtime import Runtime, detect_language
from bot.console.access import Access
from bot.console.acts import Acts
from bot.console.health import Look, add_health
from bot.console.live import LiveView
from bot.console.passes import Passes
from bot.console.server import MAX_BODY_BYTES, Site, add_headers, guard, listening
from bot.ingress import Ingress, Press, Rules, Submission, tell_alone
from bot.settings import BotSettings
from bot.slack_api import SlackApi
from bot.threads import user_id
from bot.words import BOT

_ANY = ("0.0.0.0", "[::]")  # noqa: S104 (compared, not bound to)


class Console:
    """Serves people and those who watch over the bot. `port` is None while nothing is served.

    It is the `Gestures` of “Open live view”, too: who presses it gets a link of their own, alone.
    """

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
        self._access = Access(api, rules)

    @property
    def url(self) -> str | None:
        """What links begin with; None while nothing is served."""
        if self.port is None:
            return None
        host = f"[{self._host}]" if ":" in self._host else self._host
        reached = "localhost" if host in _ANY else host
        return self._public_url or f"http://{reached}:{self.port}"

    def link(self, user: UserId, session: SessionId) -> str | None:
        """A link for one person; None while nothing is served."""
        return self.url and f"{self.url}/enter?pass={self._passes.link(user, session)}"

    async def press(self, press: Press) -> None:
        """Raises SlackError; the press may come again."""
        user, thread = user_id(press.team, press.user), press.thread
        person = await self._access.person(user)
        words = BOT.of(detect_language(locale=person.locale if person else ""))
        link = self.link(user, thread.session)
        if await self._access.level(user, thread.session) == "none":
            told = words("live-not-yours")
        else:
            told = words("live-off") if link is None else words("live-link", url=link)
        place, root_ts = thread.channel, thread.root_ts
        await tell_alone(self._api, place, press.user, told, thread_ts=root_ts)

    async def submit(self, submission: Submission) -> None:
        """There is no form."""

    @asynccontextmanager
    async def serve(self, looks: Mapping[str, Look], ingress: Ingress) -> AsyncGenerator[None]:
        """Until the context is left. Where the port is taken the bot works without."""
        runtime, access, passes = self._runtime, self._access, self._passes
        acts = Acts(runtime, access, self._api, ingress, self._rules.identity, self._clock)
        live = LiveView(runtime, access, passes, acts)
        app = web.Application(
            middlewares=[guard(self._host, self._public_url)], client_max_size=MAX_BODY_BYTES
        )
        app.on_response_prepare.append(add_headers)
        add_health(app, looks, self._api.clock)
        is_secure = self._public_url.startswith("https:")
        Site(live, passes, access, runtime, self._clock, is_secure).add_to(app)
        async with listening(app, self._host, self._wanted_port) as self.port:
            live.start(self._api.clock)
            try:
                yield
            finally:
                self.port = None
                await live.close()
