"""Calls of the Web API: one over the wire, repeated where that is safe, under the shared limits.

`methods.json` says of each method which scopes it needs, whether people see what it changes, and
how many calls that may be left out may leave in a minute. The manifest is held to it.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from copy import copy
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import aiohttp
from cachetools import LRUCache
from pydantic import BaseModel
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.background import Backoff
from agent_core.fault_points import fault_point
from agent_core.masking import masked_post
from agent_core.messages import JsonObject
from bot.settings import is_loopback
from bot.slack_api.errors import SlackError, SlackLimited, SlackRefused, SlackUnavailable, refusal

BACKOFF = Backoff(first_s=0.5, longest_s=8.0)
TRIES = 7

CALL_LIMIT_S = 10.0
LIMITED_BACKOFF = Backoff(first_s=1.0, longest_s=30.0, jitter=0.0)
"""How long to wait where Slack asks for a pause and does not say for how long."""
LONGEST_PAUSE_S = 300.0
"""Slack asks for a minute at most; whoever asks for more is not waited for so long."""

SPACING_S = 1.0
"""Slack allows about one post a second and channel, and callers that waited leave one by one."""

MINUTE_S = 60.0
GENTLE_A_MINUTE = 40
"""Pages of a method that nobody waits for: below the 50 calls that Slack allows of it."""

MAX_GATES = 4_096

MAX_PAUSES = 100
"""Rate limits in a row before a call is given up: at 30 s each, most of an hour."""

T = TypeVar("T")

WriteGuard = Callable[[], Awaitable[None]]
"""Returns if a write may be made now, and raises if not."""

OPEN_SOCKET = "apps.connections.open"
"""Called with the app-level token, whose scope is no part of a manifest."""
SLASH_COMMANDS = "commands"
"""The scope of slash commands."""


class SlackMethod(BaseModel):
    """What the bot knows of a method that it calls."""

    scopes: tuple[str, ...]
    is_visible: bool = False
    """It changes what people see."""
    is_in_turn: bool = False
    """Slack takes few of them: one leaves when the one before it was answered."""
    droppable_a_minute: int | None = None
    """How many calls have left in the last minute when one that may be left out is left out: what
    Slack takes beyond is for answers, and for what people are asked. None: no limit."""
    fault_point: str = ""


class MethodTable(BaseModel):
    """What the bot calls and hears of Slack."""

    methods: dict[str, SlackMethod]
    events: dict[str, tuple[str, ...]]
    """By the events that the bot hears: without its scopes Slack does not send one."""

    @property
    def scopes(self) -> frozenset[str]:
        """All that the bot needs."""
        of_methods = [method.scopes for method in self.methods.values()]
        return frozenset({SLASH_COMMANDS}).union(*of_methods, *self.events.values())


TABLE = MethodTable.model_validate_json(
    Path(__file__).with_name("methods.json").read_text(encoding="utf-8")
)


class MonotonicClock:
    """Seconds since some fixed moment, and a way to let them pass."""

    seconds: Callable[[], float] = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Idle until something happens, and no longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()


class SkippingClock(MonotonicClock):
    """A fake whose sleeps end at once and move the time on by what was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 1_000.0

    def seconds(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)


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
    if is_loopback(urlsplit(base_url).hostname or ""):
        client.proxy = None
    return client


async def ask(
    client: AsyncWebClient, method: str, *, limit_s: float = CALL_LIMIT_S, **arguments: Any
) -> Any:
    """Slack's whole response to one call, made once within the limit.

    Raises SlackError of the kind that `bot.slack_api.errors` describes.
    """
    untyped: Any = client  # its methods are not fully typed
    try:
        async with asyncio.timeout(limit_s):
            return await untyped.api_call(method, **arguments)
    except SlackApiError as error:
        raise _typed(method, error) from error
    except (TimeoutError, aiohttp.ClientError, SlackRequestError, OSError, ValueError) as error:
        raise SlackUnavailable(method, detail=type(error).__name__) from error


