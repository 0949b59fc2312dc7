"""Puts the ingress onto a Bolt app and its socket, and takes up again what was left.

Slack tells of posts in two shapes: `app_mention` for a mention, `message` for every post.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.messages import JsonObject
from bot.ingress.actions import Actions
from bot.ingress.catch_up import CatchUp
from bot.ingress.gate import Arrival, Ledger
from bot.ingress.gestures import is_gesture
from bot.ingress.ingress import Ingress
from bot.slack_api import Identity, SystemClock, web_client
from bot.socket import Ask, Door, OnHealed, SocketMode, Timing, acknowledge

EVENTS = ("app_mention", "message")
"""The event types that are listened to. The manifest subscribes to these and no others."""

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
    return AsyncApp(client=tokenless, authorize=authorize)


async def connect_socket(
    app: AsyncApp,
    app_token: str,
    *,
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
    clock, timing = SystemClock(), timing or Timing()
    door = Door(app_token, app.client, partial(acknowledge, app), clock=clock, timing=timing)
    socket = SocketMode(door, clock=clock, timing=timing, ask=ask, on_healed=on_healed)
    await socket.start()
    return socket


def register(bolt: AsyncApp, ingress: Ingress, catch_up: CatchUp | None = None) -> None:
    """Give what Slack tells of posts to the ingress.

    Nothing is acknowledged before it is in the ledger. Every other event is acknowledged and left,
    so register further listeners before this one.
    """
    app: Any = bolt  # Bolt's decorators are not typed
    app.use(_Events(ingress, catch_up))


class _Events(AsyncMiddleware):
    """Takes events from Bolt before it looks for a listener.

    An error leaves the payload unacknowledged, so Slack delivers it again.
    """

    def __init__(self, ingress: Ingress, catch_up: CatchUp | None) -> None:
        self._ingress = ingress
        self._catch_up = catch_up

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],
    ) -> BoltResponse | None:
        body: dict[str, Any] = req.body
        if body.get("type") != "event_callback":
            return await next()
        if (kind := body["event"].get("type")) in EVENTS:
            await self._take(body)
        else:
            logger.info("an event of the type %r is left alone", str(kind)[:80])
        return BoltResponse(status=200, body="")

    async def _take(self, body: JsonObject) -> None:
        try:
            arrival = await self._ingress.receive(body)
        except Exception:
            if self._catch_up is not None:
                self._catch_up.lose()
            raise
        if self._catch_up is not None:
            self._catch_up.note(body)
        if arrival is not None:
            self._ingress.under_way.start(self._hand_over(arrival), name="hand over")

    async def _hand_over(self, arrival: Arrival) -> None:
        post = arrival.post
        if self._catch_up is not None and post is not None and self._ingress.waits_its_turn(post):
            await self._catch_up.let_earlier_pass(post)
        await self._ingress.hand_over(arrival)


async def take_up(ledger: Ledger, ingress: Ingress, actions: Actions | None = None) -> None:
    """Take up again what was recorded and not handled: in vain by this process, or a dead one.

    Call it before the first payload can come, so that new posts stay behind older ones, and then
    every few seconds.
    """
    for way in filter(None, (ingress, actions)):
        for key in sorted(way.in_vain):
            await ledger.release(key)
            way.in_vain.discard(key)
    for body in await ledger.unsettled():
        way = actions if actions and is_gesture(body) else ingress
        way.under_way.start(way.replay(body), name="replay")
    await asyncio.sleep(0)  # each has its place in its lane from now on
