"""A bot that is away at times, in front of a Slack that goes on without it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from bot.ingress import CatchUp, Ingress, Rules, connect_socket, create_app, register
from bot.ingress.catch_up import HEAD_START_S
from bot.presenter import Signs
from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.slack_api import SkippingClock, SlackApi, web_client
from tests.bot.ingress.marks import MemoryMarks, MemorySessions
from tests.bot.ingress.world import ListeningFront, MemoryLedger, NamingFiles

HOUR_S = 3_600.0


@dataclass(slots=True)
class FrontsAnswers:
    """What the front was given has a turn, which ends at once or when it may."""

    front: ListeningFront
    of_old: set[str] = field(default_factory=set[str])
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def has_turn(self, key: str) -> bool:
        return key in self.of_old or any(message.key == key for message in self.front.messages)

    async def ended(self, key: str) -> None:
        await self.may_end.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What outlives a bot: Slack, the agent and what is stored."""

    slack: SlackStandIn
    clock: ManualClock
    front: ListeningFront
    ledger: MemoryLedger
    marks: MemoryMarks
    sessions: MemorySessions
    answers: FrontsAnswers

    async def mention(
        self,
        text: str,
        *,
        user: str = "ann",
        channel: str = "general",
        thread_ts: str | None = None,
    ) -> str:
        words = f"{self.slack.mention} {text}"
        return await self.slack.say(user, channel, words, thread_ts=thread_ts)

    def key(self, channel: str, ts: str) -> str:
        return f"{self.slack.team_id}:{self.slack.channels[channel]}:{ts}"

    def notices(self, channel: str) -> list[str]:
        """What the bot said to a whole conversation."""
        bot = self.slack.bot_user_id
        posts = self.slack.posts(channel)
        return [post.text for post in posts if post.user == bot and not post.is_reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    ingress: Ingress
    catch_up: CatchUp

    async def settle(self) -> None:
        async with asyncio.timeout(10):
            await self.ingress.drain()


@asynccontextmanager
async def outside_world() -> AsyncGenerator[Outside]:
    clock, front = ManualClock(), ListeningFront()
    answers = FrontsAnswers(front)
    answers.may_end.set()
    ledger = MemoryLedger()
    ledger.may_go_on.set()
    async with SlackStandIn(clock=clock, rate_limits=False) as slack:
        yield Outside(
            slack=slack,
            clock=clock,
            front=front,
            ledger=ledger,
            marks=MemoryMarks(),
            sessions=MemorySessions(),
            answers=answers,
        )


@asynccontextmanager
async def bot_in(
    outside: Outside, *, listens: bool = False, head_start_s: float = HEAD_START_S
) -> AsyncGenerator[Bot]:
    """A bot that catches up when it is told to; with `listens` it has a socket, too."""
    slack = outside.slack
    async with aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        identity = await api.identify()
        catch_up = CatchUp(
            api,
            identity,
            marks=outside.marks,
            sessions=outside.sessions,
            answers=outside.answers,
            now_s=outside.clock.now,
            head_start_s=head_start_s,
        )
        await catch_up.open()
        app = create_app(client, identity)
        ingress = register(
            app,
            outside.front,
            ledger=outside.ledger,
            files=NamingFiles(outside.front),
            api=api,
            signs=Signs(api),
            rules=Rules(identity=identity),
            catch_up=catch_up,
        )
        socket = await connect_socket(app, slack.app_token) if listens else None
        if socket is not None:
            await slack.connected()
        try:
            yield Bot(ingress=ingress, catch_up=catch_up)
        finally:
            await catch_up.close()
            if socket is not None:
                await socket.close()
