"""Composio as an MCP server: every person works through a session of their own."""

import math
import time
from dataclasses import dataclass, replace
from pathlib import Path

from agent_core.composio.api import ComposioApi, is_person
from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId
from agent_core.mcp import HttpServer, HubLimits, McpServer, MonotonicTime, Pins, PooledServer

SERVER_NAME = "composio"
_MAX_PEOPLE = 500
"""Who are connected at a time."""
_OF_THE_REQUEST = frozenset({400, 404, 409, 422})
"""Composio refused the request of one person, and is well: it may serve the others."""


def composio_server(
    api: ComposioApi,
    *,
    pins: Pins | None = None,
    limits: HubLimits | None = None,
    clock: MonotonicTime = time.monotonic,
) -> PooledServer:
    """Composio's tools, `mcp__composio__<SLUG>`, of each person's own session.

    A session is made when a person's first turn asks, and made anew when Composio does not know it
    any more. Where nobody asked, there are no tools.
    """
    limits = replace(limits or HubLimits(), max_connections=_MAX_PEOPLE)
    config = HttpServer(name=SERVER_NAME, url="", headers={"x-api-key": api.api_key})
    sessions = _Sessions(api, clock, limits.retry_after_s)

    def make(user: str, _: Path) -> McpServer:
        async def locate(is_lost: bool) -> HttpServer:
            url = await sessions.url(UserId(user), is_lost=is_lost)
            return replace(config, url=url)

        return McpServer(config, limits, clock, locate=locate, pins=pins)

    return PooledServer(
        SERVER_NAME,
        key=lambda context: context.asker if is_person(context.asker) else None,
        make=make,
        limits=limits,
    )


@dataclass(slots=True)
class _Sessions:
    """Addresses of sessions. An outage is reported to all for a while, without asking again."""

    api: ComposioApi
    clock: MonotonicTime
    retry_after_s: float
    outage: str = ""
    failed_at: float = -math.inf

    async def url(self, user: UserId, *, is_lost: bool) -> str:
        if self.clock() - self.failed_at < self.retry_after_s:
            raise ToolServerError(self.outage)
        ask = self.api.renew if is_lost else self.api.of
        try:
            session = await ask(user)
        except ToolServerError as error:
            is_refused = isinstance(error, ComposioRefusedError)
            if not is_refused or error.status not in _OF_THE_REQUEST:
                self.failed_at = self.clock()
                self.outage = str(error)
            raise
        return session.mcp_url
