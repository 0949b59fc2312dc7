"""The rules of the Messages API about a history; each break is a 400.

Only those that the product could break: the typed client itself knows the fields.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

from aiohttp import web

from bot.sandbox.model.message import THINKING, Json, blocks_of, walk

MAX_BREAKPOINTS = 4
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
BLANK = "text content blocks must contain non-whitespace text"
CHANGED = "`thinking` blocks in the latest assistant message cannot be modified."
NO_ERROR_TEXT = "tool_result: content cannot be empty if `is_error` is true"
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks: {id}."
TWICE = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
TYPE_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass(eq=False)
class RefusedError(Exception):
    """A request is answered with an error of this status and of the status's type."""

    message: str
    status: int = 400
    code: str | None = None
    retry_after: float | None = None

    def answer(self, request_id: str) -> web.Response:
        """The API's error envelope."""
        error: Json = {
            "type": TYPE_OF_STATUS.get(self.status, "api_error"),
            "message": self.message,
        }
        if self.code:
            error["details"] = {"error_code": self.code}
        headers = {"request-id": request_id}
        if self.retry_after is not None:
            headers["retry-after"] = f"{self.retry_after:g}"
        body = {"type": "error", "error": error, "request_id": request_id}
        return web.json_response(
            body,
            status=self.status,
            headers=headers,
        )


def validate(body: Json) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    for fault in chain(_message_faults(body), _pairing_faults(body)):
        raise RefusedError(fault)


def _message_faults(body: Json) -> Iterator[str]:
    count = sum("cache_control" in part for part in walk(body))
    if count > MAX_BREAKPOINTS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {count}."
    messages = body["messages"]
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1]["role"] == "assistant":
        yield "This model does not support assistant message prefill."
    for content in (message["content"] for message in messages):
        if not content:
            yield f"messages: {EMPTY}"
        yield from _block_faults(content)
    yield from _block_faults(body.get("system"))


def _block_faults(content: object) -> Iterator[str]:
    for block in blocks_of(content):
        match block["type"]:
            case "text" if not block["text"].strip():
                yield BLANK
            case "thinking" if block != THINKING:
                yield CHANGED
            case "tool_use":
                if not NAME.match(block["name"]) or not NAME.match(block["id"]):
                    yield f"tool_use: name and id should match pattern '{NAME.pattern}'"
            case "tool_result":
                inner = block.get("content")
                if block.get("is_error") and not inner:
                    yield NO_ERROR_TEXT
                yield from _block_faults(inner or None)
            case _:
                pass


def _pairing_faults(body: Json) -> Iterator[str]:
    """Every tool call has one result at the head of the next message, every result its call."""
    messages = [blocks_of(message["content"]) for message in body["messages"]]
    known: list[str] = []
    for before, after in pairwise([[], *messages, []]):
        calls = _ids(before, "tool_use", "id")
        known += calls
        if len(known) != len(set(known)):
            yield "messages: `tool_use` ids must be unique"
        results = _ids(after, "tool_result", "tool_use_id")
        at_head = _ids(
            after[: len(results)],
            "tool_result",
            "tool_use_id",
        )
        missing = [call for call in calls if call not in at_head]
        if missing:
            yield UNANSWERED.format(ids=", ".join(missing))
        yield from (UNEXPECTED.format(id=call) for call in results if call not in calls)
        yield from (TWICE.format(id=call) for call in results if results.count(call) > 1)


def _ids(blocks: list[Json], kind: str, field: str) -> list[str]:
    return [block[field] for block in blocks if block["type"] == kind]
