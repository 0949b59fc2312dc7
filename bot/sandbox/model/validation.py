"""The rules of the Messages API about a history and its tools; each break is a 400.

Only those that a program can break which uses the typed client: the client itself knows the fields.
"""

import asyncio
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Literal

from aiohttp import web

from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

MAX_BREAKPOINTS = 4
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
BLOCKS = {
    "user": "text image document tool_result search_result container_upload",
    "assistant": "text thinking redacted_thinking tool_use server_tool_use fallback compaction",
}
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
BLANK = "text content blocks must contain non-whitespace text"
CHANGED = "`thinking` blocks in the latest assistant message cannot be modified."
UNANSWERED = "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}."
UNEXPECTED = "unexpected `tool_use_id` found in `tool_result` blocks: {id}."
TWICE = "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
THINKING: Json = {"type": "thinking", "thinking": "", "signature": "of the stand-in"}
"""What a reply opens with; it comes back as it is."""
OK = 200
StreamEnd = Literal["clean", "abrupt"]
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
    """The request is answered with an error of the given status and its type."""

    message: str
    status: int = 400
    code: str | None = None
    retry_after: float | None = None

    def answer(self, request_id: str) -> web.Response:
        """The answer that tells it."""
        kind = TYPE_OF_STATUS.get(self.status, "api_error")
        inner: Json = {"type": kind, "message": self.message}
        if self.code:
            inner["details"] = {"error_code": self.code}
        headers = {"request-id": request_id}
        if self.retry_after is not None:
            headers["retry-after"] = f"{self.retry_after:g}"
        body = {"type": "error", "error": inner, "request_id": request_id}
        return web.json_response(body, status=self.status, headers=headers)


