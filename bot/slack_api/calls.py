"""Calls of the Web API: one over the wire, repeated where that is safe, under the shared limits."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
from cachetools import LRUCache
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from bot.slack_api.clock import Clock
from bot.slack_api.errors import SlackError, SlackLimited, SlackUnavailable, refusal
from bot.slack_api.scopes import JSON_METHODS, Method

BACKOFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0)
"""Waits between the tries of one call, so there is one try more than there are waits."""

CALL_LIMIT_S = 10.0
DEFAULT_RETRY_AFTER_S = 30.0

SPACING_S = 1.0
"""Slack allows about one post a second and channel, and callers that waited leave one by one."""

MAX_GATES = 4_096

MAX_PAUSES = 100
"""Rate limits in a row before a call is given up: at 30 s each, most of an hour."""

VISIBLE: frozenset[Method] = frozenset(
    {
        "agents.sessions.setStatus",
        "chat.postEphemeral",
        "chat.postMessage",
        "chat.update",
        "files.completeUploadExternal",
        "reactions.add",
        "reactions.remove",
        "views.open",
        "views.update",
    }
)
"""The calls that change what people see."""

Guard = Callable[[], Awaitable[None]]
"""Returns if a write may be made now, and raises if not."""

_FAULT_POINTS: Mapping[str, str] = {
    "chat.postMessage": "post",
    "chat.update": "edit",
    "files.getUploadURLExternal": "upload_url",
    "files.completeUploadExternal": "upload_complete",
}


def web_client(
    token: str | None, *, base_url: str, session: aiohttp.ClientSession | None = None
) -> AsyncWebClient:
    """A client that never repeats a call by itself: its default retry posts twice.

    It takes the proxy of the environment, which says nothing of hosts to go to directly, so calls
    to this machine leave it out.
    """
    client = AsyncWebClient(
        token=token,
        base_url=base_url,
        session=session,
        retry_handlers=[],
        timeout=int(CALL_LIMIT_S),
    )
    if _is_this_machine(base_url):
        client.proxy = None
    return client


async def ask(
    client: AsyncWebClient, method: str, *, limit_s: float = CALL_LIMIT_S, **arguments: Any
) -> Any:
    """Slack's whole response to one call, made once within the limit.

    Raises:
        SlackError: Of the kind that `bot.slack_api.errors` describes.
    """
    untyped: Any = client  # its methods are not fully typed
    try:
        async with asyncio.timeout(limit_s):
            return await untyped.api_call(method, **arguments)
    except SlackApiError as error:
        raise _typed(method, error) from error
    except (TimeoutError, aiohttp.ClientError, SlackRequestError, OSError, ValueError) as error:
        raise SlackUnavailable(method, detail=type(error).__name__) from error


class Wire:
    """Makes each call once, within the time limit."""

    def __init__(self, client: AsyncWebClient, *, limit_s: float = CALL_LIMIT_S) -> None:
        self.client = client
        self.limit_s = limit_s

    async def call(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """The answer to one call.

        Raises:
            SlackError: Of the kind that `bot.slack_api.errors` describes.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        place = _FAULT_POINTS.get(method, method)
        fault_point(f"{place}.before")
        sent = {"json": given} if method in JSON_METHODS else {"data": _form(given)}
        answer = await ask(self.client, method, limit_s=self.limit_s, **sent)
        fault_point(f"{place}.after")
        return cast("JsonObject", answer.data)


class Budget:
    """The pauses that Slack asks for, kept by every caller that shares the limit.

    One gate per method, and per channel where Slack counts channels apart.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._gates: LRUCache[str, _Gate] = LRUCache(MAX_GATES)

    def is_open(self, method: str, channel: str) -> bool:
        """Whether a call may leave now."""
        return self._gate(method, channel).wait_s() <= 0

    async def admit(self, method: str, channel: str) -> None:
        """Wait for this call's turn; no call leaves inside a pause."""
        await self._gate(method, channel).admit()

    def close(self, method: str, channel: str, *, retry_after_s: float) -> None:
        """Slack asked for a pause: nobody calls before it is over."""
        self._gate(method, channel).close(retry_after_s)

    def _gate(self, method: str, channel: str) -> "_Gate":
        key = f"{method}:{channel}" if method == "chat.postMessage" else method
        return self._gates.setdefault(key, _Gate(self._clock))


class _Gate:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._closed_until = float("-inf")
        self._next_turn = float("-inf")

    def wait_s(self) -> float:
        return max(self._closed_until, self._next_turn) - self._clock.seconds()

    def close(self, retry_after_s: float) -> None:
        self._closed_until = max(self._closed_until, self._clock.seconds() + retry_after_s)

    async def admit(self) -> None:
        while (wait_s := self.wait_s()) > 0:
            turn = self._clock.seconds() + wait_s
            self._next_turn = turn + SPACING_S
            await self._clock.sleep(wait_s)
            if turn >= self._closed_until:
                return


class Calls:
    """Makes calls under the shared budget."""

    def __init__(self, wire: Wire, clock: Clock, *, guard: Guard | None = None) -> None:
        self.wire = wire
        self.clock = clock
        self.budget = Budget(clock)
        self._guard = guard

    def guarded(self, guard: Guard) -> "Calls":
        """These calls under the same budget, with `guard` awaited right before visible ones."""
        view = Calls(self.wire, self.clock, guard=guard)
        view.budget = self.budget
        return view

    async def repeatable(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """Make a call whose repetition changes nothing: tried again while Slack gives no answer."""
        for wait_s in BACKOFF_S:
            try:
                return await self.single(method, arguments)
            except SlackUnavailable:
                await self.clock.sleep(wait_s)
        return await self.single(method, arguments)

    async def single(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """Make a call that must not be repeated blindly. Pauses are waited out."""
        channel = str(arguments.get("channel", ""))
        for _ in range(MAX_PAUSES):
            await self.budget.admit(method, channel)
            try:
                return await self._counted(method, channel, arguments)
            except SlackLimited:
                continue
        raise SlackLimited(method, retry_after_s=0)

    async def droppable(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject | None:
        """Make a call that may be left out: None inside a pause, and no waiting."""
        channel = str(arguments.get("channel", ""))
        if not self.budget.is_open(method, channel):
            return None
        try:
            return await self._counted(method, channel, arguments)
        except SlackLimited:
            return None

    async def _counted(
        self, method: Method, channel: str, arguments: Mapping[str, Any]
    ) -> JsonObject:
        if self._guard is not None and method in VISIBLE:
            await self._guard()
        try:
            return await self.wire.call(method, arguments)
        except SlackLimited as limited:
            self.budget.close(method, channel, retry_after_s=limited.retry_after_s)
            raise


def _is_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _form(arguments: JsonObject) -> dict[str, str]:
    return {name: _field(value) for name, value in arguments.items()}


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _typed(method: str, error: SlackApiError) -> SlackError:
    response: Any = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    if status == 429:
        return SlackLimited(method, retry_after_s=_retry_after_s(response))
    body: Any = getattr(response, "data", None)
    if status != 200 or not isinstance(body, dict):
        return SlackUnavailable(method, detail=f"status {status}")
    answer = cast("JsonObject", body)
    return refusal(method, str(answer.get("error", "")), needed=str(answer.get("needed", "")))


def _retry_after_s(response: object) -> float:
    headers = cast("Mapping[str, str]", getattr(response, "headers", {}))
    value = next((headers[name] for name in headers if name.lower() == "retry-after"), "")
    return max(1.0, float(value)) if value.isdigit() else DEFAULT_RETRY_AFTER_S
