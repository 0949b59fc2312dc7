"""A small world to search, and the real MCP client for a session of the stand-in."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

import httpx2
from composio_client import AsyncComposio
from composio_client.types.tool_router.session_execute_meta_response import (
    SessionExecuteMetaResponse,
)
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextContent

from bot.sandbox.composio import ComposioStandIn, Session
from bot.sandbox.web import Page

MetaSlug = Literal[
    "COMPOSIO_SEARCH_TOOLS",
    "COMPOSIO_MULTI_EXECUTE_TOOL",
    "COMPOSIO_MANAGE_CONNECTIONS",
    "COMPOSIO_REMOTE_WORKBENCH",
    "COMPOSIO_REMOTE_BASH_TOOL",
]
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


class Clock:
    """Stands at NOW until a test moves it on."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


async def run_meta(
    api: AsyncComposio, session: Session, slug: MetaSlug, arguments: dict[str, Any]
) -> SessionExecuteMetaResponse:
    """A meta tool over REST."""
    done = await api.tool_router.session.execute_meta(session.id, slug=slug, arguments=arguments)
    assert isinstance(done, SessionExecuteMetaResponse)
    return done


async def run_batch(
    api: AsyncComposio, session: Session, *tools: tuple[str, dict[str, Any]], sync: bool = False
) -> list[dict[str, Any]]:
    """The results of a batch over REST, one for each tool."""
    items = [{"tool_slug": slug, "arguments": arguments} for slug, arguments in tools]
    body = {"tools": items, "sync_response_to_workbench": sync}
    done = await run_meta(api, session, "COMPOSIO_MULTI_EXECUTE_TOOL", body)
    return cast("list[dict[str, Any]]", done.data["results"])


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
