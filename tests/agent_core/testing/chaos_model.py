"""Arbitrary legal replies: text, thinking and tool calls in any mixture, with any stop reason."""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from random import Random

from agent_core.errors import ModelRejected, ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.events import Usage
from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, Message, Opaque, Part, Text, ToolCall
from agent_core.models import Delta, ModelRequest, Reply, ToolSpec
from agent_core.testing.models import Cut, Line, ScriptedModel
from tests.agent_core.testing.chaos_arguments import (
    BLANKS,
    UNSEEN,
    broken_arguments,
    drawn_arguments,
    drawn_text,
    drawn_words,
    huge_arguments,
)

_MOST_CALLS = 8
_COUNTS_OF_CALLS = (1,) * 10 + (2,) * 5 + tuple(range(3, _MOST_CALLS + 1))
_UNKNOWN_NAMES = ("task", "web_search", "mcp composio.search!", "../../etc", "日本", "x" * 300)


def spoken_reply(random: Random, stop_reason: str) -> Reply:
    """A reply without tool calls that a person sees something of."""
    parts = [Text(text=drawn_words(random)), *_more_texts(random)]
    return _reply(random, [*_maybe_thinking(random), *parts], stop_reason)


def silent_reply(random: Random, stop_reason: str) -> Reply:
    """A reply that says nothing: no parts at all, thinking alone, or text that nobody sees."""
    parts: tuple[list[Part], ...] = (
        [],
        [_thinking(random)],
        [Text(text=random.choice(BLANKS))],
        [_thinking(random), Text(text=random.choice(UNSEEN))],
    )
    return _reply(random, random.choice(parts), stop_reason)


def calling_reply(random: Random, request: ModelRequest) -> Reply:
    """A reply with one to eight calls, text and thinking before, between and behind them."""
    parts: list[Part] = [*_maybe_thinking(random), *_more_texts(random)]
    for call in _calls(random, request.tools):
        parts += [*_rarely_thinking(random), *_rarely_text(random), call]
    return _reply(random, [*parts, *_rarely_text(random)], "tool_use")


def _reply(random: Random, parts: list[Part], stop_reason: str) -> Reply:
    return Reply(
        message=Message(role="assistant", parts=tuple(parts)),
        stop_reason=stop_reason,
        usage=Usage(
            input_tokens=random.randint(0, 2_000),
            output_tokens=random.randint(1, 2_000),
            cache_read_tokens=random.choice((0, 50_000)),
            cache_write_tokens=random.choice((0, 1_000)),
        ),
        model="chaos",
        request_id=f"req_{random.getrandbits(64):016x}",
        thinking="\n\n".join(str(part.block.get("thinking", "")) for part in _opaque(parts)),
    )


def _opaque(parts: list[Part]) -> list[Opaque]:
    return [part for part in parts if isinstance(part, Opaque)]


def _more_texts(random: Random) -> list[Part]:
    return [Text(text=drawn_text(random)) for _ in range(random.choice((0, 0, 1, 1, 2)))]


def _rarely_text(random: Random) -> list[Part]:
    return [Text(text=drawn_text(random))] if random.random() < 1 / 12 else []


def _maybe_thinking(random: Random) -> list[Part]:
    return [_thinking(random) for _ in range(random.choice((0, 1, 1, 2)))]


def _rarely_thinking(random: Random) -> list[Part]:
    return [_thinking(random)] if random.random() < 1 / 12 else []


def _thinking(random: Random) -> Opaque:
    """A block that providers take back unchanged or not at all; its text is often kept back."""
    sealed = f"{random.getrandbits(256):064x}"
    if random.random() < 1 / 8:
        return Opaque(block={"type": "redacted_thinking", "data": sealed})
    thought = random.choice(("", drawn_text(random)))
    return Opaque(block={"type": "thinking", "thinking": thought, "signature": sealed})


def _calls(random: Random, tools: tuple[ToolSpec, ...]) -> list[ToolCall]:
    calls: list[ToolCall] = []
    ids = _ids(random)
    for call_id in ids[: random.choice(_COUNTS_OF_CALLS)]:
        if calls and random.random() < 1 / 6:
            again = random.choice(calls)
            calls.append(ToolCall(id=call_id, name=again.name, arguments=again.arguments))
        else:
            calls.append(_call(random, call_id, tools))
    return calls


def _ids(random: Random) -> list[ToolCallId]:
    """Unique in their reply; some gateways number the calls of each reply anew."""
    if random.random() < 1 / 3:
        return [ToolCallId(f"call_{place}") for place in range(_MOST_CALLS)]
    return [ToolCallId(f"toolu_{random.getrandbits(96):024x}") for _ in range(_MOST_CALLS)]


def _call(random: Random, call_id: ToolCallId, tools: tuple[ToolSpec, ...]) -> ToolCall:
    tool = random.choice(tools)
    if random.random() < 1 / 10:
        name = random.choice((*_UNKNOWN_NAMES, f"{tool.name}s", tool.name.upper()))
        return ToolCall(id=call_id, name=name, arguments=drawn_arguments(tool.input_schema, random))
    return ToolCall(id=call_id, name=tool.name, arguments=_arguments(random, tool.input_schema))


