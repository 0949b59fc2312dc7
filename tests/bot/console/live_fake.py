"""The live view's server as the page meets it, without a bot: says what a test tells it to say."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

import bot.console

STATIC = Path(bot.console.__file__).parent / "static"
SESSION = "C1-1700000000.000100"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
FOREIGN_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
BEGIN_MS = 1_700_000_000_000

Json = dict[str, Any]


def agent(
    name: str, parent: str | None = None, *, status: str = "running", task: str = "", **more: Any
) -> Json:
    """An `agent-state`; `more` goes into its metadata but for what `AgentState` itself has."""
    own: Json = {"messages": [], "result": None, "userComment": None, "subagents": []}
    own |= {key: more.pop(key) for key in tuple(more) if key in own}
    state: Json = {
        "agentId": name,
        "parentId": parent,
        "status": status,
        "userContent": task or name,
        "createdAt": BEGIN_MS + more.pop("at", 0),
        "metadata": {"agent": "main", "finishedAt": None, **more},
        **own,
    }
    return {"type": "agent-state", "agentId": name, "state": state}


class LiveFake:
    """Serves the page's files and its WebSocket to whoever comes."""

    def __init__(self) -> None:
        self.url = ""
        self.tree: dict[str, Json] = {}
        """What a newcomer is told, by agent."""
        self.said: list[Json] = []
        """What pages said, in order."""
        self._news = asyncio.Condition()
        self.refusal = ""
        """What every request is refused with; empty while they are carried out."""
        self.is_down = False
        """Nobody is let in."""
        self.event = 0
        """The place of what was told last."""
        self.may_intervene = True
        self.files: dict[str, tuple[str, str]] = {}
        """Type and text of the artifacts, by path."""
        self._sockets: list[web.WebSocketResponse] = []

    async def tell(self, *messages: Json) -> None:
        """Say it to all pages; what is a state, newcomers are told too."""
        for message in messages:
            self.event += 1
            if message["type"] == "agent-state":
                self.tree[message["agentId"]] = message
            for socket in self._sockets:
                await socket.send_json({**message, "eventId": self.event})

    async def heard(self, **fields: object) -> None:
        """Wait until a page has said something with these fields."""
        async with asyncio.timeout(10), self._news:
            await self._news.wait_for(
                lambda: any(fields.items() <= said.items() for said in self.said)
            )

    async def cut(self, code: int = WSCloseCode.GOING_AWAY) -> None:
        """Close all connections."""
        while self._sockets:
            await self._sockets.pop().close(code=code)

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator["LiveFake"]:
        app = web.Application()
        app.on_response_prepare.append(_add_policy)
        app.router.add_static("/static", STATIC)
        app.router.add_get("/", self._page)
        app.router.add_get("/s/{session}", self._page)
        app.router.add_get("/ws", self._talk)
        app.router.add_get("/artifacts/{session}/{path:.+}", self._artifact)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await self.cut()
            await runner.cleanup()

    async def _page(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _artifact(self, request: web.Request) -> web.StreamResponse:
        mimetype, text = self.files[request.match_info["path"]]
        headers = {"Content-Security-Policy": FOREIGN_POLICY}
        return web.Response(text=text, content_type=mimetype, headers=headers)

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        if self.is_down:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for state in self.tree.values():
            await socket.send_json(state)
        ready = {"type": "ready", "eventId": self.event, "session": SESSION}
        await socket.send_json({**ready, "canIntervene": self.may_intervene, "csrf": "x"})
        self._sockets.append(socket)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                said = json.loads(message.data)
                async with self._news:
                    self.said.append(said)
                    self._news.notify_all()
                answer = (
                    {"type": "error", "error": self.refusal} if self.refusal else {"type": "done"}
                )
                await socket.send_json({**answer, "requestId": said["requestId"]})
        if socket in self._sockets:
            self._sockets.remove(socket)
        return socket


async def _add_policy(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.setdefault("Content-Security-Policy", POLICY)
