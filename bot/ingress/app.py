"""The Bolt app, made so that it never acknowledges a payload that was not looked at."""

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

from bot.slack_api import Clock, Identity, SystemClock, web_client
from bot.socket import Ask, Door, OnHealed, SocketMode, Timing, acknowledge

_log = logging.getLogger(__name__)


def create_app(client: AsyncWebClient, identity: Identity) -> AsyncApp:
    """A Bolt app for the one workspace of the token.

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
            _log.error("Slack holds back events: more than 30,000 came within an hour")
            return BoltResponse(status=200, body="")
        if body.get("type") == "event_callback" and not isinstance(body.get("event"), dict):
            return BoltResponse(status=200, body="")
        return await next()
