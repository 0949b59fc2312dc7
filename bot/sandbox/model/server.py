"""The stand-in as a server on loopback: the Messages API, its faults and its call log."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import uuid
from collections.abc import Collection
from types import TracebackType
from typing import Any, cast

from aiohttp import web

from bot.sandbox.model.behaviour import Behaviour
from bot.sandbox.model.errors import RefusedError, error_body
from bot.sandbox.model.exchange import Exchange
from bot.sandbox.model.faults import Cut, Fault, Faults
from bot.sandbox.model.finished import finish, without_partial_json
from bot.sandbox.model.headers import check_headers, rate_headers
from bot.sandbox.model.log import ModelCall
from bot.sandbox.model.offline import OfflineModel, find_weights
from bot.sandbox.model.replies import Reply, Text, ToolUse
from bot.sandbox.model.stream import Pace, StreamEvent, stream_events
from bot.sandbox.model.usage import PromptCache, count_input_tokens
from bot.sandbox.model.validation import Rules, validate
from bot.sandbox.model.wire import Json

MAX_BODY_BYTES = 32 * 1024 * 1024
CLIENT_IS_GONE = 499
"""Never read by anybody; nginx's number for a client that hung up while it was asking."""


class ModelStandIn:
    """`async with ModelStandIn() as model:` serves `model.base_url` until the block is left.

    It answers by rules from each request alone. `calls` lists what was asked, `fail` scripts a
    fault for a coming request, and `play` scripts a whole reply.
    """

    def __init__(
        self,
        *,
        pace: Pace | None = None,
        bind_thinking: bool = False,
        keep_bodies: bool = False,
        api_versions: Collection[str] = ("2023-06-01", "2026-10-21"),
    ) -> None:
        self.calls: list[ModelCall] = []
        self._pace = pace or Pace()
        self._rules = Rules(bind_thinking=bind_thinking)
        self._keep_bodies = keep_bodies
        self._api_versions = api_versions
        self._faults = Faults()
        self._offline = OfflineModel(weights=find_weights())
        self._behaviour = Behaviour(self._offline)
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def __aenter__(self) -> ModelStandIn:
        self._cache = PromptCache(asyncio.get_running_loop().time)
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        await self._offline.close()

    def fail(
        self,
        *,
        status: int = 529,
        type: str = "",
        message: str = "Overloaded",
        error_code: str | None = None,
        mid_stream: bool = False,
        cut: Cut | None = None,
        after_events: int = 0,
        stall_s: float = 0.0,
        retry_after: float | None = None,
        kinds: Collection[str] = frozenset(),
        times: int = 1,
    ) -> None:
        """Script a fault for the next requests that it fits; see `Fault` for the fields."""
        fault = Fault(
            status=status,
            type=type,
            message=message,
            error_code=error_code,
            mid_stream=mid_stream,
            cut=cut,
            after_events=after_events,
            stall_s=stall_s,
            retry_after=retry_after,
            kinds=kinds,
            times=times,
        )
        self._faults.add(fault)

    def stall(
        self, seconds: float, *, after_events: int = 0, kinds: Collection[str] = frozenset()
    ) -> asyncio.Event:
        """Script a silence in the next stream that fits, which then goes on as if nothing was.

        It lasts `seconds`, or until the event is set that is returned.
        """
        fault = Fault(status=200, stall_s=seconds, after_events=after_events, kinds=kinds)
        self._faults.add(fault)
        return fault.over

    def play(self, *blocks: Text | ToolUse, stop_reason: str | None = None, times: int = 1) -> None:
        """Script whole replies: the next requests get these blocks whatever they ask."""
        reply = Reply(blocks=blocks, kind="scripted", stop_reason=stop_reason)
        self._behaviour.play(reply, times=times)

    async def warm(self) -> bool:
        """Load the offline model now; False where it is not installed."""
        return await self._offline.load()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/healthz", _healthz)
        return app

    async def _count_tokens(self, request: web.Request) -> web.StreamResponse:
        request_id = _request_id()
        try:
            check_headers(request.headers, self._api_versions)
            body = await _read(request)
            validate(body, self._rules, request.headers, counting=True)
        except RefusedError as error:
            return _refusal(error, request_id)
        return web.json_response(
            {"input_tokens": count_input_tokens(body)}, headers={"request-id": request_id}
        )

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        exchange = Exchange(request_id=_request_id())
        try:
            return await self._answer(request, exchange)
        except RefusedError as error:
            exchange.status, exchange.error = error.status, error.type
            return _refusal(error, exchange.request_id, exchange.retry_after)
        except ConnectionResetError:
            return web.Response(status=CLIENT_IS_GONE)
        finally:
            self.calls.append(exchange.as_call(keep_body=self._keep_bodies))

    async def _answer(self, request: web.Request, exchange: Exchange) -> web.StreamResponse:
        check_headers(request.headers, self._api_versions)
        exchange.body = body = await _read(request)
        exchange.digest = hashlib.sha256(await request.read()).hexdigest()
        validate(body, self._rules, request.headers)
        plan = self._behaviour.plan(body)
        exchange.kind = plan.kind
        fault = self._faults.take(plan.kind)
        if fault and fault.is_http_error:
            await _raise_http_error(fault, exchange)
        reply = await plan.reply()
        message = finish(reply, body, self._cache.account(body))
        exchange.called = tuple(b.name for b in reply.blocks if isinstance(b, ToolUse))
        if not body.get("stream"):
            await asyncio.sleep(self._pace.due_s(message["usage"]["output_tokens"]))
            exchange.finish(message)
            headers = {"request-id": exchange.request_id, **rate_headers()}
            return web.json_response(without_partial_json(message), headers=headers)
        return await self._stream(request, message, exchange, fault)

    async def _stream(
        self, request: web.Request, message: Json, exchange: Exchange, fault: Fault | None
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers=_stream_headers(exchange))
        await response.prepare(request)
        events = list(stream_events(message, self._pace.chunk_chars))
        with contextlib.suppress(ConnectionResetError):
            if fault:
                await self._send(response, events[: fault.after_events])
                await fault.silence()
                del events[: fault.after_events]
            if fault and fault.breaks_stream:
                await _break(request, response, fault, exchange)
            else:
                await self._send(response, events)
                exchange.finish(message)
                await response.write_eof()
        return response

    async def _send(self, response: web.StreamResponse, events: list[StreamEvent]) -> None:
        started_s = asyncio.get_running_loop().time()
        tokens = 0
        for event in events:
            if event.tokens:
                await _sleep_until(started_s + self._pace.due_s(tokens))
                tokens += event.tokens
            await response.write(event.frame)


