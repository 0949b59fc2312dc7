"""The Bolt app, made so that it never acknowledges a payload that was not looked at."""

import logging
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.slack_api import Identity, web_client

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
    return AsyncApp(client=tokenless, authorize=authorize, before_authorize=_check_shape)


async def _check_shape(body: dict[str, Any], next_: Any) -> BoltResponse | None:
    """A payload that Bolt cannot read would come again and again: acknowledge it and leave it."""
    kind = body.get("type")
    if kind == "app_rate_limited":
        _log.error("Slack holds back events: more than 30,000 came within an hour")
    if kind == "app_rate_limited" or (kind == "event_callback" and not _has_event(body)):
        return BoltResponse(status=200, body="")
    await next_()
    return None


def _has_event(body: dict[str, Any]) -> bool:
    return isinstance(body.get("event"), dict)
