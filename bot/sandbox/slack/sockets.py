"""Socket Mode: single-use tickets, the open sockets, frames out and acknowledgements in."""

import asyncio
import json
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from aiohttp import WSMessage, WSMsgType, web

from bot.sandbox.slack.background import Background
from bot.sandbox.slack.clock import Clock
from bot.sandbox.slack.feed import Change, Feed, OpenSockets
from bot.sandbox.slack.wire import JsonObject, as_object

MAX_SOCKETS = 10
TICKET_LIFETIME_S = 30.0
PING_INTERVAL_S = 10.0
DISCONNECT_GRACE_S = 10.0
CLOSE_TIMEOUT_S = 1.0


@dataclass(slots=True, eq=False)
class Socket:
    """One open connection. A draining one gets payloads only while there is no other."""

    ws: web.WebSocketResponse
    request: web.Request
    is_draining: bool = False
    is_cut: bool = False
    is_black_hole: bool = False
    """Nothing comes out of it and nothing goes in, though it looks open from both sides."""
    answers_pings: bool = True


class Sockets:
    """All sockets of the app. A payload goes to one of them, whichever."""

    def __init__(self, clock: Clock, feed: Feed, background: Background, app_id: str) -> None:
        self._clock = clock
        self._feed = feed
        self._background = background
        self._app_id = app_id
        self._tickets: dict[str, float] = {}
        self._sockets: list[Socket] = []
        self._acks: dict[str, asyncio.Future[JsonObject | None]] = {}
        self._to_turn_away = 0
        self._acks_to_lose = 0

    @property
    def open_sockets(self) -> int:
        return sum(not socket.is_draining for socket in self._sockets)

    @property
    def connections(self) -> int:
        """Every connection that was greeted and is not closed yet, draining ones too."""
        return len(self._sockets)

    def issue_ticket(self) -> str:
        ticket = secrets.token_urlsafe(16)
        self._tickets[ticket] = self._clock.now() + TICKET_LIFETIME_S
        return ticket

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Serve one connection until it closes."""
        expires_s = self._tickets.pop(request.query.get("ticket", ""), 0.0)
        if expires_s < self._clock.now():
            return web.Response(status=408, text="ticket is used, expired or unknown")
        ws = web.WebSocketResponse(timeout=CLOSE_TIMEOUT_S, max_msg_size=0, autoping=False)
        await ws.prepare(request)
        socket = Socket(ws, request)
        if self._to_turn_away or self.open_sockets >= MAX_SOCKETS:
            self._to_turn_away = max(0, self._to_turn_away - 1)
            await self._send_disconnect(socket, "too_many_websockets")
            await ws.close()
            return ws
        await self._serve(socket)
        return ws

    async def _serve(self, socket: Socket) -> None:
        self._sockets.append(socket)
        await socket.ws.send_json(self._hello())
        self._feed.publish(Change(OpenSockets(self.open_sockets)))
        pings = self._background.start(self._ping(socket))
        try:
            async for frame in socket.ws:
                await self._take(socket, frame)
        finally:
            pings.cancel()
            self._sockets.remove(socket)
            self._feed.publish(Change(OpenSockets(self.open_sockets)))

    async def _take(self, socket: Socket, frame: WSMessage) -> None:
        if socket.is_black_hole:
            return
        if frame.type is WSMsgType.TEXT:
            self._take_ack(frame.data)
        elif frame.type is WSMsgType.PING and socket.answers_pings:
            with suppress(ConnectionError):
                await socket.ws.pong(frame.data)

    def _hello(self) -> JsonObject:
        started = datetime.fromtimestamp(self._clock.now(), UTC)
        return {
            "type": "hello",
            "connection_info": {"app_id": self._app_id},
            "num_connections": len(self._sockets),
            "debug_info": {
                "host": "applink-1",
                "started": f"{started:%Y-%m-%d %H:%M:%S.000}",
                "build_number": 54,
                "approximate_connection_time": 3600,
            },
        }

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
        try:
            answer = as_object(json.loads(data)) or {}
        except ValueError:
            return
        if self._acks_to_lose:
            self._acks_to_lose -= 1
            return
        waiting = self._acks.get(str(answer.get("envelope_id")))
        if waiting is not None and not waiting.done():
            waiting.set_result(as_object(answer.get("payload")))

    @contextmanager
    def expect_ack(self, envelope_id: str) -> Generator[asyncio.Future[JsonObject | None]]:
        """The payload of the acknowledgement to come, None if it has none."""
        try:
            yield self._acks.setdefault(envelope_id, asyncio.get_running_loop().create_future())
        finally:
            self._acks.pop(envelope_id, None)

    async def send_text(self, text: str) -> bool:
        """Send a frame to one socket, whatever it says; False when there is none that takes it.

        A socket that is about to be closed counts as long as there is no other: Slack's notice
        comes about 10 s ahead.
        """
        usable = [socket for socket in self._sockets if not socket.is_cut]
        candidates = [socket for socket in usable if not socket.is_draining] or usable
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
        """Announce the end to every socket; it closes after a grace time, or when the app does."""
        for socket in tuple(self._sockets):
            socket.is_draining = True
            await self._send_disconnect(socket, reason)
            self._background.start(self._close_later(socket))

    async def _send_disconnect(self, socket: Socket, reason: str) -> None:
        frame = {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}
        await socket.ws.send_json(frame)

    async def _close_later(self, socket: Socket) -> None:
        await self._clock.sleep_until(self._clock.now() + DISCONNECT_GRACE_S)
        await socket.ws.close()

    def cut(self) -> None:
        """Break every connection without a closing frame, as a failing network does."""
        for socket in tuple(self._sockets):
            socket.is_draining = socket.is_cut = True
            if socket.request.transport is not None:
                socket.request.transport.abort()

    def swallow_frames(self) -> None:
        """Make the sockets that are open black holes: no frame, ping or pong passes any more."""
        for socket in self._sockets:
            socket.is_black_hole = True

    def leave_pings_unanswered(self) -> None:
        """Answer no ping on the sockets that are open; everything else passes."""
        for socket in self._sockets:
            socket.answers_pings = False

    def turn_away(self, times: int) -> None:
        """Greet the next sockets with `too_many_websockets`."""
        self._to_turn_away = times

    def lose_acks(self, times: int) -> None:
        """Lose the next acknowledgements on their way."""
        self._acks_to_lose = times

    async def close(self) -> None:
        for socket in tuple(self._sockets):
            await socket.ws.close()
