"""The live view's server as the page meets it, without a bot: says what a test tells it to say."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from agent_core.events import TurnFinished
from agent_core.ids import ROOT_RUN, AgentId, RunId, SessionId, TurnId
from agent_core.snapshot import RunSnapshot, TurnSnapshot
from agent_core.tree import AgentState, AgentStatus
from bot.console.console import FILE_POLICY, STATIC
from bot.console.markup import AgentHtml
from bot.console.server import add_headers, listening

SESSION = "C1-1700000000.000100"
BEGIN_MS = 1_700_000_000_000

Json = dict[str, Any]


def agent(
    name: str,
    parent: str | None = None,
    *,
    status: AgentStatus = "running",
    at: int = 0,
    **more: Any,
) -> Json:
    """An `agent-state`; `more` goes into its metadata but for what `AgentState` itself has."""
    created_at = datetime.fromtimestamp((BEGIN_MS + at) / 1000, UTC)
    run = RunSnapshot(RunId(name), created_at)
    run.task = more.pop("task", name)
    parent_id = AgentId(parent) if parent else None
    state = AgentState(AgentId(name), parent_id, TurnSnapshot(), run).as_json()
    state["status"] = status
    state["metadata"] |= {"agent": "main", "isQueued": False}
    for key, value in more.items():
        (state if key in state else state["metadata"])[key] = value
    _add_html(state)
    return {"type": "agent-state", "agentId": name, "state": state}


def _add_html(state: Json) -> None:
    """Texts as HTML, as the live view's server adds it."""
    metadata = state["metadata"]
    end = None
    if metadata["isTainted"] is not None:
        end = TurnFinished(
            session=SessionId(SESSION),
            turn=TurnId("1"),
            run=ROOT_RUN,
            step=0,
            attempt=1,
            n=1,
            at=datetime.now(UTC),
            outcome="answered",
            answer="",
            reference="",
            is_tainted=metadata["isTainted"],
            sources=tuple(metadata["sources"]),
        )
    html = AgentHtml()
    metadata["liveHtml"] = html.of_live(metadata["live"])
    metadata["resultHtml"] = html.of(state["result"] or "", end)
    for message in state["messages"]:
        message["html"] = html.of(message["content"], end)


class LiveFake:
    """Serves the page's files and its WebSocket to whoever comes."""

    def __init__(self) -> None:
        self.url = ""
        self.tree: dict[str, Json] = {}
        """What a newcomer is told, by agent."""
        self._live: dict[str, str] = {}
        """What agents are saying."""
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
                self._live[message["agentId"]] = message["state"]["metadata"]["live"]
            elif message["type"] == "text-delta":
                self._live[message["agentId"]] += message["delta"]
                html = AgentHtml().of_live(self._live[message["agentId"]])
                message = {**message, "html": html}
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
        app.on_response_prepare.append(add_headers)
        app.router.add_static("/static", STATIC)
        app.router.add_get("/", self._page)
        app.router.add_get("/s/{session}", self._page)
        app.router.add_get("/ws", self._talk)
        app.router.add_get("/artifacts/{session}/{path:.+}", self._artifact)
        async with listening(app, "127.0.0.1", 0) as port:
            self.url = f"http://127.0.0.1:{port}"
            yield self
            await self.cut()

    async def _page(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(STATIC / "index.html")

    async def _artifact(self, request: web.Request) -> web.StreamResponse:
        mimetype, text = self.files[request.match_info["path"]]
        headers = {"Content-Security-Policy": FILE_POLICY}
        return web.Response(text=text, content_type=mimetype, headers=headers)

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        if self.is_down:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for state in self.tree.values():
            await socket.send_json(state)
        ready = {"type": "ready", "eventId": self.event, "session": SESSION, "name": "ann"}
        await socket.send_json({**ready, "canIntervene": self.may_intervene})
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