def _arguments(random: Random, schema: JsonObject) -> JsonObject:
    draws = (drawn_arguments, broken_arguments, huge_arguments)
    [draw] = random.choices(draws, weights=(80, 18, 2))
    return draw(schema, random)


Draw = Callable[[Random, ModelRequest], Line]
"""Makes one answer to a request, from nothing but its two arguments."""

CANARY = "chaos-canary"
"""In the words of every failure: a person must never read it."""

_RETRY_AFTER_S = (None, 0.0, 2.5, 90.0)
_LONGEST_RETRY_AFTER_S = 3_600.0
_HOPELESS = {"authentication_error": 401, "billing_error": 402, "invalid_request_error": 400}


class ChaosModel:
    """A model whose answers are legal and otherwise left to chance.

    An answer depends on the seed, on what is asked (the system prompt apart) and on how often the
    same was asked before: calls may run at the same time without changing each other's answers.
    Failures come one call at a time, so asking again gets there.

    Args:
        seed: The same seed answers the same requests alike.
        draw: Makes the answers; any legal one unless it is given.
    """

    def __init__(self, seed: int, *, draw: Draw | None = None) -> None:
        self._seed = seed
        self._draw = draw or any_line
        self._asked: Counter[str] = Counter()
        self.aborted = 0
        """How many calls were closed or cancelled before their reply."""

    @property
    def name(self) -> str:
        return f"chaos-{self._seed}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        """As `Model.stream`."""
        speaker = ScriptedModel([self._draw(self._chance(request), request)])
        try:
            async with aclosing(speaker.stream(request)) as items:
                async for item in items:
                    yield item
        finally:
            self.aborted += speaker.aborted

    def _chance(self, request: ModelRequest) -> Random:
        names = [tool.name for tool in request.tools]
        asked = f"{names!r}{request.may_call_tools}{request.messages!r}"
        digest = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        self._asked[digest] += 1
        return Random(f"{self._seed}/{digest}/{self._asked[digest]}")  # noqa: S311 (not for secrets)


def any_line(random: Random, request: ModelRequest) -> Line:
    """Any legal answer; tool calls only where the request allows them."""
    draws = dict(_WITHOUT_CALLS)
    if request.may_call_tools and request.tools:
        draws |= _WITH_CALLS
    [draw] = random.choices(tuple(draws), weights=tuple(draws.values()))
    return draw(random, request)


def _answer(random: Random, _request: ModelRequest) -> Line:
    return spoken_reply(random, "end_turn")


def _cut_answer(random: Random, _request: ModelRequest) -> Line:
    draw = random.choice((spoken_reply, spoken_reply, silent_reply))
    return draw(
        random, random.choice(("max_tokens", "max_tokens", "model_context_window_exceeded"))
    )


def _refusal(random: Random, _request: ModelRequest) -> Line:
    return random.choice((spoken_reply, silent_reply))(random, "refusal")


def _pause(random: Random, _request: ModelRequest) -> Line:
    return random.choice((spoken_reply, silent_reply))(random, "pause_turn")


def _silence(random: Random, _request: ModelRequest) -> Line:
    return silent_reply(random, "end_turn")


def _odd_stop(random: Random, _request: ModelRequest) -> Line:
    stop_reason = random.choice(("stop_sequence", "a_reason_of_next_year"))
    return random.choice((spoken_reply, silent_reply))(random, stop_reason)


def _failure_in_passing(random: Random, _request: ModelRequest) -> Line:
    kind, status = random.choice(
        (("overloaded_error", 529), ("api_error", 500), ("rate_limit_error", 429))
    )
    wish_s = random.choice(_RETRY_AFTER_S) if random.random() < 19 / 20 else _LONGEST_RETRY_AFTER_S
    return ModelUnavailable(CANARY, kind=kind, status=status, retry_after_s=wish_s)


def _break_in_mid_stream(random: Random, _request: ModelRequest) -> Line:
    kind = random.choice(("incomplete", "connection", "overloaded_error", "malformed"))
    return Cut(text=drawn_words(random), error=ModelUnavailable(CANARY, kind=kind))


def _failure_for_good(random: Random, _request: ModelRequest) -> Line:
    if random.random() < 1 / 2:
        return RequestTooLarge(CANARY, status=400, kind="invalid_request_error")
    kind, status = random.choice(tuple(_HOPELESS.items()))
    return ModelRejected(CANARY, status=status, kind=kind)


def _cut_call(random: Random, _request: ModelRequest) -> Line:
    return Cut(text=drawn_words(random), error=ReplyTruncated(CANARY, kind="max_tokens"))


_WITHOUT_CALLS: dict[Draw, int] = {
    _answer: 36,
    _cut_answer: 5,
    _refusal: 2,
    _pause: 3,
    _silence: 4,
    _odd_stop: 2,
    _failure_in_passing: 8,
    _break_in_mid_stream: 5,
    _failure_for_good: 1,
}
_WITH_CALLS: dict[Draw, int] = {calling_reply: 90, _cut_call: 3}
"""The numbers are weights: a run makes two or three steps before it ends."""
