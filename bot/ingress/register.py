"""Puts the ingress onto a Bolt app and its socket, and takes up again what was left.

Slack tells of posts in two shapes: `app_mention` for a mention, `message` for every post.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.background import Background
from agent_core.messages import JsonObject
from bot.ingress.authorise import Rules
from bot.ingress.catch_up import CatchUp
from bot.ingress.changes import Unheard
from bot.ingress.gate import Arrival, Front, Ledger
from bot.ingress.gestures import is_gesture
from bot.ingress.handover import FileKeeper
from bot.ingress.ingress import Ingress, Signs
from bot.slack_api import Clock, Identity, People, SlackApi, SystemClock, web_client
from bot.socket import Ask, Door, OnHealed, SocketMode, Timing, acknowledge

EVENTS = ("app_mention", "message")
"""The event types that are listened to. The manifest subscribes to these and no others."""

EVERY_S = 5.0
CLOSE_PATIENCE_S = 1.0
_ARRIVAL = "arrival"

logger = logging.getLogger(__name__)


def create_app(client: AsyncWebClient, identity: Identity) -> AsyncApp:
    """A Bolt app for the one workspace of the token; it acknowledges nothing that is not handled.

    Bolt's own single-team set-up asks `auth.test` on the first payload, and where that call fails
    it answers the payload as if it were handled: Slack would not deliver it again. So the identity
    is found beforehand, and Bolt's client has no token of its own from which it would ask.
    """

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=None,
            team_id=identity.team,
            bot_user_id=identity.bot_user,
            bot_id=identity.bot_id,
            bot_token=client.token,
        )

    tokenless = web_client(None, base_url=client.base_url, session=client.session)
    return AsyncApp(client=tokenless, authorize=authorize, before_authorize=_CheckShape())


class _CheckShape(AsyncMiddleware):
    """Acknowledges payloads that Bolt cannot read: they would come again and again."""

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],
    ) -> BoltResponse | None:
        body: dict[str, Any] = req.body
        if body.get("type") == "app_rate_limited":
            logger.error("Slack holds back events: more than 30,000 came within an hour")
            return BoltResponse(status=200, body="")
        if body.get("type") == "event_callback" and not isinstance(body.get("event"), dict):
            return BoltResponse(status=200, body="")
        return await next()


async def connect_socket(
    app: AsyncApp,
    app_token: str,
    *,
    clock: Clock | None = None,
    timing: Timing | None = None,
    ask: Ask | None = None,
    on_healed: OnHealed | None = None,
) -> SocketMode:
    """Open the socket over which Slack delivers, by the way of the app's client, and keep it open.

    `ask` looks whether Slack still knows the bot, `on_healed` looks for what came while there was
    no socket.

    Raises:
        SlackAuthRefused: the app-level token is wrong.
    """
    clock, timing = clock or SystemClock(), timing or Timing()
    door = Door(app_token, app.client, partial(acknowledge, app), clock=clock, timing=timing)
    socket = SocketMode(door, clock=clock, timing=timing, ask=ask, on_healed=on_healed)
    await socket.start()
    return socket


def register(
    bolt: AsyncApp,
    front: Front,
    *,
    ledger: Ledger,
    files: FileKeeper,
    api: SlackApi,
    rules: Rules,
    signs: Signs,
    people: People | None = None,
    catch_up: CatchUp | None = None,
) -> Ingress:
    """Listen to posts on the app and hand those for the bot to the front door.

    Nothing is acknowledged before it is in the ledger. Event types without a listener are
    acknowledged and left, so register further listeners before this one.
    """
    ingress = Ingress(
        front,
        ledger=ledger,
        files=files,
        api=api,
        rules=rules,
        signs=signs,
        people=people or People(api),
        clock=api.clock,
    )
    listener = _Listener(ingress, catch_up)
    if catch_up is not None:
        catch_up.join(ingress)
    app: Any = bolt  # Bolt's decorators are not typed
    app.use(listener.decide)
    for event in EVENTS:
        app.event(event)(listener.hand_over)
    app.event(re.compile(".*"))(listener.leave)
    return ingress


class _Listener:
    """What Bolt calls: `decide` before it acknowledges, the others after it."""

    def __init__(self, ingress: Ingress, catch_up: CatchUp | None) -> None:
        self._ingress = ingress
        self._catch_up = catch_up
        self._unheard = Unheard()

    async def decide(
        self, body: dict[str, Any], context: dict[str, Any], next_: Any
    ) -> BoltResponse | None:
        """An error leaves the payload unacknowledged, so Slack delivers it again."""
        if body.get("type") == "event_callback" and body["event"].get("type") in EVENTS:
            context[_ARRIVAL] = await self._receive(body)
            if context[_ARRIVAL] is None:
                self._unheard.note(body)
                return BoltResponse(status=200, body="")
        await next_()
        return None

    async def hand_over(self, context: dict[str, Any]) -> None:
        arrival: Arrival = context[_ARRIVAL]
        post = arrival.post
        if self._catch_up is not None and post is not None and self._ingress.waits_its_turn(post):
            await self._catch_up.let_earlier_pass(post)
        await self._ingress.hand_over(arrival)

    async def leave(self, body: dict[str, Any]) -> None:
        """An event nobody listens to. Unacknowledged it would come again."""
        self._unheard.note(body)

    async def _receive(self, body: dict[str, Any]) -> Arrival | None:
        try:
            arrival = await self._ingress.receive(body)
        except Exception:
            if self._catch_up is not None:
                self._catch_up.lose()
            raise
        if self._catch_up is not None:
            self._catch_up.note(body, is_taken=arrival is not None)
        return arrival


class Replays(Protocol):
    """Handles again what it recorded."""

    @property
    def in_vain(self) -> set[str]:
        """Keys to release; whoever releases one takes it out."""
        ...

    async def replay(self, body: JsonObject) -> None: ...


class TakingUp:
    """Takes up again what was recorded and not handled: in vain by this process, or a dead one."""

    def __init__(
        self,
        ledger: Ledger,
        posts: Replays,
        clock: Clock,
        *,
        gestures: Replays | None = None,
        every_s: float = EVERY_S,
    ) -> None:
        self._ledger = ledger
        self._posts = posts
        self._gestures = gestures or posts
        self._clock = clock
        self._every_s = every_s
        self._background = Background()

    async def start(self) -> None:
        """Begin with what is there now, and go on looking.

        Call it before the first payload can come: new posts then stay behind older ones.
        """
        await self._look()
        self._background.start(self._keep_looking(), name="taking up")

    async def close(self) -> None:
        """Stop. What is not handled is taken up by the next process."""
        await self._background.close(patience_s=CLOSE_PATIENCE_S)

    async def _keep_looking(self) -> None:
        while True:
            await self._clock.sleep(self._every_s)
            try:
                await self._look()
            except Exception:
                logger.exception("the ledger could not be looked at; again in %g s", self._every_s)

    async def _look(self) -> None:
        for way in {self._posts, self._gestures}:
            for key in sorted(way.in_vain):
                await self._ledger.release(key)
                way.in_vain.discard(key)
        for body in await self._ledger.unsettled():
            way = self._gestures if is_gesture(body) else self._posts
            self._background.start(way.replay(body), name="replay")
        await asyncio.sleep(0)  # each has its place in its lane from now on
