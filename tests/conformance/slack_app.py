"""An app on slack-bolt that takes whatever comes, remembers it, and answers as it was told."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.conformance.slack_team import Json, Team

# The annotations of slack_sdk and slack_bolt are partial; a strict type checker takes them as Any.
Web: TypeAlias = Any
WAIT_S = 5.0
_ANYTHING = re.compile(".*")


def web_client(
    team: Team, *, token: str | None = None, retry_handlers: list[AsyncRetryHandler] | None = None
) -> Web:
    """slack_sdk's client for a team; without a token with the bot's."""
    return AsyncWebClient(
        token=team.bot_token if token is None else token,
        base_url=team.api_url,
        timeout=5,
        retry_handlers=retry_handlers,
    )


class RecordingApp:
    """Acknowledges every payload; `answers` holds what it says to a callback or action id."""

    def __init__(self, team: Team) -> None:
        self.team = team
        self.web: Web = web_client(team)
        self.bodies: list[Json] = []
        self.retries: list[tuple[str, str]] = []
        """Number and reason of the retry with which each event came, "0" and "" at first."""
        self.answers: dict[str, Json | str] = {}
        self.is_silent = False
        """Whether payloads are remembered and not acknowledged."""
        self._changed = asyncio.Event()
        bolt: Any = AsyncApp(client=self.web)
        bolt.middleware(self._take_first)
        bolt.event(_ANYTHING)(self._take_event)
        for register in (bolt.action, bolt.shortcut, bolt.view, bolt.view_closed, bolt.options):
            register(_ANYTHING)(self._take_gesture)
        bolt.command(_ANYTHING)(self._take_gesture)
        self.bolt = bolt

    async def _take_first(self, body: Json, request: Any, next_: Any) -> None:
        headers: Json = request.headers
        retry = (headers.get("x-slack-retry-num"), headers.get("x-slack-retry-reason"))
        if retry[0] and retry[1]:
            self.retries.append((retry[0][0], retry[1][0]))
        if self.is_silent:
            self._note(body)
        else:
            await next_()

    async def _take_event(self, body: Json) -> None:
        self._note(body)

    async def _take_gesture(self, ack: Any, body: Json) -> None:
        self._note(body)
        answer = self.answers.get(_name_of(body))
        if answer is None:
            await ack()
        elif isinstance(answer, str):
            await ack(answer)
        else:
            await ack(**answer)

    def _note(self, body: Json) -> None:
        self.bodies.append(body)
        self._changed.set()

    def events(self, kind: str) -> list[Json]:
        """The events of a type that came so far, without their wrapper."""
        events = [body["event"] for body in self.bodies if "event" in body]
        return [event for event in events if event["type"] == kind]

    async def gets(self, kind: str, count: int = 1) -> list[Json]:
        """Wait for so many events of a type. Raises TimeoutError."""
        await self.until(lambda: len(self.events(kind)) >= count)
        return self.events(kind)

    async def payload(self, kind: str) -> Json:
        """Wait for an interactive payload or slash command ("/name") and return the last one."""
        await self.until(lambda: bool(self._payloads(kind)))
        return self._payloads(kind)[-1]

    def _payloads(self, kind: str) -> list[Json]:
        return [body for body in self.bodies if kind in (body.get("type"), body.get("command"))]

    async def until(self, is_done: Callable[[], bool]) -> None:
        """Wait until the bodies say so. Raises TimeoutError."""
        async with asyncio.timeout(WAIT_S):
            while not is_done():
                await self._changed.wait()
                self._changed.clear()

    async def trigger(self, user: str) -> str:
        """A fresh trigger id, from a shortcut that the person runs."""
        await self.team.use_shortcut(user, "for_a_trigger")
        trigger_id: str = (await self.payload("shortcut"))["trigger_id"]
        return trigger_id


def _name_of(body: Json) -> str:
    """The id by which an app knows what was used."""
    if "view" in body and body["type"] in ("view_submission", "view_closed"):
        return str(body["view"]["callback_id"])
    if body.get("type") == "block_actions":
        return str(body["actions"][0]["action_id"])
    return str(body.get("callback_id") or body.get("action_id") or body.get("command"))


@asynccontextmanager
async def in_socket_mode(bolt: Any, team: Team) -> AsyncGenerator[None]:
    """Run a Bolt app against the team while the block runs."""
    handler: Any = AsyncSocketModeHandler(bolt, app_token=team.app_token)
    await handler.connect_async()
    await team.connected()
    try:
        yield
    finally:
        await handler.close_async()
