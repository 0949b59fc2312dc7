"""A loopback server for the Messages API; each request gets the next of its answers."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from agent_core.messages import JsonObject

USAGE: JsonObject = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 900,
    "cache_read_input_tokens": 3000,
    "output_tokens": 1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The events of a reply, `hold` awaited before the last; then how the connection ends."""

    events: Sequence[JsonObject]
    end: Literal["clean", "abrupt"] = "clean"
    hold: asyncio.Event | None = None
    pings_for_ever: bool = False
    """Nothing but pings comes after the events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that is not a stream."""

    status: int
    kind: str = ""
    message: str = "no"
    error_code: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])


def message_start(usage: JsonObject | None = None, model: str = "claude-sonnet-5-5") -> JsonObject:
    message: JsonObject = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }
    if usage is not None:
        message["usage"] = usage
    return {"type": "message_start", "message": message}


def block(index: int, start: JsonObject, *deltas: JsonObject) -> list[JsonObject]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *pieces: str) -> list[JsonObject]:
    deltas: list[JsonObject] = [{"type": "text_delta", "text": piece} for piece in pieces]
    return block(index, {"type": "text", "text": ""}, *deltas)


def call_block(index: int, name: str, *pieces: str, id: str = "toolu_1") -> list[JsonObject]:
    start: JsonObject = {"type": "tool_use", "id": id, "name": name, "input": {}}
    deltas: list[JsonObject] = [
        {"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces)
    ]
    return block(index, start, *deltas)


def thinking_block(index: int, *pieces: str, signature: str) -> list[JsonObject]:
    thoughts: list[JsonObject] = [{"type": "thinking_delta", "thinking": p} for p in pieces]
    sign: JsonObject = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *thoughts, sign)


def message_end(stop_reason: str | None, usage: JsonObject | None = None) -> list[JsonObject]:
    delta: JsonObject = {"stop_reason": stop_reason, "stop_sequence": None}
    last: JsonObject = {"type": "message_delta", "delta": delta}
    if usage is not None:
        last["usage"] = usage
    return [last, {"type": "message_stop"}]


def whole(*blocks: Sequence[JsonObject], stop_reason: str = "end_turn") -> Stream:
    events = [message_start(USAGE), {"type": "ping"}]
    for one in blocks:
        events.extend(one)
    return Stream(events=[*events, *message_end(stop_reason, {"output_tokens": 77})])


@dataclass(slots=True)
class MessagesServer:
    url: str = ""
    answers: deque[Stream | Refusal] = field(default_factory=deque[Stream | Refusal])
    bodies: list[JsonObject] = field(default_factory=list[JsonObject])
    raw_bodies: list[str] = field(default_factory=list[str])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    holding: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when an answer has come to its hold."""
    aborted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client went away in mid-stream."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.text()
        self.raw_bodies.append(raw)
        self.bodies.append(json.loads(raw))
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        answer = self.answers.popleft()
        if isinstance(answer, Refusal):
            return _refused(answer)
        try:
            return await self._streamed(request, answer)
        except (asyncio.CancelledError, ConnectionResetError):
            self.aborted.set()
            raise

    async def _streamed(self, request: web.Request, answer: Stream) -> web.StreamResponse:
        headers = {"content-type": "text/event-stream", "request-id": "req_1"}
        response = web.StreamResponse(headers=headers)
        response.enable_chunked_encoding()
        await response.prepare(request)
        if answer.pings_for_ever:
            await _ping_for_ever(response, answer.events)
        *first, last = answer.events
        for event in first:
            await response.write(_framed(event))
        if answer.hold is not None:
            self.holding.set()
            await answer.hold.wait()
        await response.write(_framed(last))
        if answer.end == "abrupt" and request.transport is not None:
            request.transport.close()
        return response


async def _ping_for_ever(response: web.StreamResponse, events: Sequence[JsonObject]) -> None:
    for event in events:
        await response.write(_framed(event))
    while True:
        await response.write(_framed({"type": "ping"}))
        await asyncio.sleep(0.02)


def _refused(answer: Refusal) -> web.Response:
    error: JsonObject = {"type": answer.kind, "message": answer.message}
    if answer.error_code:
        error["details"] = {"error_code": answer.error_code}
    return web.json_response(
        {"type": "error", "error": error, "request_id": "req_1"},
        status=answer.status,
        headers={"request-id": "req_1", **answer.headers},
    )


def _framed(event: JsonObject) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


@asynccontextmanager
async def serve_messages() -> AsyncGenerator[MessagesServer]:
    server = MessagesServer()
    app = web.Application()
    app.router.add_post("/v1/messages", server.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address: Any = runner.addresses[0]
    server.url = f"http://127.0.0.1:{address[1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
