"""The stand-in as a server on loopback: the Messages API with its rules, faults and call log."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, Self

from aiohttp import web

from bot.sandbox.loopback import serve
from bot.sandbox.model.message import (
    THINKING,
    Json,
    ReplyPace,
    ReplyText,
    StandInReply,
    ToolUse,
    as_object,
    blocks_of,
    finish,
    stream_events,
    walk,
)
from bot.sandbox.model.playbooks import is_beside, plan
from bot.sandbox.web import PageLoader, no_pages

MAX_BODY_BYTES = 32 * 1024 * 1024
OK = 200
CLIENT_IS_GONE = 499
"""Never read by anybody; nginx's number for a client that hung up while it was asking."""


MAX_BREAKPOINTS = 4
NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
UNPAIRED = "each `tool_use` must have a single `tool_result` at the head of the next message: {ids}"
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


@dataclass(slots=True, kw_only=True)
class ReceivedCall:
    """What the stand-in remembers of each request, for tests and for the sandbox's summary."""

    kind: str = "rejected"
    """Which playbook answered, or `rejected` for a request that broke a rule."""
    status: int = 200
    digest: str = ""
    """The same for two requests with the same bytes, and for no others."""
    body: Json | None = None
    """The whole request, only where the stand-in was told to keep bodies."""


@dataclass(slots=True, kw_only=True, eq=False)
class ScriptedFault:
    """One scripted failure: an HTTP error, or with `cut` a stream that breaks off."""

    status: int = 529
    """200 without `cut` only stalls: the reply goes on afterwards."""
    message: str = "Overloaded"
    error_code: str | None = None
    cut: Literal["clean", "abrupt"] | None = None
    """End the stream after `after_events` events: politely, or by dropping the connection."""
    after_events: int = 0
    stall_s: float = 0.0
    """Silence in a stream, after `after_events` events."""
    retry_after: float | None = None
    kinds: Collection[str] = frozenset()
    """Playbooks whose requests the fault hits; empty hits every request."""
    times: int = 1
    """How many requests the fault still hits."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Setting the event ends the silence early."""


class ModelStandIn:
    """`async with ModelStandIn() as model:` serves `model.base_url` until the block is left.

    It plays a playbook that it chooses from each request alone; plain questions are answered from
    `pages`. `calls` lists what was asked, `fail` scripts a fault for a coming request, and `play`
    scripts a whole reply.
    """

    def __init__(
        self,
        *,
        pages: PageLoader = no_pages,
        pace: ReplyPace | None = None,
        keep_bodies: bool = False,
    ) -> None:
        self.calls: list[ReceivedCall] = []
        self._pages = pages
        self._pace = pace or ReplyPace()
        self._keep_bodies = keep_bodies
        self._faults: list[ScriptedFault] = []
        self._scripted: list[StandInReply] = []
        self._open = contextlib.AsyncExitStack()
        self._port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """What leads a bot here, and not to a real model, as environment variables."""
        others = dict.fromkeys(("ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY"), "")
        return {**others, "ANTHROPIC_API_KEY": "sandbox", "ANTHROPIC_BASE_URL": self.base_url}

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        self._port = await self._open.enter_async_context(serve(app))
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._open.aclose()

    def fail(self, **fields: Any) -> ScriptedFault:
        """Script a fault for the next requests that it fits, by the fields of `ScriptedFault`."""
        fault = ScriptedFault(**fields)
        self._faults.append(fault)
        return fault

    def stall(
        self, seconds: float, *, after_events: int = 0, kinds: Collection[str] = frozenset()
    ) -> asyncio.Event:
        """Script a silence in the next stream that fits, which then goes on as if nothing was.

        It lasts `seconds`, or until the event is set that is returned.
        """
        stall = self.fail(
            status=200,
            stall_s=seconds,
            after_events=after_events,
            kinds=kinds,
        )
        return stall.over

    def play(self, *blocks: ReplyText | ToolUse, times: int = 1) -> None:
        """Script whole replies: the next requests get these blocks whatever they ask.

        Which way a message goes is said beside the script, unless the script says it.
        """
        self._scripted.extend([blocks] * times)

    async def plan(self, body: Json) -> tuple[str, StandInReply]:
        """The reply to one validated request, and which playbook made it."""
        if self._scripted and not is_beside(self._scripted[0], body):
            return "scripted", self._scripted.pop(0)
        return await plan(body, self._pages)

    def _take_fault(self, kind: str) -> ScriptedFault | None:
        """The oldest fault for a request of this kind, used up by one."""
        fault = next((each for each in self._faults if not each.kinds or kind in each.kinds), None)
        if fault is not None:
            fault.times -= 1
            self._faults = [each for each in self._faults if each.times > 0]
        return fault

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        call = ReceivedCall()
        request_id = f"req_{uuid.uuid4().hex[:24]}"
        try:
            return await self._answer(request, call, request_id)
        except RefusedError as error:
            call.status = error.status
            return error.answer(request_id)
        except ConnectionResetError:
            return web.Response(status=CLIENT_IS_GONE)
        finally:
            self.calls.append(call)

    async def _answer(
        self, request: web.Request, call: ReceivedCall, request_id: str
    ) -> web.StreamResponse:
        if not request.headers.keys() & {"x-api-key", "Authorization"}:
            raise RefusedError("Authorization header is required", status=401)
        call.digest = hashlib.sha256(await request.read()).hexdigest()
        body = as_object(await request.json())
        call.body = body if self._keep_bodies else None
        validate(body)
        call.kind, reply = await self.plan(body)
        fault = self._take_fault(call.kind)
        if fault and fault.status != OK and not fault.cut:
            raise RefusedError(
                fault.message,
                fault.status,
                fault.error_code,
                fault.retry_after,
            )
        message = finish(reply, body)
        headers = {"request-id": request_id}
        if body.get("stream"):
            return await self._stream(request, message, fault, headers)
        await asyncio.sleep(self._pace.due_s(message["usage"]["output_tokens"]))
        return web.json_response(message, headers=headers)

    async def _stream(
        self,
        request: web.Request,
        message: Json,
        fault: ScriptedFault | None,
        headers: dict[str, str],
    ) -> web.StreamResponse:
        kind = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
        response = web.StreamResponse(headers={**kind, **headers})
        await response.prepare(request)
        events = list(stream_events(message, self._pace.chunk_chars))
        with contextlib.suppress(ConnectionResetError):
            if fault:
                await self._send(response, events[: fault.after_events])
                del events[: fault.after_events]
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(fault.over.wait(), fault.stall_s)
            if fault and fault.cut == "abrupt" and request.transport is not None:
                request.transport.abort()
            elif not fault or not fault.cut:
                await self._send(response, events)
            await response.write_eof()
        return response

    async def _send(
        self,
        response: web.StreamResponse,
        events: list[tuple[Json, int]],
    ) -> None:
        now_s = asyncio.get_running_loop().time
        started_s = now_s()
        sent = 0
        for event, tokens in events:
            if tokens:
                await asyncio.sleep(max(0.0, started_s + self._pace.due_s(sent) - now_s()))
                sent += tokens
            text = json.dumps(
                event,
                ensure_ascii=False,
                separators=(",", ":"),
            )
            await response.write(f"event: {event['type']}\ndata: {text}\n\n".encode())


