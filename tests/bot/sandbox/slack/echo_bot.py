"""A small bot on the real slack-bolt and slack_sdk, written from their documentation alone."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.faulty_slack import FaultySlack

Body = dict[str, Any]
# The annotations of slack_sdk and slack_bolt are partial; a strict type checker takes them as Any.
Client: TypeAlias = Any
BoltApp: TypeAlias = Any


class EchoBot:
    """Answers mentions in their thread."""

    def __init__(self, slack: FaultySlack) -> None:
        self.client = web_client(slack)
        self.app: BoltApp = AsyncApp(client=self.client)
        self.app.event("app_mention")(self._echo)

    async def _echo(self, event: Body) -> None:
        await self.client.chat_postMessage(
            channel=event["channel"],
            thread_ts=event.get("thread_ts") or event["ts"],
            text=f"echo: {event['text']}",
        )


def web_client(slack: FaultySlack) -> Client:
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, timeout=5)


@asynccontextmanager
async def socket_mode(app: BoltApp, slack: FaultySlack) -> AsyncGenerator[None]:
    handler: Any = AsyncSocketModeHandler(app, app_token=slack.app_token)
    await handler.connect_async()
    await slack.connected()
    try:
        yield
    finally:
        await handler.close_async()


def listener(register: Any) -> Callable[[Callable[..., Awaitable[None]]], None]:
    """Bolt's decorators have no useful types; this one has."""

    def add(function: Callable[..., Awaitable[None]]) -> None:
        register(function)

    return add


async def refusal_of(call: Awaitable[Any]) -> Any:
    """The SDK's response object of a call that is refused."""
    with pytest.raises(SlackApiError) as refusal:
        await call
    error: Any = refusal.value
    return error.response
