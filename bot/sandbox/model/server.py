"""The stand-in as a server on loopback: the Messages API, its faults and its call log."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, Self

from aiohttp import web

from bot.sandbox.loopback import serve
from bot.sandbox.model.message import (
    Json,
    PlaybookName,
    ReplyPace,
    ReplyText,
    StandInReply,
    ToolUse,
    as_object,
    finish,
    stream_events,
)
from bot.sandbox.model.playbooks import is_beside, plan
from bot.sandbox.model.validation import RefusedError, validate
from bot.sandbox.web import PageLoader, no_pages

MAX_BODY_BYTES = 32 * 1024 * 1024
OK = 200
CLIENT_IS_GONE = 499
"""Never read by anybody; nginx's number for a client that hung up while it was asking."""


@dataclass(slots=True, kw_only=True)
class ReceivedCall:
    """What the stand-in remembers of each request, for tests and for the sandbox's summary."""

    kind: str = "rejected"
    """Which playbook answered, or `rejected` for a request that broke a rule."""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
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

    async def plan(self, body: Json) -> tuple[PlaybookName, StandInReply]:
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