async def _raise_http_error(fault: Fault, exchange: Exchange) -> None:
    await fault.silence()
    exchange.retry_after = fault.retry_after
    raise fault.error


def _stream_headers(exchange: Exchange) -> dict[str, str]:
    return {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "request-id": exchange.request_id,
        **rate_headers(),
    }


async def _break(
    request: web.Request, response: web.StreamResponse, fault: Fault, exchange: Exchange
) -> None:
    exchange.error = fault.error.type if fault.mid_stream else f"{fault.cut} cut"
    if fault.mid_stream:
        data = error_body(fault.error, exchange.request_id)
        await response.write(StreamEvent(data=data).frame)
    if fault.cut == "abrupt":
        if request.transport is not None:
            request.transport.abort()
    else:
        await response.write_eof()


async def _sleep_until(due_s: float) -> None:
    remaining_s = due_s - asyncio.get_running_loop().time()
    if remaining_s > 0:
        await asyncio.sleep(remaining_s)


async def _read(request: web.Request) -> Json:
    try:
        body: Any = json.loads(await request.read())
    except web.HTTPRequestEntityTooLarge as error:
        raise RefusedError("Request exceeds the maximum size", status=413) from error
    except ValueError as error:
        raise RefusedError("The request body is not valid JSON") from error
    if not isinstance(body, dict):
        raise RefusedError("The request body must be a JSON object")
    return cast(Json, body)


def _refusal(
    error: RefusedError, request_id: str, retry_after: float | None = None
) -> web.Response:
    headers = {"request-id": request_id}
    if retry_after is not None:
        headers["retry-after"] = f"{retry_after:g}"
    return web.json_response(error_body(error, request_id), status=error.status, headers=headers)


def _request_id() -> str:
    return f"req_{uuid.uuid4().hex[:24]}"


async def _healthz(_request: web.Request) -> web.Response:
    return web.json_response({"ok": True})
