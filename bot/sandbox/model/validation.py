"""The rules of the Messages API about a history and its tools; each break is a 400.

Only those that the product could break: the typed client itself knows the fields.
"""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from bot.sandbox.model.faults import RefusedError
from bot.sandbox.model.wire import Json, as_object, blocks_of, walk

MAX_BREAKPOINTS = 4
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
BLANK = "text content blocks must contain non-whitespace text"
CHANGED = "`thinking` blocks in the latest assistant message cannot be modified."
NO_ERROR_TEXT = "tool_result: content cannot be empty if `is_error` is true"
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks: {id}."
TWICE = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
THINKING: Json = {"type": "thinking", "thinking": "", "signature": "of the stand-in"}
"""The thinking block that opens a reply; the client sends it back unchanged."""


def validate(body: Json) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    faults = chain(
        _tool_faults(body),
        _message_faults(body),
        _pairing_faults(body),
    )
    for fault in faults:
        raise RefusedError(fault)


def thinks(body: Json) -> bool:
    """Whether a reply to this request opens with a thinking block."""
    mode = as_object(body.get("thinking")).get("type")
    if mode is None:
        return "-5-5" in body["model"] and "haiku" not in body["model"]
    return mode in ("adaptive", "enabled")


def _tool_faults(body: Json) -> Iterator[str]:
    tools = body.get("tools", [])
    names = [tool["name"] for tool in tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."
    for tool in tools:
        name = tool["name"]
        if not NAME.match(name):
            yield f"tools.{name}: String should match pattern '{NAME.pattern}'"
        if tool["input_schema"].get("type") != "object":
            yield f"tools.{name}.input_schema: JSON schema is invalid."


def _message_faults(body: Json) -> Iterator[str]:
    count = sum("cache_control" in part for part in walk(body))
    if count > MAX_BREAKPOINTS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {count}."
    messages = body["messages"]
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1]["role"] == "assistant":
        yield "This model does not support assistant message prefill."
    for block in blocks_of(body.get("system")):
        yield from _block_faults(block)
    for index, message in enumerate(messages):
        content = message["content"]
        if not content:
            yield f"messages.{index}: {EMPTY}"
        for block in blocks_of(content):
            for fault in _block_faults(block):
                yield f"messages.{index}.content: {fault}"


def _block_faults(block: Json) -> Iterator[str]:
    match block["type"]:
        case "text" if not block["text"].strip():
            yield BLANK
        case "thinking" if block != THINKING:
            yield CHANGED
        case "tool_use":
            if not NAME.match(block["name"]) or not NAME.match(block["id"]):
                yield f"tool_use: name and id should match pattern '{NAME.pattern}'"
        case "tool_result":
            content = blocks_of(block.get("content") or None)
            if block.get("is_error") and not content:
                yield NO_ERROR_TEXT
            for inner in content:
                yield from _block_faults(inner)
        case _:
            pass


def _ids(blocks: list[Json], kind: str, field: str) -> list[str]:
    return [block[field] for block in blocks if block["type"] == kind]


def _result_faults(calls: list[str], results: list[str]) -> Iterator[str]:
    for call in results:
        if call not in calls:
            yield UNEXPECTED.format(id=call)
        if results.count(call) > 1:
            yield TWICE.format(id=call)


def _pairing_faults(body: Json) -> Iterator[str]:
    """Every tool call has one result in the next message, and every result has its call."""
    messages = [blocks_of(message["content"]) for message in body["messages"]]
    known: list[str] = []
    for before, after in pairwise([[], *messages, []]):
        calls = _ids(before, "tool_use", "id")
        known += calls
        if len(known) != len(set(known)):
            yield "messages: `tool_use` ids must be unique"
        kinds = [block["type"] == "tool_result" for block in after]
        is_in_order = kinds == sorted(kinds, reverse=True)
        results = _ids(after, "tool_result", "tool_use_id")
        missing = [call for call in calls if not is_in_order or call not in results]
        if missing:
            yield UNANSWERED.format(ids=", ".join(missing))
        yield from _result_faults(calls, results)
