"""Proxy before the model's server: it measures calls, and records or replays the replies.

Only base URLs lead the bot here, so any server of the Messages API can be behind it. A recording is
keyed by a hash of the whole request. What differs from run to run has a constant name in it: the
directories of the run, and the microsecond in which a page was fetched or a search saved.
"""

import asyncio
import hashlib
import json
import re
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from agent_core.messages import JsonObject
from bot.evals.scenarios import Suite
from bot.sandbox.model import ModelStandIn
from bot.sandbox.model.message import stream_events
from bot.sandbox.model.server import ReceivedCall

STEP = "step"
"""The kind of an agent's calls, which have several tools."""
TEXT = "text"
"""The kind of calls without a tool."""
ANOTHER_PROMPT = "recorded for another prompt: run with --record"

_OK = 200
_CHUNK_CHARS = 100_000
_PING_S = 20.0
_PATIENCE_S = 900.0
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z|(?<=_)\d{8}_\d{6}_\d{6}(?=_)")
_KEPT_HEADERS = ("x-api-key", "authorization", "anthropic-version", "anthropic-beta")


def kind_of(body: JsonObject) -> str:
    """Of a request: the name of its only tool, STEP with several, TEXT with none."""
    tools: list[JsonObject] = body.get("tools") or []
    if len(tools) > 1:
        return STEP
    return tools[0]["name"] if tools else TEXT


class ModelProxy(ModelStandIn):
    """The model's server as one scenario's bot sees it.

    Args:
        upstream: The real server; empty where recordings alone reply.
        directory: Of the bot, with its sessions' workspaces.
        kind: Says which calls are measured.
        recorded: By key, each with `seconds` and `message`. What the server replies is added.
    """

    def __init__(
        self, upstream: str, directory: Path, kind: Suite, recorded: dict[str, JsonObject]
    ) -> None:
        super().__init__()
        self._upstream = upstream
        self.directory = directory
        self._only = kind.only
        self.steps = kind.steps
        self._recorded = recorded
        self.replies: list[JsonObject] = []
        """Of this run, as in `recorded`."""
        self.faults: list[str] = []
        """Why calls have no reply."""
        self.gate = asyncio.Event()
        """Calls that are not measured wait for it; where all are, the agent's steps do."""
        self.held = 0
        self._under_way = 0
        self._active_at_s = 0.0

    def touch(self) -> None:
        """Count idleness from now on."""
        self._active_at_s = asyncio.get_running_loop().time()

    def idle_s(self) -> float:
        """How long the bot has wanted nothing of the model that it gets."""
        now_s = asyncio.get_running_loop().time()
        return 0.0 if self._under_way else now_s - self._active_at_s

    async def answer(self, request: web.Request, call: ReceivedCall) -> web.StreamResponse:
        """The reply as a stream; pings keep the connection while it is waited for."""
        body: JsonObject = await request.json()
        await self._pass_gate(kind_of(body))
        self._under_way += 1
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        try:
            asked = asyncio.create_task(self._reply(request, body))
            await response.prepare(request)
            while not asked.done():
                await asyncio.wait({asked}, timeout=_PING_S)
                await self.send(response, [({"type": "ping"}, 0)])
            await self.send(response, await asked)
        finally:
            self._under_way -= 1
            self.touch()
        return response

    async def _pass_gate(self, kind: str) -> None:
        is_held = kind not in self._only if self._only else kind == STEP
        if kind == STEP and self.steps:
            self.steps -= 1
        elif is_held and not self.gate.is_set():
            self.held += 1
            self.touch()
            await self.gate.wait()

    async def _reply(self, request: web.Request, body: JsonObject) -> list[tuple[JsonObject, int]]:
        """The events of the reply, or of the reason why there is none."""
        text = json.dumps(body, sort_keys=True)
        key = hashlib.sha256(self._renamed(text).encode()).hexdigest()
        fault = ANOTHER_PROMPT
        if self._upstream:
            fault = await self._ask(request, {**body, "stream": False}, key)
        call = self._recorded.get(key)
        if call is None:
            self.faults.append(fault)
            error = {"type": "invalid_request_error", "message": fault}
            return [({"type": "error", "error": error}, 0)]
        self.replies.append(call)
        message = json.loads(self._renamed(json.dumps(call["message"]), back=True))
        return [*stream_events(message, _CHUNK_CHARS)]

    async def _ask(self, request: web.Request, body: JsonObject, key: str) -> str:
        """Have the real server reply, for `recorded`; returns what it says in place of one."""
        began_s = asyncio.get_running_loop().time()
        given = request.headers
        headers = {name: given[name] for name in _KEPT_HEADERS if name in given}
        url = f"{self._upstream.rstrip('/')}/v1/messages"
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
        self._recorded[key] = {"seconds": round(seconds, 3), "message": message}
        return ""

    def _renamed(self, text: str, *, back: bool = False) -> str:
        """A text with constant names for this run's directories, or `back` with their own."""
        sessions = sorted(path.name for path in self.directory.glob("session_*"))
        names = [(name, f"session_{number}") for number, name in enumerate(sessions, 1)]
        for own, constant in [*names, (str(self.directory), "/workspaces")]:
            text = text.replace(constant, own) if back else text.replace(own, constant)
        return text if back else _MOMENT.sub("2026-03-27T09:00:00.000000Z", text)
