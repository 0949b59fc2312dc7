"""Socket Mode: open sockets, envelopes out with their retries, acknowledgements in."""

import asyncio
import json
import secrets
from collections.abc import Coroutine, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from aiohttp import WSMessage, WSMsgType, web

from bot.sandbox.slack.records import Delivery, OpenSockets
from bot.sandbox.slack.state import TeamChange, TeamState
from bot.sandbox.slack.wire import JsonObject

ACK_DEADLINE_S = 3.0
RETRY_PAUSES_S = (0.0, 60.0, 300.0)
PING_INTERVAL_S = 10.0
DISCONNECT_GRACE_S = 10.0
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


@dataclass(slots=True, eq=False)
class Socket:
    """One open connection. A draining one gets payloads only while there is no other."""

    ws: web.WebSocketResponse
    request: web.Request
    is_draining: bool = False
    is_black_hole: bool = False
    """No frame passes, though both sides see an open connection."""
    answers_pings: bool = True


class Sockets:
    """All sockets of the app. A payload goes to a random one; the state keeps every attempt."""

    def __init__(self, state: TeamState, background: StandInTasks) -> None:
        self._state = state
        self._clock = state.clock
        self._background = background
        self._sockets: set[Socket] = set()
        self._acks: dict[str, asyncio.Future[JsonObject | None]] = {}
        self.to_turn_away = 0
        """How many of the next sockets are greeted with `too_many_websockets`."""
        self.acks_to_lose = 0
        """How many of the next acknowledgements get lost."""
        self.may_begin = asyncio.Event()
        """Cleared while events wait for the app's first connection; Slack retries for minutes."""
        self.may_begin.set()

    @property
    def open_sockets(self) -> int:
        return sum(not socket.is_draining for socket in self._sockets)

    @property
    def connections(self) -> int:
        """Every greeted connection that is not closed yet, draining ones too."""
        return len(self._sockets)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it closes."""
        ws = web.WebSocketResponse(timeout=CLOSE_TIMEOUT_S, max_msg_size=0, autoping=False)
        await ws.prepare(request)
        socket = Socket(ws, request)
        if self.to_turn_away:
            self.to_turn_away -= 1
            await self._send_disconnect(socket, "too_many_websockets")
            await ws.close()
            return ws
        self._sockets.add(socket)
        await ws.send_json({"type": "hello", "num_connections": len(self._sockets)})
        self._publish_count()
        pings = self._background.start(self._ping(socket))
        try:
            async for frame in ws:
                await self._take(socket, frame)
        finally:
            pings.cancel()
            self._sockets.discard(socket)
            self._publish_count()
        return ws

    def _publish_count(self) -> None:
        self._state.publish(TeamChange(OpenSockets(self.open_sockets)))

    async def _take(self, socket: Socket, frame: WSMessage) -> None:
        if socket.is_black_hole:
            return
        if frame.type is WSMsgType.TEXT:
            self._take_ack(frame.data)
        elif frame.type is WSMsgType.PING and socket.answers_pings:
            with suppress(ConnectionError):
                await socket.ws.pong(frame.data)

    async def _ping(self, socket: Socket) -> None:
        while not socket.ws.closed:
            await self._clock.sleep_until(self._clock.now() + PING_INTERVAL_S)
            if socket.is_black_hole:
                return
            try:
                await socket.ws.ping(b"Ping from applink-1")
            except ConnectionError:
                return

    def _take_ack(self, data: str) -> None:
        answer: JsonObject = json.loads(data)
        if self.acks_to_lose:
            self.acks_to_lose -= 1
            return
        waiting = self._acks.get(answer["envelope_id"])
        if waiting is not None and not waiting.done():
            waiting.set_result(answer.get("payload"))

    @contextmanager
    def _expect_ack(self, envelope_id: str) -> Generator[asyncio.Future[JsonObject | None]]:
        """The payload of the coming acknowledgement, None if it has none."""
        new: asyncio.Future[JsonObject | None] = asyncio.get_running_loop().create_future()
        try:
            yield self._acks.setdefault(envelope_id, new)
        finally:
            self._acks.pop(envelope_id, None)

    async def send_text(self, text: str) -> bool:
        """Send a frame to one socket; False when no socket takes it.

        A draining socket counts while there is no other: Slack announces the end about 10 s ahead.
        """
        candidates = [socket for socket in self._sockets if not socket.is_draining]
        candidates = candidates or list(self._sockets)
        while candidates:
            socket = candidates.pop(secrets.randbelow(len(candidates)))
            if socket.is_black_hole:
                return True
            try:
                await socket.ws.send_str(text)
            except ConnectionError:
                continue
            return True
        return False

    async def disconnect(self, reason: str) -> None:
        """Announce the end to every socket; each closes after a grace time, or by the app."""
        for socket in tuple(self._sockets):
            socket.is_draining = True
            await self._send_disconnect(socket, reason)
            self._background.start(self._close_later(socket))

    async def _send_disconnect(self, socket: Socket, reason: str) -> None:
        await socket.ws.send_json({"type": "disconnect", "reason": reason})

    async def _close_later(self, socket: Socket) -> None:
        await self._clock.sleep_until(self._clock.now() + DISCONNECT_GRACE_S)
        await socket.ws.close()

    def cut(self) -> None:
        """Break every connection without a closing frame, as a failing network does."""
        for socket in self._sockets:
            if socket.request.transport is not None:
                socket.request.transport.abort()
        self._sockets.clear()

    def swallow_frames(self) -> None:
        """Make the open sockets black holes: no frame, ping or pong passes any more."""
        for socket in self._sockets:
            socket.is_black_hole = True

    def leave_pings_unanswered(self) -> None:
        """Answer no ping on the open sockets; everything else passes."""
        for socket in self._sockets:
            socket.answers_pings = False

    async def close(self) -> None:
        for socket in tuple(self._sockets):
            await socket.ws.close()

    def start_event(self, payload: JsonObject) -> None:
        """Deliver an event in the background, with Slack's retries until it is acknowledged."""
        self._background.start(self._deliver_event(payload))

    async def _deliver_event(self, payload: JsonObject) -> None:
        await self.may_begin.wait()
        delivery = await self.attempt("events_api", payload)
        for attempt, pause_s in enumerate(RETRY_PAUSES_S, start=1):
            if delivery.acked_at_s is not None:
                return
            patience_s = ACK_DEADLINE_S if delivery.reached_socket else 0.0
            await self._clock.sleep_until(delivery.sent_at_s + patience_s + pause_s)
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
            sent_at_s=self._clock.now(),
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
        wait = self._clock.sleep_until(delivery.sent_at_s + ACK_DEADLINE_S)
        deadline = asyncio.ensure_future(wait)
        try:
            await asyncio.wait((ack, deadline), return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
        if ack.done():
            delivery = replace(delivery, acked_at_s=self._clock.now(), answer=ack.result())
            self._state.keep(delivery)
        return delivery