@dataclass(slots=True, kw_only=True, eq=False)
class ScriptedFault:
    """One scripted failure. Without `cut` it is an HTTP error."""

    status: int = 529
    """200 without `cut` only stalls: the reply goes on afterwards."""
    message: str = "Overloaded"
    error_code: str | None = None
    cut: StreamEnd | None = None
    """End the stream after `after_events` events: politely, or by dropping the connection."""
    after_events: int = 0
    stall_s: float = 0.0
    """Silence before the fault takes effect (in a stream: after `after_events` events)."""
    retry_after: float | None = None
    kinds: Collection[str] = field(default_factory=frozenset[str])
    """Hit only requests of these kinds; empty hits every request."""
    times: int = 1
    """How many requests it still hits."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Once it is set, nothing is silent any more."""

    async def silence(self) -> None:
        """Return when the silence has taken its time, or is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.stall_s):
                await self.over.wait()

    async def refuse(self) -> None:
        """Raise RefusedError where it is an HTTP error and not one of the stream."""
        if self.cut is None and self.status != OK:
            await self.silence()
            raise RefusedError(self.message, self.status, self.error_code, self.retry_after)


def validate(body: Json) -> None:
    """Raise `RefusedError` for the first rule that the request breaks."""
    for rule in (_fields, _messages, _pairing):
        for fault in rule(body):
            raise RefusedError(fault)


def thinks(body: Json) -> bool:
    """Whether a reply to this request opens with a thinking block."""
    asked = as_object(body.get("thinking")).get("type")
    always = "-5-5" in body["model"] and "haiku" not in body["model"]
    return asked in ("adaptive", "enabled") or (asked != "disabled" and always)


def _fields(body: Json) -> Iterator[str]:
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        if not body.get(name) or not isinstance(body[name], kind):
            yield f"{name}: Field required"
    tools = [as_object(tool) for tool in as_list(body.get("tools"))]
    names = [as_text(tool.get("name")) for tool in tools]
    if len(names) != len(set(names)):
        yield "tools: Tool names must be unique."
    for tool, name in zip(tools, names, strict=True):
        if not NAME.match(name):
            yield f"tools.{name}: String should match pattern '{NAME.pattern}'"
        if as_object(tool.get("input_schema")).get("type") != "object":
            yield f"tools.{name}.input_schema: JSON schema is invalid."
    parts = [body, *tools, *blocks_of(body.get("system"))]
    for block in (block for message in _said(body) for block in blocks_of(message.get("content"))):
        parts += [block, *blocks_of(block.get("content"))]
    count = sum(bool(part.get("cache_control")) for part in parts)
    if count > MAX_BREAKPOINTS:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {count}."


def _messages(body: Json) -> Iterator[str]:
    for block in blocks_of(body.get("system")):
        yield from _block(block, "text")
    messages = _said(body)
    for place, message in enumerate(messages):
        role, content = as_text(message.get("role")), message.get("content")
        if role not in BLOCKS:
            yield f"messages.{place}.role: Input should be 'user' or 'assistant'"
        if not content:
            yield f"messages.{place}: {EMPTY}"
        for fault in (each for b in blocks_of(content) for each in _block(b, BLOCKS[role])):
            yield f"messages.{place}.content: {fault}"
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    if messages[-1]["role"] == "assistant":
        yield "This model does not support assistant message prefill."


def _block(block: Json, allowed: str) -> Iterator[str]:
    kind = as_text(block.get("type"))
    if kind not in allowed.split():
        yield f"Input tag '{kind}' found using 'type' is not allowed here"
    if kind == "text" and not as_text(block.get("text")).strip():
        yield BLANK
    if kind == "thinking" and block != THINKING:
        yield CHANGED
    if kind == "tool_use":
        is_named = all(NAME.match(as_text(block.get(field))) for field in ("name", "id"))
        if not is_named or not isinstance(block.get("input"), dict):
            yield "tool_use: Input should have an id, a name and a dictionary"
    if kind == "tool_result":
        if block.get("is_error") and not block.get("content"):
            yield "tool_result: content cannot be empty if `is_error` is true"
        for inner in blocks_of(block.get("content") or []):
            yield from _block(inner, "text image document search_result tool_reference")


def _pairing(body: Json) -> Iterator[str]:
    """Every tool call has one result in the next message, and every result has its call."""
    turns: list[tuple[str, list[Json]]] = [
        (role, [block for message in said for block in blocks_of(message["content"])])
        for role, said in groupby(_said(body), lambda message: as_text(message["role"]))
    ]
    ids = [_id_of(b) for _, blocks in turns for b in blocks if b.get("type") == "tool_use"]
    if len(ids) != len(set(ids)):
        yield "messages: `tool_use` ids must be unique"
    nobody: tuple[str, list[Json]] = ("user", [])
    for (_, before), (_, after) in pairwise([nobody, *turns, nobody]):
        uses = [_id_of(b) for b in before if b.get("type") == "tool_use"]
        results = [_id_of(b) for b in after if b.get("type") == "tool_result"]
        leading = results if _are_in_order(before, after) else []
        if missing := [use for use in uses if use not in leading]:
            yield UNANSWERED.format(ids=", ".join(missing))
        for place, result in enumerate(results):
            if result not in uses:
                yield UNEXPECTED.format(id=result)
            if result in results[:place]:
                yield TWICE.format(id=result)


def _are_in_order(before: list[Json], after: list[Json]) -> bool:
    """Whether no text stands behind the last call, or before the results."""
    calls = [block.get("type") == "tool_use" for block in before]
    results = [block.get("type") == "tool_result" for block in after]
    last = max((place for place, is_call in enumerate(calls) if is_call), default=0)
    has_text_behind = any(block.get("type") == "text" for block in before[last + 1 :])
    return results == sorted(results, reverse=True) and not has_text_behind


def _said(body: Json) -> list[Json]:
    return [as_object(message) for message in as_list(body["messages"])]


def _id_of(block: Json) -> str:
    return as_text(block.get("id") or block.get("tool_use_id"))
