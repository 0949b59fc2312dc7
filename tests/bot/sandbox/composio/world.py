"""A small world to search, and the real MCP client for a session of the stand-in."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from bot.sandbox.composio import ComposioStandIn, Session
from bot.sandbox.web import Page

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGES = (
    Page(
        url="http://a.test/retries",
        title="Retries without harm",
        text="Retries need a key.\nA stable idempotency key makes a second attempt harmless.",
        date=datetime(2026, 1, 23, 8, tzinfo=UTC),
        source="A blog",
        kind="web",
    ),
    Page(
        url="http://b.test/cafe",
        title="The café report",
        text="The Café Zähringer sold 410 cups of coffee on Monday.",
        date=None,
        source="b.test",
        kind="web",
    ),
    Page(
        url="http://n.test/outage",
        title="Retry storm prolongs outage",
        text="A retry storm kept the chat platform down for two hours on Wednesday.",
        date=NOW - timedelta(hours=2, minutes=10),
        source="The Daily",
        kind="news",
    ),
    Page(
        url="http://n.test/old",
        title="Outage of last winter",
        text="The platform was down for a day, and bots repeated their posts.",
        date=datetime(2026, 1, 23, 8, tzinfo=UTC),
        source="The Daily",
        kind="news",
    ),
)


@asynccontextmanager
async def connect(standin: ComposioStandIn, session: Session) -> AsyncGenerator[Client]:
    """The real MCP client on a session's endpoint."""
    url = f"{standin.base_url}/v3/mcp/{session.id}"
    async with (
        httpx2.AsyncClient(headers={"x-api-key": standin.api_key}) as http,
        Client(streamable_http_client(url, http_client=http), read_timeout_seconds=20) as client,
    ):
        yield client


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The JSON that a tool call returns as its only text block."""
    result = await client.call_tool(tool, arguments)
    [block] = result.content
    assert isinstance(block, TextContent)
    assert not result.is_error
    return json.loads(block.text)
