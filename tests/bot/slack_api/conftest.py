from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.slack_api import SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    slack: SlackStandIn
    client: AsyncWebClient
    clock: SkippingClock
    api: SlackApi
    thread: ThreadRef

    def texts(self) -> list[str]:
        posts = self.slack.thread("general", self.thread.root_ts)[1:]
        return [post.text for post in posts]

    def calls(self, method: str) -> int:
        return sum(call.method == method for call in self.slack.calls)


@asynccontextmanager
async def open_desk(time: ManualClock | None = None) -> AsyncGenerator[Desk]:
    """With a `time` the stand-in goes by that."""
    async with (
        SlackStandIn(clock=time, rate_limits=False) as slack,
        aiohttp.ClientSession() as session,
    ):
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        clock = SkippingClock()
        ts = await slack.say("ann", "general", "the root")
        thread = ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=ts)
        api = SlackApi(client, clock=clock)
        yield Desk(slack=slack, client=client, clock=clock, api=api, thread=thread)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with open_desk() as desk:
        yield desk
