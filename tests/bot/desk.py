"""The Slack stand-in, the real client of the bot for it, and a thread that Ann began."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_api import SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef
from tests.clocks import ManualClock
from tests.faulty_slack import FaultySlack


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Waits between retries end at once; Slack itself is not limited unless a test says so."""

    slack: FaultySlack
    client: AsyncWebClient
    clock: SkippingClock
    api: SlackApi
    thread: ThreadRef

    def texts(self) -> list[str]:
        """What the bot wrote into the thread, in order."""
        posts = self.slack.thread("general", self.thread.root_ts)
        return [post.words for post in posts if post.user == self.slack.bot_user_id]

    def calls(self, method: str) -> int:
        return sum(call.method == method for call in self.slack.calls)


AnyDesk = TypeVar("AnyDesk", bound=Desk)


@asynccontextmanager
async def open_desk(
    kind: type[AnyDesk], *, time: ManualClock | None = None, **more: Any
) -> AsyncGenerator[AnyDesk]:
    """With a `time` the stand-in goes by that; `more` is what this kind of desk has besides."""
    async with (
        FaultySlack(clock=time, rate_limits=False) as slack,
        aiohttp.ClientSession() as session,
    ):
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        clock = SkippingClock()
        ts = await slack.say("ann", "general", f"{slack.mention} what is new?")
        thread = ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=ts)
        api = SlackApi(client, clock=clock)
        yield kind(slack=slack, client=client, clock=clock, api=api, thread=thread, **more)
