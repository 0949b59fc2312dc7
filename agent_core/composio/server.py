"""Composio as an MCP server: every person works through a session of their own."""

import time
from dataclasses import replace
from pathlib import Path

from agent_core.composio.api import ComposioApi, is_person
from agent_core.ids import UserId
from agent_core.mcp import HttpServer, HubLimits, McpServer, MonotonicTime, Pins, PooledServer

SERVER_NAME = "composio"
_MAX_PEOPLE = 500
"""Who are connected at a time."""


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

    def make(user: str, _: Path) -> McpServer:
        async def locate(is_lost: bool) -> HttpServer:
            ask = api.renew if is_lost else api.of
            session = await ask(UserId(user))
            return replace(config, url=session.mcp_url)

        return McpServer(
            config,
            limits,
            clock,
            locate=locate,
            pins=pins,
        )

    return PooledServer(
        SERVER_NAME,
        key=lambda context: context.asker if is_person(context.asker) else None,
        make=make,
        limits=limits,
    )
