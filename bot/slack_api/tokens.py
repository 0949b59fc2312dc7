"""What the two tokens are good for, found out without doing anything in the workspace."""

import asyncio
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.messages import JsonObject
from bot.slack_api.calls import CALL_LIMIT_S, ask
from bot.slack_api.errors import SlackUnavailable, refusal
from bot.slack_api.scopes import OPEN_SOCKET

_SCOPES_HEADER = "x-oauth-scopes"


@dataclass(frozen=True, slots=True, kw_only=True)
class BotToken:
    """Whose a bot token is, and what it may do."""

    bot: str
    team: str
    scopes: frozenset[str] | None
    """None when Slack did not say."""


async def examine_bot_token(client: AsyncWebClient) -> BotToken:
    """Ask Slack about the client's own token. Raises SlackError."""
    response = await ask(client, "auth.test")
    headers: dict[str, Any] = {name.lower(): value for name, value in response.headers.items()}
    scopes = headers.get(_SCOPES_HEADER)
    return BotToken(
        bot=str(response.get("user", "")),
        team=str(response.get("team", "")),
        scopes=None if scopes is None else _split(str(scopes)),
    )


async def socket_address(client: AsyncWebClient) -> str:
    """Where a socket may be opened with the client's app-level token, once. Raises SlackError."""
    response = await ask(client, OPEN_SOCKET)
    return str(response.get("url", ""))


async def try_socket(client: AsyncWebClient, session: aiohttp.ClientSession) -> None:
    """Open a socket with the client's app-level token, wait to be greeted, and close it.

    A payload that Slack happens to send over it is not acknowledged, so it comes again elsewhere.

    Raises:
        SlackError: the token is refused, or the socket does not open.
    """
    address = await socket_address(client)
    try:
        async with (
            asyncio.timeout(CALL_LIMIT_S),
            session.ws_connect(address, proxy=client.proxy) as socket,
        ):
            frame: object = await socket.receive_json()
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError, TypeError) as error:
        raise SlackUnavailable(OPEN_SOCKET, detail="the socket does not open") from error
    if not isinstance(frame, dict):
        raise SlackUnavailable(OPEN_SOCKET, detail="the socket does not open")
    greeting = cast("JsonObject", frame)
    if greeting.get("type") != "hello":
        raise refusal(OPEN_SOCKET, str(greeting.get("reason", "not_greeted")))


def _split(scopes: str) -> frozenset[str]:
    return frozenset(scope.strip() for scope in scopes.split(",") if scope.strip())
