"""Replies as the Messages API tells them: finished messages with usage, and streams of events."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bot.sandbox.model.validation import THINKING, thinks
from bot.sandbox.model.wire import Json

Kind = Literal["classify", "escape", "answer", "research", "delegated", "order", "scripted"]

PACED_CHUNK_CHARS = 4
FREE_CHUNK_CHARS = 240
CHARS_PER_TOKEN = 4
SAID = {"text": "text", "thinking": "thinking", "tool_use": "partial_json"}
"""Which field of a block is told piece by piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    name: str
    input: Json
    id: str = ""
    """Filled in when the reply goes out, unless a script set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a playbook or a script answers with, before it becomes a message on the wire."""

    blocks: tuple[Text | ToolUse, ...]
    stop_reason: str | None = None
    """None: `tool_use` when there is a tool call, otherwise `end_turn`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast replies come. The default is as fast as the machine can."""

    first_token_s: float = 0.0
    tokens_per_s: float | None = None

    @property
    def chunk_chars(self) -> int:
        return PACED_CHUNK_CHARS if self.tokens_per_s else FREE_CHUNK_CHARS

    def due_s(self, tokens: int) -> float:
        """Seconds after the start of the reply at which so many tokens have left."""
        return self.first_token_s + (tokens / self.tokens_per_s if self.tokens_per_s else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEvent:
    data: Json
    tokens: int = 0
    """How many tokens of the reply this event carries."""

    @property
    def frame(self) -> bytes:
        text = json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))
        return f"event: {self.data['type']}\ndata: {text}\n\n".encode()


def finish(reply: Reply, body: Json) -> Json:
    """The message that answers a request.

    Tool calls keep their JSON text under `partial_json`, which the stream sends piece by piece and
    `visible` takes out.
    """
    calls = any(isinstance(block, ToolUse) for block in reply.blocks)
    blocks = [_block(block) for block in reply.blocks]
    content = [THINKING, *blocks] if thinks(body) else blocks
    prompt = [body.get(part) for part in ("tools", "system", "messages")]
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reply.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": estimate_tokens(json.dumps(prompt, ensure_ascii=False)),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": sum(estimate_tokens(b[SAID[b["type"]]]) for b in content),
            "output_tokens_details": {"thinking_tokens": 1},
            "service_tier": "standard",
        },
    }


def visible(message: Json) -> Json:
    """The message as a request without streaming gets it."""
    return {**message, "content": [_shown(block) for block in message["content"]]}


def stream_events(message: Json, chunk_chars: int) -> Iterator[StreamEvent]:
    """The events of one finished message, in the order of the real API."""
    usage: Json = message["usage"]
    head: Json = {**message, "content": [], "stop_reason": None}
    start = {**head, "usage": {**usage, "output_tokens": 1}}
    yield StreamEvent(data={"type": "message_start", "message": start})
    empty: Json = {"text": "", "thinking": "", "signature": "", "input": {}}
    for index, block in enumerate(message["content"]):
        begun = {k: empty.get(k, v) for k, v in _shown(block).items()}
        yield _event("content_block_start", index, content_block=begun)
        if index == 0:
            yield StreamEvent(data={"type": "ping"})
        for delta, text in _deltas(block, chunk_chars):
            tokens = estimate_tokens(text) if text else 0
            yield _event("content_block_delta", index, tokens=tokens, delta=delta)
        yield _event("content_block_stop", index)
    delta = {key: message[key] for key in ("stop_reason", "stop_sequence")}
    told = {key: usage[key] for key in ("output_tokens", "output_tokens_details")}
    yield StreamEvent(data={"type": "message_delta", "delta": delta, "usage": told})
    yield StreamEvent(data={"type": "message_stop"})


def estimate_tokens(text: str) -> int:
    """About four characters a token, at least one."""
    return max(1, (len(text) + CHARS_PER_TOKEN - 1) // CHARS_PER_TOKEN)


def _block(block: Text | ToolUse) -> Json:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    return {
        "type": "tool_use",
        "id": block.id or f"toolu_{uuid.uuid4().hex[:24]}",
        "name": block.name,
        "input": block.input,
        "partial_json": json.dumps(block.input, ensure_ascii=False),
    }


def _shown(block: Json) -> Json:
    return {key: value for key, value in block.items() if key != "partial_json"}


def _event(kind: str, index: int, tokens: int = 0, **fields: Json) -> StreamEvent:
    return StreamEvent(data={"type": kind, "index": index, **fields}, tokens=tokens)


def _deltas(block: Json, chunk_chars: int) -> Iterator[tuple[Json, str]]:
    """The pieces of a block; a tool call's first piece is empty, as it usually is."""
    key = SAID[block["type"]]
    kind = "input_json_delta" if key == "partial_json" else f"{key}_delta"
    if key == "partial_json":
        yield {"type": kind, key: ""}, ""
    for start in range(0, len(block[key]), chunk_chars):
        text = block[key][start : start + chunk_chars]
        yield {"type": kind, key: text}, text
    if key == "thinking":
        yield {"type": "signature_delta", "signature": block["signature"]}, ""
