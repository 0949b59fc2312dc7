"""A whole message as the events of a stream, and the pace at which they leave."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.sandbox.model.usage import estimate_tokens
from bot.sandbox.model.wire import Json

PACED_CHUNK_CHARS = 4
FREE_CHUNK_CHARS = 240


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


def stream_events(message: Json, chunk_chars: int) -> Iterator[StreamEvent]:
    """The events of one finished message, in the order of the real API."""
    start_usage = {**message["usage"], "output_tokens": 1}
    head: Json = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
    yield StreamEvent(data={"type": "message_start", "message": {**head, "usage": start_usage}})
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block, chunk_chars)
    yield StreamEvent(data=_message_delta(message))
    yield StreamEvent(data={"type": "message_stop"})


def _block_events(index: int, block: Json, chunk_chars: int) -> Iterator[StreamEvent]:
    empty = _empty(block)
    yield StreamEvent(data={"type": "content_block_start", "index": index, "content_block": empty})
    if index == 0:
        yield StreamEvent(data={"type": "ping"})
    for delta, text in _deltas(block, chunk_chars):
        data = {"type": "content_block_delta", "index": index, "delta": delta}
        yield StreamEvent(data=data, tokens=estimate_tokens(text) if text else 0)
    yield StreamEvent(data={"type": "content_block_stop", "index": index})


def _empty(block: Json) -> Json:
    match block["type"]:
        case "text":
            return {"type": "text", "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case _:
            visible = {k: v for k, v in block.items() if k != "partial_json"}
            return {**visible, "input": {}}


def _deltas(block: Json, chunk_chars: int) -> Iterator[tuple[Json, str]]:
    match block["type"]:
        case "text":
            for text in _chunks(block["text"], chunk_chars):
                yield {"type": "text_delta", "text": text}, text
        case "thinking":
            for text in _chunks(block["thinking"], chunk_chars):
                yield {"type": "thinking_delta", "thinking": text}, text
            yield {"type": "signature_delta", "signature": block["signature"]}, ""
        case _:
            yield {"type": "input_json_delta", "partial_json": ""}, ""
            for text in _chunks(block["partial_json"], chunk_chars):
                yield {"type": "input_json_delta", "partial_json": text}, text


def _chunks(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _message_delta(message: Json) -> Json:
    usage = message["usage"]
    return {
        "type": "message_delta",
        "delta": {
            "stop_reason": message["stop_reason"],
            "stop_sequence": message["stop_sequence"],
        },
        "usage": {
            "output_tokens": usage["output_tokens"],
            "output_tokens_details": usage["output_tokens_details"],
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
        },
    }
