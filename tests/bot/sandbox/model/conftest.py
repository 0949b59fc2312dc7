"""The stand-in as the real client meets it."""

from collections.abc import AsyncGenerator, Sequence

import pytest_asyncio
from anthropic import AsyncAnthropic

from bot.sandbox.web import WebPage
from tests.scripted_stand_in import ScriptedStandIn

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
    async with AsyncAnthropic(base_url=model.base_url, api_key="x", max_retries=0) as opened:
        yield opened
