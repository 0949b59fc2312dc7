"""Puts the ingress onto a Bolt app and its socket, and takes up again what was left.

Slack tells of posts in two shapes: `app_mention` for a mention, `message` for every post.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.messages import JsonObject
from agent_core.runtime import Ledger
from bot.inbound import Edit, InboundPost, PostEvent, is_gesture, post_of
from bot.ingress.actions import Actions
from bot.ingress.backfill_run import Backfill
from bot.ingress.ingress import Ingress
from bot.slack_api import Identity, MonotonicClock, web_client
from bot.socket import Envelope, OnHealed, SocketMode, Timing, TokenCheck, open_connection

_FOR_BOLT = frozenset({"events_api", "interactive", "slash_commands"})
_MAX_SHOWN_CHARS = 80

Replay = Callable[[JsonObject], Coroutine[Any, Any, None]]

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
    return AsyncApp(name="agent", client=tokenless, authorize=authorize)  # unnamed it starts slowly


async def connect_socket(
    app: AsyncApp,
    app_token: str,
    *,
    timing: Timing | None = None,
    ask: TokenCheck,
    on_healed: OnHealed,
) -> SocketMode:
    """Open the socket over which Slack delivers, by the way of the app's client, and keep it open.

    `ask` looks whether Slack still knows the bot, `on_healed` looks for what came while there was
    no socket. Raises SlackAuthRefused where the app-level token is wrong.
    """
    clock, timing = MonotonicClock(), timing or Timing()
    open_next = partial(
        open_connection,
        app_token,
        app.client,
        partial(acknowledge, app),
        clock=clock,
        timing=timing,
    )
    socket = SocketMode(
        open_next,
        clock=clock,
        timing=timing,
        ask=ask,
        on_healed=on_healed,
    )
    await socket.start()
    return socket


async def acknowledge(app: AsyncApp, envelope: Envelope) -> JsonObject | None:
    """The acknowledgement of an envelope that Bolt has dealt with.

    None where Bolt failed with it or has nobody for it: Slack then delivers it again. What nobody
    could ever read is acknowledged, since it would come again and again.
    """
    payload, acknowledged = envelope.payload, {"envelope_id": envelope.id}
    if envelope.type not in _FOR_BOLT or payload is None:
        kind = envelope.type[:_MAX_SHOWN_CHARS]
        logger.warning("an envelope of the type %r cannot be read and is left", kind)
        return acknowledged
    if payload.get("type") == "app_rate_limited":
        logger.error("Slack holds back events: more than 30,000 came within an hour")
        return acknowledged
    try:
        if payload.get("type") == "event_callback" and not isinstance(payload["event"], dict):
            raise TypeError  # noqa: TRY301 (as what Bolt itself cannot read)
        request = AsyncBoltRequest(mode="socket_mode", body=payload)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.warning("a payload cannot be read and is left (%s)", type(error).__name__)
        return acknowledged
    response = await app.async_dispatch(request)
    if response.status != 200:
        logger.info("a payload was not taken (status %s)", response.status)
        return None
    return {**acknowledged, "payload": json.loads(response.body)} if response.body else acknowledged


def register(
    bolt: AsyncApp,
    ingress: Ingress,
    actions: Actions,
    backfill: Backfill,
) -> None:
    """Give what Slack tells of posts to the ingress, and what people do besides to the actions.

    Nothing of these is acknowledged before it is in the ledger. Every other event is acknowledged
    and left, so register further listeners before this one.
    """
    app: Any = bolt  # Bolt's decorators are not typed
    app.use(_Taking(ingress, actions, backfill))


@dataclass(frozen=True, slots=True)
class _Taking(AsyncMiddleware):
    """Takes payloads from Bolt before it looks for a listener: what is answered is the answer.

    An error leaves the payload unacknowledged: Slack delivers an event again, and says to a person
    that their press did not work.
    """

    _ingress: Ingress
    _actions: Actions
    _backfill: Backfill

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],
    ) -> BoltResponse | None:
        body: dict[str, Any] = req.body
        if is_gesture(body):
            return BoltResponse(status=200, body=await self._actions.receive(body) or "")
        match body.get("type"):
            case "event_callback":
                await self._take(body)
            case "view_closed":
                pass
            case _:
                return await next()
        return BoltResponse(status=200, body="")

    async def _take(self, body: JsonObject) -> None:
        try:
            event = await self._ingress.receive(body)
        except Exception:
            self._backfill.watermark.lose("a payload could not be received; it may not come again")
            raise
        self._backfill.watermark.check_silence()
        if event is not None:
            self._ingress.under_way.start(self._hand_over(event), name="hand over")

    async def _hand_over(self, event: PostEvent) -> None:
        if isinstance(event, InboundPost | Edit):
            post = post_of(event)
            if self._ingress.waits_its_turn(post):
                await self._backfill.let_earlier_pass(post)
        await self._ingress.hand_over(event)


async def take_up(
    ledger: Ledger,
    ingress: Ingress,
    actions: Actions,
    replays: Mapping[str, Replay],
) -> None:
    """Take up again what was recorded and not handled: in vain by this process, or a dead one.

    `replays` are for payloads of other types than Slack's. What they leave is the ingress's, too.
    Call it before the first payload can come, so that new posts stay behind older ones, and then
    every few seconds.
    """
    for way in (ingress, actions):
        for key in sorted(way.in_vain):
            await ledger.release(key)
            way.in_vain.discard(key)
    for body in await ledger.unsettled():
        way = actions if is_gesture(body) else ingress
        replay = replays.get(str(body.get("type")), way.replay)
        way.under_way.start(replay(body), name="replay")
    await asyncio.sleep(0)  # each has its place in its lane from now on