class RateGate:
    """The pauses that Slack asks for, kept by every caller that shares the limit."""

    def __init__(self, clock: MonotonicClock) -> None:
        self._clock = clock
        self._closed_until = float("-inf")
        self._next_turn = float("-inf")
        self._left_at: deque[float] = deque()
        self._newest: asyncio.Event | None = None
        self.refusals = 0

    def wait_s(self) -> float:
        """How long no call may leave; not positive when one may now."""
        return max(self._closed_until, self._next_turn) - self._clock.seconds()

    def is_closed(self) -> bool:
        """Whether a pause that Slack asked for is not over."""
        return self._closed_until > self._clock.seconds()

    @asynccontextmanager
    async def in_turn(self) -> AsyncGenerator[None]:
        """The time of one call, which begins when the call before it has its answer.

        That answer may ask for a pause. A call that hangs is not waited for.
        """
        before = self._newest
        answered = asyncio.Event()
        self._newest = answered
        try:
            if before is not None and not before.is_set():
                await self._clock.wait(before, SPACING_S)
            yield
        finally:
            answered.set()

    def close(self, retry_after_s: float | None = None) -> None:
        """Slack asked for a pause: nobody calls before it is over."""
        self.refusals += 1
        wait_s = retry_after_s or LIMITED_BACKOFF.wait_s(self.refusals)
        self._closed_until = max(self._closed_until, self._clock.seconds() + wait_s)

    def note(self) -> None:
        """A call leaves now."""
        self._left_at.append(self._clock.seconds())

    def in_last_minute(self) -> int:
        """How many calls have left."""
        while self._left_at and self._left_at[0] <= self._clock.seconds() - MINUTE_S:
            self._left_at.popleft()
        return len(self._left_at)

    async def admit(self) -> None:
        """Wait for this call's turn; no call leaves inside a pause."""
        while (wait_s := self.wait_s()) > 0:
            turn = self._clock.seconds() + wait_s
            self._next_turn = turn + SPACING_S
            await self._clock.sleep(wait_s)
            if turn >= self._closed_until:
                return

    async def make_room(self) -> None:
        """Wait until this call, for which nobody waits, leaves room for others."""
        while self.in_last_minute() >= GENTLE_A_MINUTE:
            await self._clock.sleep(self._left_at[0] + MINUTE_S - self._clock.seconds())
        self.note()


