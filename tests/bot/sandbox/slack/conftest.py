from collections.abc import AsyncIterator

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client, web_client


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncIterator[SlackStandIn]:
    async with SlackStandIn(clock=clock) as slack:
        yield slack


@pytest.fixture
def general(slack: SlackStandIn) -> str:
    return slack.channels["general"]


@pytest.fixture
async def client(slack: SlackStandIn) -> Client:
    return web_client(slack)
