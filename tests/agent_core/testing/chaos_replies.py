"""Arbitrary legal replies: text, thinking and tool calls in any mixture, with any stop reason."""

from random import Random

from agent_core.events import Usage
from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, Message, Opaque, Part, Text, ToolCall
from agent_core.models import ModelRequest, Reply, ToolSpec
from tests.agent_core.testing.chaos_arguments import (
    broken_arguments,
    drawn_arguments,
    huge_arguments,
)
from tests.agent_core.testing.chaos_texts import BLANKS, UNSEEN, drawn_text, drawn_words

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
