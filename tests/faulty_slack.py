"""The Slack stand-in with faults: of its methods, its sockets and what comes over them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from aiohttp import WSMessage, WSMsgType, web
from aiohttp.typedefs import Handler, Middleware

from bot.sandbox.slack import ApiCall, App, SandboxClock, SlackStandIn
from bot.sandbox.slack.server import read_arguments
from bot.sandbox.slack.sockets import Sockets, StandInTasks
from bot.sandbox.slack.state import TeamState

ANY_METHOD = "*"
DISCONNECT_GRACE_S = 10.0
FAULT_PAGE = "<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiFault:
    """How the next calls of a method fail.

    `hang_s` delays the call; `drop_after_accept` does the work and cuts the connection. An answer
    of status 429 asks for one second by default, and has no such header for "".
    """

    status: int = 200
    error: str | None = None
    retry_after_s: int | str | None = None
    drop_after_accept: bool = False
    html: bool = False
    hang_s: float = 0.0

    @property
    def is_answer(self) -> bool:
        """Whether it takes the place of the method's own answer."""
        return self.error is not None or self.status != 200 or self.html

    @property
    def code(self) -> str:
        return self.error or ("ratelimited" if self.status == 429 else "internal_error")

    @property
    def headers(self) -> dict[str, str]:
        after = "1" if self.retry_after_s is None and self.status == 429 else self.retry_after_s
        return {} if after is None else {"Retry-After": str(after)}


class FaultySockets(Sockets):
    """Sockets that swallow frames, lose acknowledgements, turn apps away or announce their end."""

    def __init__(self, state: TeamState, background: StandInTasks) -> None:
        super().__init__(state, background)
        self.to_turn_away = 0
        """How many of the next sockets are greeted with `too_many_websockets`."""
        self.acks_to_lose = 0
        """How many of the next acknowledgements get lost."""
        self._draining: set[web.WebSocketResponse] = set()
        self._black_holes: set[web.WebSocketResponse] = set()
        self._without_pongs: set[web.WebSocketResponse] = set()

    @property
    def connections(self) -> int:
        """Every greeted connection that is not closed yet, draining ones too."""
        return len(self.greeted)

    @property
    def receivers(self) -> list[web.WebSocketResponse]:
        """A draining socket counts for nothing: Slack announces the end about 10 s ahead."""
        return [ws for ws in self.greeted if ws not in self._draining]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if not self.to_turn_away:
            return await super().handle(request)
        self.to_turn_away -= 1
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        await ws.send_json({"type": "disconnect", "reason": "too_many_websockets"})
        await ws.close()
        return ws

    async def take(self, ws: web.WebSocketResponse, frame: WSMessage) -> None:
        is_ping = frame.type is WSMsgType.PING
        if ws in self._black_holes or (is_ping and ws in self._without_pongs):
            return
        if self.acks_to_lose and not is_ping:
            self.acks_to_lose -= 1
            return
        await super().take(ws, frame)

    async def ping(self, ws: web.WebSocketResponse) -> None:
        if ws not in self._black_holes:
            await super().ping(ws)

    async def send(self, ws: web.WebSocketResponse, text: str) -> None:
        if ws not in self._black_holes:
            await super().send(ws, text)

    async def send_text(self, text: str) -> bool:
        """A draining socket takes payloads while there is no other."""
        if self.receivers or not self.greeted:
            return await super().send_text(text)
        await self.send(next(iter(self.greeted)), text)
        return True

    async def disconnect(self, reason: str) -> None:
        """Announce the end to every socket; each closes after a grace time, or by the app."""
        for ws in tuple(self.greeted):
            self._draining.add(ws)
            await ws.send_json({"type": "disconnect", "reason": reason})
            self.background.start(self._close_later(ws))

    async def _close_later(self, ws: web.WebSocketResponse) -> None:
        await self.clock.sleep_until(self.clock.now() + DISCONNECT_GRACE_S)
        await ws.close()

    def cut(self) -> None:
        """Break every connection without a closing frame, as a failing network does."""
        for request in self.greeted.values():
            if request.transport is not None:
                request.transport.abort()
        self.greeted.clear()

    def swallow_frames(self) -> None:
        """Make the open sockets black holes: no frame, ping or pong passes any more."""
        self._black_holes |= self.greeted.keys()

    def leave_pings_unanswered(self) -> None:
        """Answer no ping on the open sockets; everything else passes."""
        self._without_pongs |= self.greeted.keys()


class FaultySlack(SlackStandIn):
    """A stand-in whose calls fail as they are told to."""

    sockets_type = FaultySockets

    def __init__(
        self,
        app: App | None = None,
        *,
        clock: SandboxClock | None = None,
        rate_limits: bool = True,
    ) -> None:
        super().__init__(app, clock=clock, rate_limits=rate_limits)
        self.middlewares: Sequence[Middleware] = (self._break,)
        self._faults: dict[str, list[ApiFault]] = {}

    @property
    def sockets(self) -> FaultySockets:
        sockets = self.backend.sockets
        assert isinstance(sockets, FaultySockets)
        return sockets

    async def remove_from_channel(self, channel: str, user: str) -> None:
        """A user, or the bot, is taken out of a channel."""
        members = list(self.state.channels[self.channel_id(channel)].members)
        members.remove(self.user_id(user))
        self.change_channel(channel, members=tuple(members))

    def fail(self, method: str, *, times: int = 1, **how: Any) -> None:
        """Order an `ApiFault` for the next calls of a method, any ("*") or "upload"."""
        self._faults.setdefault(method, []).extend([ApiFault(**how)] * times)

    def heal(self) -> None:
        """Take back every unused fault."""
        self._faults.clear()

    @web.middleware
    async def _break(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        method = request.match_info.get("method", "")
        name = "upload" if request.path.startswith("/upload/") else method
        faults = self._faults.get(name) or (self._faults.get(ANY_METHOD) if method else None)
        if not faults:
            return await handler(request)
        fault = faults.pop(0)
        arguments = await read_arguments(request) if method else {}
        clock = self.state.clock
        await clock.sleep_until(clock.now() + fault.hang_s)
        if fault.is_answer:
            return self._answer(method, arguments, fault)
        response = await handler(request)
        if fault.drop_after_accept and request.transport is not None:
            self.state.calls[-1] = replace(self.state.calls[-1], status=0)
            request.transport.close()
        return response

    def _answer(self, method: str, args: dict[str, Any], fault: ApiFault) -> web.Response:
        if not method:
            return web.Response(status=fault.status, text="upload failed")
        pause = fault.headers.get("Retry-After", "")
        call = ApiCall(
            method=method,
            args=args,
            at_s=self.state.clock.now(),
            duration_ms=0.0,
            ok=False,
            error=fault.code,
            status=fault.status,
            retry_after_s=int(pause) if pause.isdecimal() else 0,
        )
        self.state.keep(call)
        if fault.html:
            return web.Response(text=FAULT_PAGE, content_type="text/html", status=fault.status)
        body = {"ok": False, "error": fault.code}
        return web.json_response(body, status=fault.status, headers=fault.headers)
