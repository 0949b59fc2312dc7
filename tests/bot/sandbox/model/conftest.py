"""The stand-in and a real client for it."""

from collections.abc import AsyncIterator

import pytest
from anthropic import AsyncAnthropic

from bot.sandbox.model import ModelStandIn


@pytest.fixture
async def model() -> AsyncIterator[ModelStandIn]:
    async with ModelStandIn() as standin:
        yield standin


@pytest.fixture
async def client(model: ModelStandIn) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(base_url=model.base_url, api_key="sandbox") as client:
        yield client
