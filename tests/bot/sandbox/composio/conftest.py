"""A running stand-in over a few pages, and the real REST client for it."""

from collections.abc import AsyncGenerator

import pytest
from composio_client import AsyncComposio, ProjectAuth

from bot.sandbox.composio import ComposioStandIn, Session
from tests.bot.sandbox.composio.world import NOW, PAGES


@pytest.fixture
async def standin() -> AsyncGenerator[ComposioStandIn]:
    async with ComposioStandIn(PAGES, clock=lambda: NOW) as running:
        yield running


@pytest.fixture
async def api(standin: ComposioStandIn) -> AsyncGenerator[AsyncComposio]:
    async with AsyncComposio(
        auth=ProjectAuth(standin.api_key), base_url=standin.base_url, max_retries=0
    ) as client:
        yield client


@pytest.fixture
async def session(standin: ComposioStandIn, api: AsyncComposio) -> Session:
    created = await api.tool_router.session.create(user_id="T1:U1")
    return standin.sessions[created.session_id]
