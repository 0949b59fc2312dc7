"""The Bolt app, made so that it never acknowledges a payload that was not looked at."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_api import OPEN_SOCKET, Identity, SlackAuthRefused, web_client
from bot.slack_api.errors import refusal

PING_INTERVAL_S = 5

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


async def connect_socket(app: AsyncApp, app_token: str) -> AsyncSocketModeHandler:
    """Open the socket over which Slack delivers, through the proxy of the app's client or none.

    Raises:
        SlackAuthRefused: the app-level token is wrong; the socket client itself would try for ever.
    """
    await _check_token(app.client, app_token)
    handler = AsyncSocketModeHandler(app, app_token, ping_interval=PING_INTERVAL_S)
    handler.client.proxy = app.client.proxy
    await handler.connect_async()
    return handler


async def _check_token(client: AsyncWebClient, app_token: str) -> None:
    untyped: Any = client
    try:
        await untyped.apps_connections_open(app_token=app_token)
    except SlackApiError as error:
        response: Any = error.response
        refused = refusal(OPEN_SOCKET, str(response.get("error", "")))
        if isinstance(refused, SlackAuthRefused):
            raise refused from error
    except (aiohttp.ClientError, TimeoutError) as error:
        _log.warning("Slack is not answering; the socket is tried again: %s", error)


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
