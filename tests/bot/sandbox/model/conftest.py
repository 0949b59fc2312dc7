"""The stand-in as the real client meets it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING

import pytest_asyncio

from bot.sandbox.web import WebPage
from tests.scripted_stand_in import ScriptedStandIn

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

JITTER = WebPage(
    url="http://blog.test/jitter",
    title="Jitter, explained",
    text="Jitter, explained\nFull jitter waits a random time between zero and the ceiling. "
    "It spreads the load.\nCrowds come back at once without it.",
    date=None,
    source="Blog",
    kind="web",
)


async def pages() -> Sequence[WebPage]:
    return (JITTER,)


@pytest_asyncio.fixture
async def model() -> AsyncGenerator[ScriptedStandIn]:
    async with ScriptedStandIn(pages=pages) as running:
        yield running


@pytest_asyncio.fixture
async def client(model: ScriptedStandIn) -> AsyncGenerator[AsyncAnthropic]:
    """Loaded here, not by every worker that lists the tests: that takes it a second."""
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(base_url=model.base_url, api_key="x", max_retries=0) as opened:
        yield opened