class Calls:
    """Makes calls within the time limit and under the shared limits of Slack."""

    def __init__(
        self,
        client: AsyncWebClient,
        clock: MonotonicClock,
        *,
        limit_s: float = CALL_LIMIT_S,
    ) -> None:
        self.client = client
        self.clock = clock
        self._limit_s = limit_s
        self._gates: LRUCache[str, RateGate] = LRUCache(MAX_GATES)
        self._guard: WriteGuard | None = None

    def guarded(self, guard: WriteGuard) -> "Calls":
        """These calls under the same limits, with `guard` awaited right before visible ones."""
        view = copy(self)
        view._guard = guard
        return view

    async def insist(
        self,
        attempt: Callable[[], Awaitable[T]],
        *,
        find: Callable[[], Awaitable[T | None]] | None = None,
    ) -> T:
        """Attempt until Slack answers, a bounded number of times.

        An attempt whose answer never came may have had its effect: `find` then looks for what it
        was to bring, and that is returned.
        """
        for wait_s in islice(BACKOFF.waits_s(), TRIES - 1):
            try:
                return await attempt()
            except SlackUnavailable:
                await self.clock.sleep(wait_s)
            if find is not None and (result := await find()) is not None:
                return result
        return await attempt()

    async def repeatable(
        self, method: str, arguments: Mapping[str, Any], *, fine: Collection[str] = ()
    ) -> JsonObject:
        """Make a call whose repetition changes nothing: tried again while Slack gives no answer.

        Where Slack refuses it with a code that is `fine`, the answer is empty.
        """
        try:
            return await self.insist(lambda: self.single(method, arguments))
        except SlackRefused as refused:
            if refused.code not in fine:
                raise
            return {}

    async def single(self, method: str, arguments: Mapping[str, Any]) -> JsonObject:
        """Make a call that must not be repeated blindly. Pauses are waited out."""
        gate = self._gate(method, arguments)
        is_in_turn = TABLE.methods[method].is_in_turn
        for _ in range(MAX_PAUSES):
            with suppress(SlackLimited):
                async with gate.in_turn() if is_in_turn else nullcontext():
                    await gate.admit()
                    return await self._call(method, arguments, gate)
        raise SlackLimited(method)

    def has_room(self, method: str, arguments: Mapping[str, Any]) -> bool:
        """Whether Slack takes the call now, with room left for calls that may not be left out."""
        gate = self._gate(method, arguments)
        most = TABLE.methods[method].droppable_a_minute
        return gate.wait_s() <= 0 and (most is None or gate.in_last_minute() < most)

    async def droppable(self, method: str, arguments: Mapping[str, Any]) -> JsonObject | None:
        """Make a call that may be left out: None inside a pause, and no waiting.

        None as well where the minute's calls are nearly used up.
        """
        if not self.has_room(method, arguments):
            return None
        try:
            return await self._call(method, arguments, self._gate(method, arguments))
        except SlackLimited:
            return None

    async def gently(self, method: str) -> None:
        """Wait where too many calls of a method have left for which nobody waits."""
        gate = self._gates.setdefault(f"{method} gently", RateGate(self.clock))
        await gate.make_room()

    def _gate(self, method: str, arguments: Mapping[str, Any]) -> RateGate:
        """One per method, and per channel where Slack counts channels apart."""
        posts = method == "chat.postMessage"
        key = f"{method}:{arguments.get('channel', '')}" if posts else method
        return self._gates.setdefault(key, RateGate(self.clock))

    async def _call(
        self,
        method: str,
        arguments: Mapping[str, Any],
        gate: RateGate,
    ) -> JsonObject:
        about = TABLE.methods[method]
        if self._guard is not None and about.is_visible:
            await self._guard()
            if gate.is_closed():  # another call was refused while the guard was asked
                raise SlackLimited(method)
        if about.droppable_a_minute is not None:
            gate.note()
        given = {name: value for name, value in arguments.items() if value is not None}
        given |= {name: masked_post(given[name]) for name in _SHOWN & given.keys()}
        form = {n: each if isinstance(each, str) else json.dumps(each) for n, each in given.items()}
        fault_point(f"{about.fault_point}.before")
        try:
            answer = await ask(self.client, method, limit_s=self._limit_s, data=form)
        except SlackLimited as limited:
            gate.close(limited.retry_after_s)
            raise
        gate.refusals = 0  # the next pause of no said length is a short one again
        fault_point(f"{about.fault_point}.after")
        return cast("JsonObject", answer.data)


_SHOWN = frozenset({
    "alt_txt", "blocks", "chunks", "filename", "files", "loading_messages", "markdown_text",
    "prompts", "status", "text", "title", "view",
})  # fmt: skip
"""Arguments that people see."""


def _typed(method: str, error: SlackApiError) -> SlackError:
    response: Any = error.response
    status: int = getattr(response, "status_code", 0) or response.status
    body: Any = getattr(response, "data", None)
    wait_s = _pause_s(response.headers)
    if status == 429:
        return SlackLimited(method, retry_after_s=wait_s)
    if status != 200 or not isinstance(body, dict):
        return SlackUnavailable(method, detail=f"status {status}")
    answer = cast("JsonObject", body)
    code, needed = str(answer.get("error", "")), str(answer.get("needed", ""))
    return refusal(method, code, needed=needed, retry_after_s=wait_s)


def _pause_s(headers: Mapping[str, str]) -> float | None:
    """What the header asks for, 1 s or more; None where it is missing or says nothing sensible."""
    try:
        asked_s = float(headers.get("Retry-After", ""))
    except ValueError:
        return None
    return min(max(asked_s, 1.0), LONGEST_PAUSE_S) if asked_s > 0 else None
