"""A running stand-in over a few pages, and the real REST client for it."""

from collections.abc import AsyncGenerator

import aiohttp
import httpx2
import pytest
from composio_client import AsyncComposio, ProjectAuth

from bot.sandbox.composio import ComposioStandIn, Session
from tests.bot.sandbox.composio.world import PAGES, Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def standin(clock: Clock) -> AsyncGenerator[ComposioStandIn]:
    async with ComposioStandIn(PAGES, clock=clock) as running:
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


@pytest.fixture
async def http(standin: ComposioStandIn) -> AsyncGenerator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(standin.base_url, timeout=timeout) as client:
        yield client


@pytest.fixture
async def browser(standin: ComposioStandIn) -> AsyncGenerator[httpx2.AsyncClient]:
    """Somebody without the key."""
    async with httpx2.AsyncClient(base_url=standin.base_url, verify=False) as client:
        yield client
