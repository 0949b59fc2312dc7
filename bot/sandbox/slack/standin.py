"""The Slack stand-in as its users hold it: start it, act as people, look at what the bot did."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from aiohttp import web

from bot.sandbox.slack.app import DEFAULT_EVENTS, DEFAULT_SCOPES, install_app
from bot.sandbox.slack.background import Background
from bot.sandbox.slack.clock import Clock, SystemClock
from bot.sandbox.slack.events import wrap_event
from bot.sandbox.slack.faults import Fault, Faults
from bot.sandbox.slack.feed import Change
from bot.sandbox.slack.interactions import Interactions
from bot.sandbox.slack.methods.table import METHODS
from bot.sandbox.slack.rates import RateLimiter
from bot.sandbox.slack.records import ApiCall, Delivery, File, Post, SuggestedPrompts
from bot.sandbox.slack.server import Server
from bot.sandbox.slack.sockets import Sockets
from bot.sandbox.slack.state import State
from bot.sandbox.slack.team import PEOPLE
from bot.sandbox.slack.wire import JsonObject
from bot.sandbox.slack.workspace import Workspace

T = TypeVar("T")


class SlackStandIn(Interactions):
    """An aiohttp server on loopback that the real slack_sdk and slack-bolt talk to.

    Use it as an async context manager. `rate_limits=False` lifts the tiers; `scopes`,
    `bot_events`, `unfurl_domains` and `home_tab` are what the app's manifest would grant.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        bot_name: str = "universal-agent",
        clock: Clock | None = None,
        scopes: Sequence[str] = DEFAULT_SCOPES,
        bot_events: Sequence[str] = DEFAULT_EVENTS,
        rate_limits: bool = True,
        unfurl_domains: Sequence[str] = (),
        home_tab: bool = True,
    ) -> None:
        clock = clock or SystemClock()
        state = State(clock, bot_name)
        self.app = install_app(
            state.team,
            scopes,
            bot_events,
            unfurl_domains=unfurl_domains,
            is_home_enabled=home_tab,
        )
        self._background = Background()
        self._sockets = Sockets(clock, state.feed, self._background, self.app.id)
        super().__init__(Workspace(state, self.app, self._sockets, self._background))
        self._faults = Faults()
        limiter = RateLimiter(clock) if rate_limits else None
        self._server = Server(self.workspace, METHODS, self._faults, limiter)
        self._port = port
        self._runner: web.AppRunner | None = None

    @classmethod
    def installed_from(cls, manifest: JsonObject, *, clock: Clock | None = None) -> Self:
        """A team that has installed the app of a manifest."""
        features, settings = manifest["features"], manifest["settings"]
        slack = cls(
            clock=clock,
            bot_name=features["bot_user"]["display_name"],
            scopes=manifest["oauth_config"]["scopes"]["bot"],
            bot_events=settings["event_subscriptions"]["bot_events"],
            unfurl_domains=features.get("unfurl_domains", ()),
            home_tab=features["app_home"]["home_tab_enabled"],
        )
        if prompts := features.get("agent_view", {}).get("suggested_prompts"):
            for person in slack.people.values():
                shown = SuggestedPrompts(
                    channel=slack.dm_id(person), title="", prompts=tuple(prompts)
                )
                slack.state.set_prompts(shown)
        return slack

    async def __aenter__(self) -> Self:
        runner = web.AppRunner(self._server.build_app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._runner = runner
        await web.TCPSite(runner, "127.0.0.1", self._port).start()
        self._port = runner.addresses[0][1]
        self.workspace.base_url = f"http://127.0.0.1:{self._port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()
        await self._background.close()

    @property
    def base_url(self) -> str:
        return self.workspace.base_url

    @property
    def api_url(self) -> str:
        return f"{self.base_url}/api/"

    @property
    def bot_token(self) -> str:
        return self.app.bot_token

    @property
    def app_token(self) -> str:
        return self.app.app_token

    @property
    def config_token(self) -> str:
        """The token for the manifest methods; it belongs to a person, not to the app."""
        return self.app.config_token

    @property
    def bot_user_id(self) -> str:
        return self.app.bot_user_id

    @property
    def bot_id(self) -> str:
        return self.app.bot_id

    @property
    def team_id(self) -> str:
        return self.app.team_id

    @property
    def mention(self) -> str:
        """The bot's mention in wire form."""
        return f"<@{self.app.bot_user_id}>"

    @property
    def people(self) -> dict[str, str]:
        """The three ordinary members, name to id."""
        return {name: self.state.team.users[name].id for name in PEOPLE}

    @property
    def users(self) -> dict[str, str]:
        """Everyone by name: people, guest, stranger, nameless, robot (another bot), bot."""
        return {name: user.id for name, user in self.state.team.users.items()}

    @property
    def channels(self) -> dict[str, str]:
        """Channels by name; the bot is in neither "random" nor "hidden" (private)."""
        return {name: channel.id for name, channel in self.state.team.channels.items()}

    @property
    def calls(self) -> list[ApiCall]:
        return list(self.state.calls)

    @property
    def deliveries(self) -> list[Delivery]:
        """Every attempt to bring a payload to the app, in the order in which they were sent."""
        return list(self.state.deliveries.values())

    @property
    def events_under_way(self) -> int:
        """How many events the app has not acknowledged yet, those on their way included."""
        return self.workspace.deliverer.events_under_way

    @property
    def files(self) -> list[File]:
        """The files that exist; deleted ones are not among them."""
        files = self.state.files.values()
        return [file for file in files if file.id not in self.state.deleted_files]

    def thread(self, channel: str, thread_ts: str) -> list[Post]:
        """A thread's posts by ts, ephemeral ones (`ephemeral_to`) included."""
        return [post for post in self.posts(channel) if post.root_ts == thread_ts]

    def posts(self, channel: str) -> list[Post]:
        """All posts of a channel by ts, replies and ephemeral ones included."""
        channel_id = self.channel_id(channel)
        shown = [post for post in self.state.ephemerals if post.channel == channel_id]
        return sorted(self.state.posts_of(channel_id) + shown, key=lambda post: post.ts)

    def changes(self) -> AsyncIterator[Change]:
        """The live feed from now on."""
        return self.state.feed.subscribe()

    async def wait_for(self, probe: Callable[[Self], T], *, timeout_s: float = 10.0) -> T:
        """Wait until the probe gives something true, and return it. Raises TimeoutError."""
        changed = asyncio.Event()
        async with asyncio.timeout(timeout_s):
            with self.state.feed.watch(changed.set):
                while not (found := probe(self)):
                    await changed.wait()
                    changed.clear()
        return found

    async def connected(self, *, timeout_s: float = 10.0) -> None:
        """Wait until the app has a socket that was greeted."""
        await self.wait_for(lambda _: self._sockets.open_sockets > 0, timeout_s=timeout_s)

    @property
    def open_sockets(self) -> int:
        return self._sockets.open_sockets

    @property
    def sockets(self) -> Sockets:
        """The sockets themselves, for faults: black holes, lost acknowledgements, odd frames."""
        return self._sockets

    def fail(
        self,
        method: str,
        *,
        times: int = 1,
        status: int = 200,
        error: str | None = None,
        retry_after_s: int | None = None,
        drop_after_accept: bool = False,
        html: bool = False,
        hang_s: float = 0.0,
    ) -> None:
        """Order a fault (see `Fault`) for the next calls of a method, any ("*") or "upload"."""
        fault = Fault(
            times=times,
            status=status,
            error=error,
            retry_after_s=retry_after_s,
            drop_after_accept=drop_after_accept,
            html=html,
            hang_s=hang_s,
        )
        self._faults.add(method, fault)

    def heal(self) -> None:
        """Take back every fault that was ordered and not used."""
        self._faults.clear()

    def revoke_tokens(self) -> None:
        """From now on the tokens are answered with `token_revoked`; the app is told once."""
        self.workspace.revoked_tokens |= {self.app.bot_token, self.app.app_token}
        tokens: JsonObject = {"oauth": [], "bot": [self.app.bot_user_id]}
        self.workspace.emit("tokens_revoked", {"type": "tokens_revoked", "tokens": tokens})

    def send_event(self, event: JsonObject) -> None:
        """Deliver an event made up by the caller, subscribed or not, in the usual wrapper."""
        payload = wrap_event(self.state, self.app, event, None)
        self.workspace.deliverer.start_event(payload)

    async def redeliver(
        self,
        event_id: str | None = None,
        *,
        attempt: int = 1,
        reason: str = "timeout",
        same_envelope: bool = False,
    ) -> Delivery:
        """Deliver an event (the last one, or all that is known of an id) once more."""
        events = [d for d in self.deliveries if d.event_id and event_id in (None, d.event_id)]
        delivery = events[-1]
        return await self.workspace.deliverer.attempt(
            "events_api",
            delivery.payload,
            attempt=attempt,
            reason=reason,
            envelope_id=delivery.envelope_id if same_envelope else None,
        )

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Send every socket Slack's notice that it is about to close."""
        await self._sockets.disconnect(reason)

    def cut_sockets(self) -> None:
        """Break every socket's connection without a word."""
        self._sockets.cut()
