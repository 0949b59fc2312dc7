"""The seam to language models: a stream of deltas, then one whole reply.

And when a call that failed is made again, and after what wait.
"""

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from agent_core import tracing
from agent_core.background import Backoff
from agent_core.errors import ModelError, ModelUnavailable, ReplyTruncated
from agent_core.events import Usage
from agent_core.messages import JsonObject, Message, Payer

logger = logging.getLogger(__name__)

Effort = Literal["low", "medium", "high"]

CUT = ("max_tokens", "model_context_window_exceeded", "pause_turn")
"""Stop reasons of a reply that is not whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it."""

    name: str
    description: str
    input_schema: JsonObject
    server: str = ""
    """The tool server; empty for the agent's own tools. Not told to the model, as the rest."""
    slug: str = ""
    """The server's own name of the tool; empty for the agent's own tools."""
    is_repeatable: bool = False
    """Doing a call a second time changes nothing."""
    size_chars: int = field(init=False, repr=False, compare=False)
    """Of the JSON that tells the model of it; counted once, as a schema may be long."""

    def __post_init__(self) -> None:
        text = json.dumps(self.for_model(), ensure_ascii=False)
        object.__setattr__(self, "size_chars", len(text))

    def for_model(self) -> JsonObject:
        """The tool as the model gets it."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as models take it."""

    media_type: str
    data: str = field(repr=False)
    """In base64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    system: str
    messages: tuple[Message, ...]
    """Repaired, non-empty, beginning and ending with a user message."""
    tools: tuple[ToolSpec, ...] = ()
    may_call_tools: bool = True
    """False keeps the tools in sight (the history has calls to them) but forbids new calls."""
    must_call: str = ""
    """The one tool that the reply has to call: forced where a model takes that, and told in the
    prompt; empty where the model is free."""
    max_tokens: int = 16_000
    pictures: Mapping[str, Picture] = field(default_factory=dict[str, Picture])
    """Of the messages' files, by path; a file whose picture is not here is told by its text."""
    effort: Effort | None = None
    """Sent only to models that are known to take it."""
    payer: Payer | None = None
    """None where no cap counts the call, as in `bot check`."""
    may_overdraw: bool = False
    """A run's last call, which ends it with what it has: it is made beyond a cap, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDelta:
    """A piece of a tool call's arguments, as the model writes them: of JSON that is not whole."""

    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole reply. Its tool calls are whole: a reply that was cut never becomes a Reply."""

    message: Message
    stop_reason: str
    usage: Usage
    model: str
    thinking: str = ""
    """Readable thinking, for the trace; empty when the provider keeps it to itself."""


@dataclass(frozen=True, slots=True)
class Silent:
    """The endpoint has given no sign of life since the request, for `AWAY_S`; it is waited for."""


Item = Delta | CallDelta | Reply
"""What a model's stream yields, beside Silent."""


class Model(Protocol):
    """A language model.

    `stream` yields any number of Delta and CallDelta and then exactly one Reply, last; a Silent may
    come first. Closing the generator aborts the call.

    Raises:
        ModelUnavailable: may pass (overload, rate limit, connection, a stream cut short).
        ModelRejected: will not pass (key, spend limit, malformed request, RequestTooLarge).
        ReplyTruncated: the output limit was hit inside a tool call.
    """

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Item | Silent, None]: ...


Form = TypeVar("Form", bound=BaseModel)


async def filled_form(
    model: Model, request: ModelRequest, form: type[Form], *, patience_s: float
) -> tuple[Form | None, Usage]:
    """What a model fills in: the one call of the tool that the request demands, checked.

    None where it is none. Raises ModelError, and TimeoutError where it is late.
    """
    async with asyncio.timeout(patience_s):
        reply = await whole_reply(model, request)
    try:
        [call] = [call for call in reply.message.tool_calls if call.name == request.must_call]
        return form.model_validate(call.arguments), reply.usage
    except ValueError:  # of pydantic, or not one call
        return None, reply.usage


async def whole_reply(model: Model, request: ModelRequest) -> Reply:
    """A model's reply at once. Raises ModelError as the stream does."""
    async with aclosing(_traced(model, request)) as stream:
        async for item in stream:
            if isinstance(item, Reply):
                return item
    raise ModelUnavailable("The model ended its stream without a reply.")


async def _traced(model: Model, request: ModelRequest) -> AsyncGenerator[Item | Silent, None]:
    """A model's stream, with a span of its own in the trace."""
    span = tracing.ChatSpan(model.name)
    try:
        async with aclosing(model.stream(request)) as items:
            async for item in items:
                if isinstance(item, Reply):
                    used = item.usage
                    span.note(
                        response_model=item.model,
                        response_finish_reasons=(item.stop_reason,),
                        usage_input_tokens=used.total_tokens - used.output_tokens,
                        usage_output_tokens=used.output_tokens,
                    )
                    span.note(**{"usage_cache_read.input_tokens": used.cache_read_tokens})
                else:
                    span.note_chunk()
                yield item
    finally:
        span.end()


Sleep = Callable[[float], Awaitable[None]]

