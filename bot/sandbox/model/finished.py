"""A reply as a finished message: ids, thinking, the token limit, stop sequences and usage."""

import json
import uuid

from bot.sandbox.model.replies import Reply, Text, ToolUse
from bot.sandbox.model.thinking import thinking_block, thinks
from bot.sandbox.model.usage import estimate_tokens
from bot.sandbox.model.wire import Json, as_list, as_text


def finish(reply: Reply, body: Json, input_usage: Json) -> Json:
    """The message that answers a request.

    Tool calls keep their JSON text under `partial_json`, which the stream sends piece by piece and
    `without_partial_json` takes out. A reply longer than `max_tokens` is cut where the limit falls,
    in the middle of a tool call too.
    """
    blocks = [_block(block) for block in reply.blocks]
    thinking = [thinking_block(body, reply.thought)] if thinks(body) else []
    stop_reason = reply.stop_reason or _natural_stop(reply)
    blocks, stop_sequence = _stop_at_sequence(blocks, body)
    if stop_sequence:
        stop_reason = "stop_sequence"
    blocks, is_cut = _cut(blocks, int(body.get("max_tokens", 0)))
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [*thinking, *blocks],
        "stop_reason": "max_tokens" if is_cut else stop_reason,
        "stop_sequence": stop_sequence,
        "usage": _usage(input_usage, [*thinking, *blocks]),
    }


def without_partial_json(message: Json) -> Json:
    """The message as a request without streaming gets it."""
    content = [
        {key: value for key, value in block.items() if key != "partial_json"}
        for block in message["content"]
    ]
    return {**message, "content": content}


def _natural_stop(reply: Reply) -> str:
    calls = any(isinstance(block, ToolUse) for block in reply.blocks)
    return "tool_use" if calls else "end_turn"


def _block(block: Text | ToolUse) -> Json:
    match block:
        case Text():
            return {"type": "text", "text": block.text}
        case ToolUse():
            return {
                "type": "tool_use",
                "id": block.id or f"toolu_{uuid.uuid4().hex[:24]}",
                "name": block.name,
                "input": block.input,
                "partial_json": json.dumps(block.input, ensure_ascii=False),
            }


def _stop_at_sequence(blocks: list[Json], body: Json) -> tuple[list[Json], str | None]:
    for place, block in enumerate(blocks):
        text = as_text(block.get("text"))
        found = [s for s in as_list(body.get("stop_sequences")) if s and s in text]
        if found:
            first = min(found, key=text.index)
            return [*blocks[:place], {**block, "text": text[: text.index(first)]}], first
    return blocks, None


def _cut(blocks: list[Json], max_tokens: int) -> tuple[list[Json], bool]:
    kept: list[Json] = []
    for block in blocks:
        key = "text" if block["type"] == "text" else "partial_json"
        cost = estimate_tokens(block[key])
        if cost > max_tokens:
            short = {**block, key: block[key][: max_tokens * 4]}
            return [*kept, short if key == "text" else {**short, "input": {}}], True
        kept.append(block)
        max_tokens -= cost
    return kept, False


def _usage(input_usage: Json, blocks: list[Json]) -> Json:
    thinking = sum(estimate_tokens(b["signature"]) for b in blocks if b["type"] == "thinking")
    spoken = sum(estimate_tokens(b["text"]) for b in blocks if b["type"] == "text")
    called = sum(estimate_tokens(b["partial_json"]) for b in blocks if b["type"] == "tool_use")
    return {
        **input_usage,
        "output_tokens": thinking + spoken + called,
        "output_tokens_details": {"thinking_tokens": thinking},
        "service_tier": "standard",
    }
