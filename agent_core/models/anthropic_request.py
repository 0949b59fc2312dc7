"""How a `ModelRequest` is written for the Messages API: order, cache points, effort. Pure."""

import re
from collections.abc import Sequence
from typing import assert_never

from agent_core.messages import JsonObject, Message, Opaque, Part, Text, ToolCall, ToolResult
from agent_core.models import ModelRequest

_CACHE_POINT: JsonObject = {"type": "ephemeral"}
_CACHED_USER_MESSAGES = 2
_MODEL_ID = re.compile(r"claude-(?:fable|haiku|mythos|opus|sonnet)-(\d{1,2})(?!\d)")
_FIRST_MAJOR_WITH_EFFORT = 5


def takes_effort(model: str) -> bool:
    """Whether a model is known to accept `output_config.effort`."""
    found = _MODEL_ID.search(model)
    return found is not None and int(found[1]) >= _FIRST_MAJOR_WITH_EFFORT


def takes_forced_tools(model: str) -> bool:
    """Whether a model is known to accept a forced tool; newer ones refuse it and are only told."""
    found = _MODEL_ID.search(model)
    return found is not None and int(found[1]) < _FIRST_MAJOR_WITH_EFFORT


def request_body(model: str, request: ModelRequest) -> JsonObject:
    """The body of POST /v1/messages, without `stream`; at most four cache points."""
    body: JsonObject = {
        "model": model,
        "max_tokens": request.max_tokens,
        "messages": _messages(request.messages),
    }
    if request.system:
        block = {"type": "text", "text": request.system, "cache_control": _CACHE_POINT}
        body["system"] = [block]
    if request.tools:
        body["tools"] = _tools(request)
        if not request.may_call_tools:
            body["tool_choice"] = {"type": "none"}
        elif request.must_call and takes_forced_tools(model):
            body["tool_choice"] = {"type": "tool", "name": request.must_call}
    if request.effort and takes_effort(model):
        body["output_config"] = {"effort": request.effort}
    return body


def _tools(request: ModelRequest) -> list[JsonObject]:
    tools: list[JsonObject] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in request.tools
    ]
    tools[-1]["cache_control"] = _CACHE_POINT
    return tools


def _messages(messages: Sequence[Message]) -> list[JsonObject]:
    written: list[JsonObject] = [
        {"role": message.role, "content": content}
        for message in messages
        if (content := _content(message))
    ]
    from_user = [message for message in written if message["role"] == "user"]
    for message in from_user[-_CACHED_USER_MESSAGES:]:
        last = message["content"][-1]
        message["content"][-1] = {**last, "cache_control": _CACHE_POINT}
    return written


def _content(message: Message) -> list[JsonObject]:
    parts = [part for part in message.parts if not _is_blank(part)]
    if message.role == "user":
        # The API refuses results that come after text.
        parts.sort(key=lambda part: not isinstance(part, ToolResult))
    return [_block(part) for part in parts]


def _is_blank(part: Part) -> bool:
    # Models write blank text between thinking and a call; the API refuses it when it comes back.
    return isinstance(part, Text) and not part.text.strip()


def _block(part: Part) -> JsonObject:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Opaque():
            return dict(part.block)
        case ToolCall():
            return {
                "type": "tool_use",
                "id": part.id,
                "name": part.name,
                "input": part.arguments,
            }
        case ToolResult():
            result: JsonObject = {
                "type": "tool_result",
                "tool_use_id": part.call_id,
                "content": part.text,
            }
            return {**result, "is_error": True} if part.is_error else result
        case _:
            assert_never(part)
