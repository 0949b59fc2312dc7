"""A server over HTTP for tests of the hub: its tools can be held, its answers replaced, and the
line to it cut or frozen.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from mcp.server.mcpserver import Context
from mcp.types import ToolAnnotations
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from agent_core.mcp import HttpServer
from agent_core.messages import JsonObject
from tests.agent_core.mcp.loopback import Relay, serve
from tests.tool_calls import echo_server


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it came."""

    method: str
    headers: dict[str, str]
    path: str
    """With its query."""
    body: JsonObject

    @property
    def rpc(self) -> str:
        """The JSON-RPC method of its body."""
        return str(self.body.get("method", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is answered instead of what the server would say."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    for_ever: bool = False
    """Whether the body is sent again and again until the client has left."""


Rule = Callable[[Seen], Answer | None]


class Recording:
    """An ASGI app that keeps what it is asked, and can answer in the place of another app."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.seen: list[Seen] = []
        self.rule: Rule = lambda _: None
        self.left = asyncio.Event()
        """Somebody left in the middle of an answer without an end."""

    @property
    def headers(self) -> list[dict[str, str]]:
        return [seen.headers for seen in self.seen]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        seen = _seen(scope, body)
        self.seen.append(seen)
        if (answer := self.rule(seen)) is not None:
            await _send(answer, send)
            if answer.for_ever:
                await self._send_on(answer, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _send_on(self, answer: Answer, receive: Receive, send: Send) -> None:
        closing = asyncio.create_task(_until_closed(receive))
        while not closing.done():
            await send({"type": "http.response.body", "body": answer.body, "more_body": True})
            await asyncio.wait({closing}, timeout=0.02)
        self.left.set()


def _seen(scope: Scope, body: bytes) -> Seen:
    request = Request(scope)
    return Seen(
        method=request.method,
        headers=dict(request.headers),
        path=f"{request.url.path}?{request.url.query}",
        body=json.loads(body) if body else {},
    )


async def _send(answer: Answer, send: Send) -> None:
    headers = [(name.encode(), value.encode()) for name, value in answer.headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": answer.for_ever})


async def _until_closed(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting = deque([{"type": "http.request", "body": body, "more_body": False}])

    async def read() -> JsonObject:
        return waiting.popleft() if waiting else dict(await receive())

    return read


class World:
    """One HTTP server whose tools can be held, behind a relay that can be cut."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.entries = 0
        self.is_held = True
        self.mcp = echo_server()
        self.mcp.add_tool(self.wait)
        self.mcp.add_tool(self.giant)
        self.mcp.add_tool(self.look, annotations=ToolAnnotations(read_only_hint=True))
        self.app = Recording(self.mcp.streamable_http_app(streamable_http_path="/mcp"))
        self.relay = Relay(0)

    async def wait(self) -> str:
        self.entries += 1
        self.entered.set()
        if self.is_held:
            await asyncio.Event().wait()
        return "done"

    async def look(self) -> str:
        return await self.wait()

    async def giant(self, reports: bool, ctx: Context) -> str:
        if reports:
            await ctx.report_progress(1, 2, "half")
        return "g" * 6_000_000

    def server(self, *, call_timeout_s: float = 20) -> HttpServer:
        return HttpServer(
            name="far",
            url=f"http://127.0.0.1:{self.relay.port}/mcp",
            headers={"x-api-key": "key"},
            call_timeout_s=call_timeout_s,
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["World", None]:
        async with serve(self.app) as port, Relay(port) as relay:
            self.relay = relay
            yield self
