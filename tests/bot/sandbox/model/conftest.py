"""The stand-in as the real client meets it."""

from collections.abc import AsyncGenerator, Sequence

import pytest_asyncio
from anthropic import AsyncAnthropic

from bot.sandbox.model import ModelStandIn
from bot.sandbox.web import WebPage

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
async def model() -> AsyncGenerator[ModelStandIn]:
    async with ModelStandIn(pages=pages, keep_bodies=True) as running:
        yield running


@pytest_asyncio.fixture
async def client(model: ModelStandIn) -> AsyncGenerator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=model.base_url, api_key="x", max_retries=0) as opened:
        yield opened
