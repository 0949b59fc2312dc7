"""The Slack stand-in: start it, act as people, look at what the bot did."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Self, TypeVar

from aiohttp.typedefs import Middleware

from bot.sandbox.loopback import LOOPBACK, serve
from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.people import SimulatedPeople
from bot.sandbox.slack.records import ApiCall, Delivery, File, Post, SuggestedPrompts
from bot.sandbox.slack.server import RateLimiter, SlackServer
from bot.sandbox.slack.sockets import Sockets, StandInTasks
from bot.sandbox.slack.state import PEOPLE, TEAM_ID, App, SandboxClock, TeamState
from bot.sandbox.slack.wire import JsonObject

T = TypeVar("T")


class SlackStandIn(SimulatedPeople):
    """An aiohttp server on loopback that the real slack_sdk and slack-bolt talk to.

    Use it as an async context manager. `rate_limits=False` lifts the rates.
    """

    sockets_type: type[Sockets] = Sockets
    middlewares: Sequence[Middleware] = ()

    def __init__(
        self,
        app: App | None = None,
        *,
        clock: SandboxClock | None = None,
        rate_limits: bool = True,
    ) -> None:
        clock = clock or SandboxClock()
        self.app = app or App()
        state = TeamState(clock, self.app)
        self._background = StandInTasks()
        super().__init__(SlackBackend(state, self.sockets_type(state, self._background)))
        limiter = RateLimiter(clock) if rate_limits else None
        self._server = SlackServer(self.backend, limiter)
        self._running = AsyncExitStack()
        self.bot_token = self.app.bot_token
        self.app_token = self.app.app_token
        self.bot_user_id = state.bot.id
        self.team_id = TEAM_ID
        self.mention = f"<@{self.bot_user_id}>"
        """The bot's mention in wire form."""
        self.users = state.user_ids
        """Every user's id by name: people, guest, stranger, nameless, robot (another bot), bot."""
        self.people = {name: self.users[name] for name in PEOPLE}
        """The ids of the three ordinary members by name."""
        self.channels = state.channel_ids
        """Channels by name; the bot is in neither "random" nor "hidden" (private)."""

    @classmethod
    def installed_from(cls, manifest: JsonObject, *, clock: SandboxClock | None = None) -> Self:
        """A team with the app of a manifest, granted only what the manifest declares."""
        features = manifest["features"]
        app = App(
            name=features["bot_user"]["display_name"],
            scopes=manifest["oauth_config"]["scopes"]["bot"],
            bot_events=manifest["settings"]["event_subscriptions"]["bot_events"],
            commands=features["slash_commands"],
            shortcuts=features["shortcuts"],
        )
        slack = cls(app, clock=clock)
        prompts = tuple(features["agent_view"]["suggested_prompts"])
        for person in slack.people:
            channel = slack.dm_id(person)
            slack.state.keep(SuggestedPrompts(channel=channel, prompts=prompts))
        return slack

    async def __aenter__(self) -> Self:
        self._running.push_async_callback(self._background.close)
        app = self._server.build_app(self.middlewares)
        port = await self._running.enter_async_context(serve(app))
        self._running.push_async_callback(self.backend.sockets.close)
        self.backend.base_url = f"http://{LOOPBACK}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._running.aclose()

    @property
    def base_url(self) -> str:
        return self.backend.base_url

    @property
    def api_url(self) -> str:
        return f"{self.base_url}/api/"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that lead a bot to this stand-in."""
        return {
            "SLACK_BOT_TOKEN": self.bot_token,
            "SLACK_APP_TOKEN": self.app_token,
            "SLACK_API_URL": self.api_url,
        }

    @property
    def calls(self) -> list[ApiCall]:
        return list(self.state.calls)

    @property
    def deliveries(self) -> list[Delivery]:
        """Every attempt to bring a payload to the app, in the order of sending."""
        return list(self.state.deliveries.values())

    @property
    def open_sockets(self) -> int:
        return len(self.backend.sockets.receivers)

    @property
    def files(self) -> list[File]:
        return list(self.state.files.values())

    def thread(self, channel: str, thread_ts: str) -> list[Post]:
        """A thread's posts by ts, ephemeral ones (`ephemeral_to`) included."""
        return [post for post in self.posts(channel) if post.root_ts == thread_ts]

    def posts(self, channel: str) -> list[Post]:
        """All posts of a channel by ts, replies and ephemeral ones included."""
        channel_id = self.channel_id(channel)
        posts = self.state.posts_of(channel_id)
        posts += [post for post in self.state.ephemerals.values() if post.channel == channel_id]
        return sorted(posts, key=lambda post: post.ts)

    async def wait_for(self, probe: Callable[[Self], T], *, timeout_s: float = 10.0) -> T:
        """Wait until the probe gives something true, and return it. Raises TimeoutError."""
        changed = asyncio.Event()
        async with asyncio.timeout(timeout_s):
            with self.state.watch(lambda _: changed.set()):
                while True:
                    result = probe(self)
                    if result:
                        return result
                    await changed.wait()
                    changed.clear()

    async def connected(self, *, timeout_s: float = 10.0) -> None:
        """Wait until the app has a greeted socket."""
        await self.wait_for(lambda _: self.open_sockets > 0, timeout_s=timeout_s)
