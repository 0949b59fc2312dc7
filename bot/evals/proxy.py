"""Proxy before the model's server: it measures calls, and records or replays the replies.

Only base URLs lead the bot here, so any server of the Messages API can be behind it. A recording is
keyed by a hash of the whole request. What differs from run to run has a constant name in it: the
directories of the run, and the microsecond in which the toolkit fetched a page.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from agent_core.messages import JsonObject
from bot.sandbox.loopback import LOOPBACK, serve
from bot.sandbox.model.message import stream_events

STEP = "step"
"""The kind of an agent's calls, which have several tools."""
TEXT = "text"
"""The kind of calls without a tool."""
ANOTHER_PROMPT = "recorded for another prompt: run with --record"

_MAX_BODY_BYTES = 64 * 1024 * 1024
_OK = 200
_CHUNK_CHARS = 100_000
_PING_S = 20.0
_PATIENCE_S = 900.0
_FETCHED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_KEPT_HEADERS = ("x-api-key", "authorization", "anthropic-version", "anthropic-beta")


def kind_of(body: JsonObject) -> str:
    """Of a request: the name of its only tool, STEP with several, TEXT with none."""
    tools: list[JsonObject] = body.get("tools") or []
    if len(tools) > 1:
        return STEP
    return tools[0]["name"] if tools else TEXT


@dataclass(slots=True, kw_only=True)
class ModelProxy:
    """The model's server as one scenario's bot sees it."""

    upstream: str
    """The real server; empty where recordings alone answer."""
    directory: Path
    """Of the bot, with its sessions' workspaces."""
    only: Sequence[str]
    steps: int
    recorded: dict[str, JsonObject]
    """By key, each with `seconds` and `message`. Replies of the real server are added."""
    calls: list[JsonObject] = field(default_factory=list[JsonObject])
    """The replies of this run, as in `recorded`."""
    faults: list[str] = field(default_factory=list[str])
    """Why calls have no reply."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Calls that are not measured wait for it; where all are, the agent's steps do."""
    held: int = 0
    _under_way: int = 0
    _active_at_s: float = 0.0

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[str]:
        """Serve on loopback; yields the base URL."""
        app = web.Application(client_max_size=_MAX_BODY_BYTES)
        app.router.add_post("/v1/messages", self._messages)
        async with serve(app) as port:
            yield f"http://{LOOPBACK}:{port}"

    def touch(self) -> None:
        """Count idleness from now on."""
        self._active_at_s = asyncio.get_running_loop().time()

    def idle_s(self) -> float:
        """How long the bot has wanted nothing of the model that it gets."""
        now_s = asyncio.get_running_loop().time()
        return 0.0 if self._under_way else now_s - self._active_at_s

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        body: JsonObject = await request.json()
        await self._pass_gate(kind_of(body))
        self._under_way += 1
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        try:
            asked = asyncio.create_task(self._reply(request, body))
            with suppress(ConnectionResetError):  # the bot may give a call up
                await response.prepare(request)
                while not asked.done():
                    await asyncio.wait({asked}, timeout=_PING_S)
                    await _send(response, {"type": "ping"})
                for event in await asked:
                    await _send(response, event)
            await asked
        finally:
            self._under_way -= 1
            self.touch()
        return response

    async def _pass_gate(self, kind: str) -> None:
        is_held = kind not in self.only if self.only else kind == STEP
        if kind == STEP and self.steps:
            self.steps -= 1
        elif is_held and not self.gate.is_set():
            self.held += 1
            self.touch()
            await self.gate.wait()

    async def _reply(self, request: web.Request, body: JsonObject) -> list[JsonObject]:
        """The events of the reply, or of the reason why there is none."""
        text = json.dumps(body, sort_keys=True)
        key = hashlib.sha256(self._renamed(text).encode()).hexdigest()
        fault = ANOTHER_PROMPT
        if self.upstream:
            fault = await self._ask(request, {**body, "stream": False}, key)
        call = self.recorded.get(key)
        if call is None:
            self.faults.append(fault)
            error = {"type": "invalid_request_error", "message": fault}
            return [{"type": "error", "error": error}]
        self.calls.append(call)
        message = json.loads(self._renamed(json.dumps(call["message"]), back=True))
        return [event for event, _ in stream_events(message, _CHUNK_CHARS)]

    async def _ask(self, request: web.Request, body: JsonObject, key: str) -> str:
        """Have the real server reply, for `recorded`; returns what it says in place of one."""
        began_s = asyncio.get_running_loop().time()
        given = request.headers
        headers = {name: given[name] for name in _KEPT_HEADERS if name in given}
        url = f"{self.upstream.rstrip('/')}/v1/messages"
        try:
            async with (
                ClientSession(timeout=ClientTimeout(_PATIENCE_S)) as session,
                session.post(url, json=body, headers=headers) as reply,
            ):
                text = await reply.text()
        except (ClientError, TimeoutError) as error:
            return f"the model's server cannot be reached: {type(error).__name__}"
        if reply.status != _OK:
            return f"the model's server said {reply.status}: {text}"
        seconds = asyncio.get_running_loop().time() - began_s
        message = json.loads(self._renamed(text))
        self.recorded[key] = {"seconds": round(seconds, 3), "message": message}
        return ""

    def _renamed(self, text: str, *, back: bool = False) -> str:
        """A text with constant names for this run's directories, or `back` with their own."""
        sessions = sorted(path.name for path in self.directory.glob("session_*"))
        names = [(name, f"session_{number}") for number, name in enumerate(sessions, 1)]
        for own, constant in [*names, (str(self.directory), "/workspaces")]:
            text = text.replace(constant, own) if back else text.replace(own, constant)
        return text if back else _FETCHED.sub("2026-03-27T09:00:00.000000Z", text)


async def _send(response: web.StreamResponse, event: JsonObject) -> None:
    await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
