"""Socket Mode: open sockets, envelopes out with their retries, acknowledgements in."""

import asyncio
import json
import secrets
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

from aiohttp import WSMessage, WSMsgType, web

from bot.sandbox.slack.records import Delivery, OpenSockets
from bot.sandbox.slack.state import TeamChange, TeamState
from bot.sandbox.slack.wire import JsonObject

ACK_DEADLINE_S = 3.0
RETRY_PAUSES_S = (0.0, 60.0, 300.0)
PING_INTERVAL_S = 10.0
CLOSE_TIMEOUT_S = 1.0


class StandInTasks:
    """Owns every task of one stand-in. `close` raises a failed task's error again."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[Any]] = []

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    async def close(self) -> None:
        """Cancel the running tasks, wait for their end, and raise the first failure."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task


class Sockets:
    """All sockets of the app. A payload goes to a random one; the state keeps every attempt."""

    def __init__(self, state: TeamState, background: StandInTasks) -> None:
        self.background = background
        self.clock = state.clock
        self.greeted: dict[web.WebSocketResponse, web.Request] = {}
        """The connections that are not closed yet."""
        self._state = state
        self._acks: dict[str, asyncio.Future[JsonObject | None]] = {}
        self.may_begin = asyncio.Event()
        """Cleared while events wait for the app's first connection; Slack retries for minutes."""
        self.may_begin.set()

    @property
    def receivers(self) -> list[web.WebSocketResponse]:
        """The connections that get payloads."""
        return list(self.greeted)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it closes."""
        ws = web.WebSocketResponse(timeout=CLOSE_TIMEOUT_S, max_msg_size=0, autoping=False)
        await ws.prepare(request)
        self.greeted[ws] = request
        await ws.send_json({"type": "hello", "num_connections": len(self.greeted)})
        self._publish_count()
        pings = self.background.start(self._keep_pinging(ws))
        try:
            async for frame in ws:
                await self.take(ws, frame)
        finally:
            pings.cancel()
            self.greeted.pop(ws, None)
            self._publish_count()
        return ws

    def _publish_count(self) -> None:
        self._state.publish(TeamChange(OpenSockets(len(self.receivers))))

    async def take(self, ws: web.WebSocketResponse, frame: WSMessage) -> None:
        """An acknowledgement, or a ping of the app's."""
        if frame.type is WSMsgType.PING:
            with suppress(ConnectionError):
                await ws.pong(frame.data)
        elif frame.type is WSMsgType.TEXT:
            answer: JsonObject = json.loads(frame.data)
            waiting = self._acks.get(answer["envelope_id"])
            if waiting is not None and not waiting.done():
                waiting.set_result(answer.get("payload"))

    async def _keep_pinging(self, ws: web.WebSocketResponse) -> None:
        with suppress(ConnectionError):
            while not ws.closed:
                await self.clock.sleep_until(self.clock.now() + PING_INTERVAL_S)
                await self.ping(ws)

    async def ping(self, ws: web.WebSocketResponse) -> None:
        """Ask the app whether it is there."""
        await ws.ping(b"Ping from applink-1")

    async def send(self, ws: web.WebSocketResponse, text: str) -> None:
        """Send a frame. Raises ConnectionError."""
        await ws.send_str(text)

    async def send_text(self, text: str) -> bool:
        """Send a frame to one socket; False when no socket takes it."""
        candidates = self.receivers
        while candidates:
            ws = candidates.pop(secrets.randbelow(len(candidates)))
            with suppress(ConnectionError):
                await self.send(ws, text)
                return True
        return False

    async def close(self) -> None:
        for ws in list(self.greeted):
            await ws.close()

    def start_event(self, payload: JsonObject) -> None:
        """Deliver an event in the background, with Slack's retries until it is acknowledged."""
        self.background.start(self._deliver_event(payload))

    @contextmanager
    def _expect_ack(self, envelope_id: str) -> Generator[asyncio.Future[JsonObject | None]]:
        """The payload of the coming acknowledgement, None if it has none."""
        new: asyncio.Future[JsonObject | None] = asyncio.get_running_loop().create_future()
        try:
            yield self._acks.setdefault(envelope_id, new)
        finally:
            self._acks.pop(envelope_id, None)

    async def _deliver_event(self, payload: JsonObject) -> None:
        await self.may_begin.wait()
        delivery = await self.attempt("events_api", payload)
        for attempt, pause_s in enumerate(RETRY_PAUSES_S, start=1):
            if delivery.acked_at_s is not None:
                return
            patience_s = ACK_DEADLINE_S if delivery.reached_socket else 0.0
            await self.clock.sleep_until(delivery.sent_at_s + patience_s + pause_s)
            delivery = await self.attempt("events_api", payload, attempt=attempt)

    async def attempt(
        self,
        envelope_type: str,
        payload: JsonObject,
        *,
        attempt: int = 0,
        envelope_id: str | None = None,
    ) -> Delivery:
        """Send once and wait for the acknowledgement, at most 3 s by the stand-in's clock."""
        delivery = Delivery(
            envelope_id=envelope_id or str(uuid4()),
            type=envelope_type,
            payload=payload,
            attempt=attempt,
            sent_at_s=self.clock.now(),
            reached_socket=False,
        )
        envelope = {
            "envelope_id": delivery.envelope_id,
            "type": envelope_type,
            "payload": payload,
        }
        with self._expect_ack(delivery.envelope_id) as ack:
            has_reached = await self.send_text(json.dumps(envelope))
            delivery = replace(delivery, reached_socket=has_reached)
            self._state.keep(delivery)
            if not has_reached:
                return delivery
            return await self._await_ack(delivery, ack)

    async def _await_ack(
        self, delivery: Delivery, ack: asyncio.Future[JsonObject | None]
    ) -> Delivery:
        wait = self.clock.sleep_until(delivery.sent_at_s + ACK_DEADLINE_S)
        deadline = asyncio.ensure_future(wait)
        try:
            await asyncio.wait((ack, deadline), return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
        if ack.done():
            delivery = replace(delivery, acked_at_s=self.clock.now(), answer=ack.result())
            self._state.keep(delivery)
        return delivery
