"""The stand-in as a server on loopback: the Messages API, and a log of its calls."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from dataclasses import dataclass
from typing import Self

from aiohttp import web

from bot.sandbox.loopback import serve
from bot.sandbox.model.message import (
    Json,
    ReplyPace,
    StandInReply,
    as_object,
    finish,
    stream_events,
)
from bot.sandbox.model.playbooks import plan
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
    status: int = 200
    digest: str = ""
    """The same for two requests with the same bytes, and for no others."""
    body: Json | None = None
    """The whole request, where somebody keeps it."""


class ModelStandIn:
    """`async with ModelStandIn() as model:` serves `model.base_url` until the block is left.

    It plays a playbook that it chooses from each request alone; plain questions are answered from
    `pages`. `calls` lists what was asked.
    """

    def __init__(
        self,
        *,
        pages: PageLoader = no_pages,
        pace: ReplyPace | None = None,
    ) -> None:
        self.calls: list[ReceivedCall] = []
        self._pages = pages
        self._pace = pace or ReplyPace()
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

    async def plan(self, body: Json) -> tuple[str, StandInReply]:
        """The reply to one request, and which playbook made it."""
        return await plan(body, self._pages)

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        call = ReceivedCall(digest=hashlib.sha256(await request.read()).hexdigest())
        try:
            return await self.answer(request, call)
        except ConnectionResetError:
            return web.Response(status=CLIENT_IS_GONE)
        finally:
            self.calls.append(call)

    async def answer(self, request: web.Request, call: ReceivedCall) -> web.StreamResponse:
        """The response to one request."""
        body = as_object(await request.json())
        call.kind, reply = await self.plan(body)
        return await self.reply(request, body, reply)

    async def reply(
        self,
        request: web.Request,
        body: Json,
        reply: StandInReply,
    ) -> web.StreamResponse:
        """A reply on the wire, whole or as a stream."""
        message = finish(reply, body)
        if not body.get("stream"):
            await asyncio.sleep(self._pace.due_s(message["usage"]["output_tokens"]))
            return web.json_response(message)
        response, events = await self.begin_stream(request, message)
        with contextlib.suppress(ConnectionResetError):
            await self.send(response, events)
            await response.write_eof()
        return response

    async def begin_stream(
        self, request: web.Request, message: Json
    ) -> tuple[web.StreamResponse, list[tuple[Json, int]]]:
        """The open response, and the events with their tokens, which `send` writes into it."""
        kind = "text/event-stream; charset=utf-8"
        response = web.StreamResponse(headers={"content-type": kind})
        await response.prepare(request)
        return response, list(stream_events(message, self._pace.chunk_chars))

    async def send(
        self,
        response: web.StreamResponse,
        events: list[tuple[Json, int]],
    ) -> None:
        """Write events at the pace of the reply."""
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
