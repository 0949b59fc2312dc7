"""Composio's tools: every person works through a session, and so the accounts, of their own.

Files that a result names by address land in the session; of one that is too large to come directly
the model is told how to fetch it.
"""

import math
import time
from dataclasses import replace
from pathlib import Path

from agent_core.composio.api import ComposioApi, is_person
from agent_core.errors import ComposioRefusedError, ToolServerError
from agent_core.ids import UserId
from agent_core.mcp import HttpServer, HubLimits, McpServer, MonotonicTime, Pins, PooledServer

SERVER_NAME = "composio"
_MAX_PEOPLE = 500
"""Who are connected at a time."""
_OF_THE_REQUEST = frozenset({400, 404, 409, 422})
"""Composio refused what was asked for one person, and is well: it may serve the others."""


def composio_server(
    api: ComposioApi,
    *,
    pins: Pins | None = None,
    limits: HubLimits | None = None,
    clock: MonotonicTime = time.monotonic,
) -> PooledServer:
    """Composio's tools, `mcp__composio__<SLUG>`, of each person's own session.

    A session is made when a person's first turn asks, and made anew when Composio does not know it
    any more. Where nobody asked, there are no tools. An outage is told to all,
    without asking again.
    """
    limits = replace(limits or HubLimits(), max_connections=_MAX_PEOPLE)
    config = HttpServer(name=SERVER_NAME, url="", headers={"x-api-key": api.api_key})
    outage = (-math.inf, "")

    def make(user: str, _: Path) -> McpServer:
        async def locate(is_lost: bool) -> HttpServer:
            nonlocal outage
            failed_at, reason = outage
            if clock() - failed_at < limits.retry_after_s:
                raise ToolServerError(reason)
            try:
                session = await (api.renew if is_lost else api.of)(UserId(user))
            except ToolServerError as error:
                is_refused = isinstance(error, ComposioRefusedError)
                if not is_refused or error.status not in _OF_THE_REQUEST:
                    outage = (clock(), str(error))
                raise
            return replace(config, url=session.mcp_url)

        return McpServer(config, limits, clock, locate=locate, pins=pins)

    return PooledServer(
        SERVER_NAME,
        key=lambda context: context.asker if is_person(context.asker) else None,
        make=make,
        limits=limits,
    )