AWAY_S = 20.0
"""A model that does not answer for this time is away: people are told until when it is tried. A
busy one needs 2.5 s for its first word, and sends pings while it thinks; queues take up to 15 s."""
OUTAGE_S = 630.0
"""An outage of ten minutes is outlasted; after this time a call is given up."""
LOG_EVERY_S = 40.0
"""With waits of a minute at most: an outage is about a line a minute."""
ATTEMPTS_PAID_FOR = 4
"""Of calls whose reply came but was not whole: each of them costs tokens."""
LONGEST_RETRY_AFTER_S = 90.0
"""A provider that asks for more than this is not waited for."""
_BACKOFF = Backoff(first_s=1.0, longest_s=60.0)
_PAID_FOR_KINDS = frozenset({"incomplete", "malformed", "overlong"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """The call failed in passing and is made again after `wait_s`; deltas so far are void."""

    reason: str
    wait_s: float
    attempt: int
    """The number of the attempt that follows: 2 or more."""
    away_s: float
    """How long the model will have been away when that attempt begins."""
    left_s: float
    """From now until the call is given up."""


@dataclass(frozen=True, slots=True)
class RetryingModel:
    """Makes a model's call again while that can help."""

    model: Model
    sleep: Sleep = asyncio.sleep
    chance: Callable[[], float] = random.random  # noqa: S311 (not for secrets)
    """A number from 0 to 1 each time, to spread the waits."""
    seconds: Callable[[], float] = time.monotonic

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Item | Retried, None]:
        """As `Model.stream`, with a Retried before each new attempt; it voids the deltas before it.

        Raises:
            ModelRejected: at once.
            ModelUnavailable: when its time is over, or the provider asks for too long a wait.
            ReplyTruncated: when twice the output limit was not enough either.
        """
        outage = _Outage(self.model.name)
        while True:
            begun_s = self.seconds()
            try:
                async with aclosing(_traced(self.model, request)) as items:
                    async for item in items:
                        yield outage.silence() if isinstance(item, Silent) else item
            except (ModelUnavailable, ReplyTruncated) as error:
                outage.add(error, self.seconds() - begun_s)
            else:
                return
            retried = outage.next_attempt(self.chance())
            if isinstance(outage.failures[-1], ReplyTruncated):
                request = replace(request, max_tokens=2 * request.max_tokens)
            yield retried
            await self.sleep(retried.wait_s)


class _Outage:
    """The failures of one call so far, and how long they have lasted."""

    def __init__(self, model: str) -> None:
        self.failures: list[ModelError] = []
        self._model = model
        self._away_s = 0.0
        self._silent_s = 0.0
        """Of the present attempt, in `_away_s` already."""
        self._logged_s = -LOG_EVERY_S

    def add(self, error: ModelError, took_s: float) -> None:
        """Note a failure; the first one begins the outage, however long its call had been well."""
        if self.failures or self._silent_s:
            self._away_s += took_s - self._silent_s
        self._silent_s = 0.0
        self.failures.append(error)

    def silence(self) -> Retried:
        """The present attempt goes on, as if it had just been made again."""
        self._silent_s = AWAY_S
        self._away_s += AWAY_S
        left_s = OUTAGE_S - self._away_s
        self._log("silent", left_s)
        return Retried(
            reason="silent",
            wait_s=0.0,
            attempt=len(self.failures) + 1,
            away_s=self._away_s,
            left_s=left_s,
        )

    def next_attempt(self, chance: float) -> Retried:
        """The attempt that follows; raises the last failure when there shall be none."""
        left_s = OUTAGE_S - self._away_s
        wait_s = self._wait_s(left_s, chance)
        reason = _reason(self.failures[-1])
        self._log(reason, left_s)
        self._away_s += wait_s
        return Retried(
            reason=reason,
            wait_s=wait_s,
            attempt=len(self.failures) + 1,
            away_s=self._away_s,
            left_s=left_s,
        )

    def _log(self, reason: str, left_s: float) -> None:
        if self._away_s - self._logged_s < LOG_EVERY_S:
            return
        self._logged_s = self._away_s
        logger.warning(
            "the model %s does not answer (%s) for %.0f s; it is given up in %.0f s",
            self._model,
            reason,
            self._away_s,
            left_s,
        )

    def _wait_s(self, left_s: float, chance: float) -> float:
        last = self.failures[-1]
        if isinstance(last, ReplyTruncated):
            if sum(isinstance(failure, ReplyTruncated) for failure in self.failures) > 1:
                raise last
            return 0.0
        paid_for = sum(failure.kind in _PAID_FOR_KINDS for failure in self.failures)
        if left_s <= 0 or paid_for >= ATTEMPTS_PAID_FOR:
            raise last
        wish_s = (last.retry_after_s if isinstance(last, ModelUnavailable) else None) or 0.0
        if wish_s > LONGEST_RETRY_AFTER_S:
            raise last
        backoff_s = _BACKOFF.wait_s(len(self.failures), chance)
        return max(wish_s, min(backoff_s, left_s))  # the last attempt is made when time is over


def _reason(error: ModelError) -> str:
    """The kind of an error, else its status: short, and nothing of the request."""
    if error.kind:
        return error.kind
    return f"status {error.status}" if error.status else "unavailable"
