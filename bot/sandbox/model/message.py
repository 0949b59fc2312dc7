"""The Messages API's JSON: readers of what was sent, and replies as messages and as streams.

A value of another type than the expected one reads as empty.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, cast

Json = dict[str, Any]

CHARS_PER_TOKEN = 4
DELTAS = {
    "text": ("text_delta", "text"),
    "thinking": ("thinking_delta", "thinking"),
    "tool_use": ("input_json_delta", "partial_json"),
}
"""By a block's type: the type of its deltas, and the delta's field."""
EMPTY: Json = {"text": "", "thinking": "", "signature": "", "input": {}}
"""Fields of a block whose content comes in deltas."""
THINKING: Json = {"type": "thinking", "thinking": "", "signature": "of the stand-in"}
"""The thinking block that opens a reply; the client sends it back unchanged."""


def as_object(value: object) -> Json:
    """The value if it is a JSON object, otherwise an empty one."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a JSON array, otherwise an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The value if it is a string, otherwise an empty one."""
    return value if isinstance(value, str) else ""


def blocks_of(content: object) -> list[Json]:
    """A message's content as blocks, whether it was written as a string or as a list."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return as_list(content)


def text_of(content: object) -> str:
    """The text blocks of a content, joined by blank lines."""
    texts = [as_text(block.get("text")) for block in blocks_of(content)]
    return "\n\n".join(filter(None, texts))


def walk(value: object) -> Iterator[Json]:
    """Every object inside a JSON value, outermost first."""
    children = as_list(value)
    fields = as_object(value)
    if fields:
        yield fields
        children = fields.values()
    for child in children:
        yield from walk(child)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    name: str
    input: Json
    id: str = ""
    """Empty: the reply gets a fresh id when it goes out."""


StandInReply: TypeAlias = tuple[ReplyText | ToolUse, ...]
"""A playbook's or a script's answer, before it becomes a message on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPace:
    """How fast replies come; by default as fast as the machine can."""

    first_token_s: float = 0.0
    tokens_per_s: float = 0.0
    """As fast as the machine can for 0."""

    @property
    def chunk_chars(self) -> int:
        """Characters of one delta."""
        return 4 if self.tokens_per_s else 240

    def due_s(self, tokens: int) -> float:
        """Seconds after the start of the reply at which so many tokens have left."""
        writing_s = tokens / self.tokens_per_s if self.tokens_per_s else 0.0
        return self.first_token_s + writing_s


def finish(reply: StandInReply, body: Json) -> Json:
    """The message that answers a request; it stops for its tool calls, if it makes any."""
    content = [_block(block) for block in reply]
    has_calls = any(isinstance(block, ToolUse) for block in reply)
    if "haiku" not in body["model"]:
        content.insert(0, THINKING)
    prompt = [body.get(part) for part in ("tools", "system", "messages")]
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if has_calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": _estimate_tokens(json.dumps(prompt, ensure_ascii=False)),
            "output_tokens": sum(_estimate_tokens(_streamed_text(block)) for block in content),
        },
    }


def stream_events(message: Json, chunk_chars: int) -> Iterator[tuple[Json, int]]:
    """The events of one finished message, in the order of the real API, with their tokens."""
    usage: Json = message["usage"]
    head: Json = {
        **message,
        "content": [],
        "stop_reason": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": head}, 0
    for index, block in enumerate(message["content"]):
        start = {name: EMPTY.get(name, value) for name, value in block.items()}
        yield {"type": "content_block_start", "index": index, "content_block": start}, 0
        if index == 0:
            yield {"type": "ping"}, 0
        for delta, tokens in _deltas(block, chunk_chars):
            yield {"type": "content_block_delta", "index": index, "delta": delta}, tokens
        yield {"type": "content_block_stop", "index": index}, 0
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": usage}, 0
    yield {"type": "message_stop"}, 0


def _estimate_tokens(text: str) -> int:
    """About four characters a token, at least one."""
    return max(1, (len(text) + CHARS_PER_TOKEN - 1) // CHARS_PER_TOKEN)


def _block(block: ReplyText | ToolUse) -> Json:
    if isinstance(block, ReplyText):
        return {"type": "text", "text": block.text}
    call_id = block.id or f"toolu_{uuid.uuid4().hex[:24]}"
    return {"type": "tool_use", **asdict(block), "id": call_id}


def _streamed_text(block: Json) -> str:
    """The part of a block that comes in deltas."""
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    return block[block["type"]]


def _deltas(block: Json, chunk_chars: int) -> Iterator[tuple[Json, int]]:
    """The pieces of a block; a tool call's first piece is empty, as it usually is."""
    kind, field = DELTAS[block["type"]]
    text = _streamed_text(block)
    if block["type"] == "tool_use":
        yield {"type": kind, field: ""}, 0
    for start in range(0, len(text), chunk_chars):
        piece = text[start : start + chunk_chars]
        yield {"type": kind, field: piece}, _estimate_tokens(piece)
    if block["type"] == "thinking":
        yield {"type": "signature_delta", "signature": block["signature"]}, 0