def validate(body: Json) -> None:
    """Raise `RefusedError` for the first rule about a history that the request breaks.

    Only for rules that the product could break: the typed client itself knows the fields.
    """
    if sum("cache_control" in part for part in walk(body)) > MAX_BREAKPOINTS:
        raise RefusedError("A maximum of 4 blocks with cache_control may be provided.")
    messages: list[Json] = body["messages"]
    if messages[0]["role"] != "user":
        raise RefusedError('messages: first message must use the "user" role')
    if messages[-1]["role"] == "assistant":
        raise RefusedError("This model does not support assistant message prefill.")
    for message in messages:
        if not message["content"]:
            raise RefusedError("messages: all messages must have non-empty content")
        _check_blocks(message["content"])
    _check_blocks(body.get("system"))
    _check_pairs(messages)


def _check_blocks(content: object) -> None:
    for block in blocks_of(content):
        match block["type"]:
            case "text" if not block["text"].strip():
                raise RefusedError("text content blocks must contain non-whitespace text")
            case "thinking" if block != THINKING:
                raise RefusedError(
                    "`thinking` blocks in the latest assistant message cannot be modified."
                )
            case "tool_use":
                if not NAME.match(block["name"]) or not NAME.match(block["id"]):
                    raise RefusedError(f"tool_use: name and id should match '{NAME.pattern}'")
            case "tool_result":
                inner = block.get("content")
                if block.get("is_error") and not inner:
                    raise RefusedError("tool_result: content cannot be empty if `is_error` is true")
                _check_blocks(inner or None)
            case _:
                pass


def _check_pairs(messages: list[Json]) -> None:
    """Every tool call has one result at the head of the next message, every result its call."""
    contents = [blocks_of(message["content"]) for message in messages]
    known: list[str] = []
    for before, after in pairwise([[], *contents, []]):
        calls = _ids(before, "tool_use", "id")
        known += calls
        if len(known) != len(set(known)):
            raise RefusedError("messages: `tool_use` ids must be unique")
        results = _ids(after, "tool_result", "tool_use_id")
        at_head = _ids(after[: len(results)], "tool_result", "tool_use_id")
        if results != at_head or sorted(results) != sorted(calls):
            raise RefusedError(UNPAIRED.format(ids=", ".join(calls + results)))


def _ids(blocks: list[Json], kind: str, field_name: str) -> list[str]:
    return [block[field_name] for block in blocks if block["type"] == kind]
