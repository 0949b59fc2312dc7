"""The console as a whole: `/healthz` and the live view on one port, and the links to it."""

import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from aiohttp import web

from agent_core.runtime import Runtime
from bot.console.access import Access
from bot.console.acts import Acts
from bot.console.health import Look, add_health
from bot.console.links import Links
from bot.console.live import LiveView
from bot.console.passes import Passes
from bot.console.server import MAX_BODY_BYTES, Site, add_headers, guard, listening
from bot.ingress import Ingress, Rules
from bot.settings import is_loopback
from bot.slack_api import SlackApi


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the console is served."""

    host: str
    port: int
    """0 takes any that is free."""
    url: str = ""
    """By which people reach it, such as `https://live.example.org`; empty where they reach it as
    it is."""
    secret: str = ""
    """Signs links and cookies; a new one each time where it is empty."""


class Console:
    """Serves people and those who watch over the bot. `port` is None while nothing is served."""

    def __init__(
        self,
        address: Address,
        runtime: Runtime,
        api: SlackApi,
        rules: Rules,
        clock: Callable[[], datetime],
    ) -> None:
        self.port: int | None = None
        self._address = address
        self._runtime = runtime
        self._api = api
        self._rules = rules
        self._clock = clock
        self._passes = Passes(address.secret.encode() or secrets.token_bytes(32), clock)
        self._access = Access(api, rules)
        self.links = Links(self._passes, self._access, api, lambda: self.url)

    @property
    def url(self) -> str | None:
        """What links begin with."""
        if self.port is None:
            return None
        host = self._address.host
        host = f"[{host}]" if ":" in host else host
        reached = host if is_loopback(host) or not _is_any(host) else "localhost"
        return self._address.url.rstrip("/") or f"http://{reached}:{self.port}"

    @asynccontextmanager
    async def serve(self, looks: Mapping[str, Look], ingress: Ingress) -> AsyncGenerator[None]:
        """Until the context is left. Where the port is taken the bot works without."""
        runtime, host = self._runtime, self._address.host
        acts = Acts(
            runtime,
            runtime.intervene,
            self._access,
            self._api,
            ingress,
            self._rules.identity,
            self._clock,
        )
        live = LiveView(runtime, self._access, self._passes, acts, self._api.clock)
        site = Site(
            live,
            self._passes,
            self._access,
            runtime,
            runtime.ledger,
            clock=self._clock,
            is_secure=urlsplit(self._address.url).scheme == "https",
        )
        app = web.Application(
            middlewares=[guard(host, self._address.url)], client_max_size=MAX_BODY_BYTES
        )
        app.on_response_prepare.append(add_headers)
        add_health(app, looks, self._api.clock)
        site.add_to(app)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(live.close)
            self.port = await stack.enter_async_context(
                listening(app, host=host, port=self._address.port)
            )
            live.start()
            try:
                yield
            finally:
                self.port = None


def _is_any(host: str) -> bool:
    return host in {"0.0.0.0", "[::]"}  # noqa: S104 (compared, not bound to)
