"""One WebSocket from its opening to its end: frames in, acknowledgements out, pings between."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import cast

import aiohttp
from aiohttp import WSMsgType
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.background import Background
from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from bot.inbound import text_in
from bot.slack_api import OPEN_SOCKET, MonotonicClock, SlackUnavailable, ask, refusal, web_client
from bot.socket.trouble import DEAF, LOST, Trouble, trouble_of_reason

MAX_SHOWN_CHARS = 40
OPEN_LIMIT_S = 10.0
MAX_FRAME_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """With the defaults a deaf socket is found out within 25 s."""

    ping_interval_s: float = 5.0
    deaf_after_s: float = 15.0
    """How long a ping may go without its pong."""
    greeting_limit_s: float = 10.0
    """From the handshake to Slack's hello."""
    drain_s: float = 3.0
    """For acknowledging what came, before a connection is closed."""
    close_limit_s: float = 2.0
    """For the other side's part in closing."""
    quiet_after_s: float = 60.0
    """Without any payload for this long, Slack is asked whether it still knows the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload that waits for its acknowledgement."""

    id: str
    type: str
    payload: JsonObject | None
    """None where there is none that could be read."""


Acknowledge = Callable[[Envelope], Awaitable[JsonObject | None]]
"""Deals with an envelope and gives its acknowledgement; None where there shall be none."""

_ENDS = frozenset({WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR})
_BROKEN = (ConnectionError, aiohttp.ClientError)

logger = logging.getLogger(__name__)


class SocketConnection:
    """Hears one WebSocket. It has an HTTP session of its own, which ends with it."""

    def __init__(
        self,
        socket: aiohttp.ClientWebSocketResponse,
        session: aiohttp.ClientSession,
        acknowledge: Acknowledge,
        *,
        clock: MonotonicClock,
        timing: Timing,
    ) -> None:
        self._socket = socket
        self._session = session
        self._acknowledge = acknowledge
        self._clock = clock
        self._timing = timing
        self._heard_s = self._brought_s = clock.seconds()
        self._asked_s: float | None = None
        self._trouble: asyncio.Future[Trouble] = asyncio.get_running_loop().create_future()
        self._in_hand = Background()
        self._work: tuple[asyncio.Task[None], ...] = ()
        self._is_over = False

    @property
    def is_open(self) -> bool:
        """Whether what Slack sends is heard, as far as is known."""
        return not self._is_over and not self._is_deaf()

    @property
    def heard_s_ago(self) -> float:
        """Seconds since anything came."""
        return self._clock.seconds() - self._heard_s

    @property
    def quiet_s(self) -> float:
        """Seconds since a payload came."""
        return self._clock.seconds() - self._brought_s

    async def begin(self) -> None:
        """Wait to be greeted, then listen.

        Raises SlackError where Slack sent the connection away, or did not greet it in time.
        """
        try:
            async with asyncio.timeout(self._timing.greeting_limit_s):
                text = await self._next_text()
        except TimeoutError as error:
            raise SlackUnavailable(OPEN_SOCKET, detail="no greeting") from error
        if text is None:
            raise SlackUnavailable(OPEN_SOCKET, detail="closed before the greeting")
        first = _read(text)
        if first.get("type") == "disconnect":
            raise refusal(OPEN_SOCKET, text_in(first, "reason"))
        self._take(first)
        self._work = (asyncio.create_task(self._listen()), asyncio.create_task(self._ping()))

    async def trouble(self) -> Trouble:
        """Wait for the reason to replace this connection. It may still be open then."""
        return await asyncio.shield(self._trouble)

    async def retire(self) -> None:
        """Acknowledge what came, within a limit, end the connection, and wait for the rest.

        What comes meanwhile is still taken. Cancelled, it leaves undone what is not done.
        """
        try:
            if self.is_open:
                await self._in_hand.settle(patience_s=self._timing.drain_s)
            await self._close()
            while self._in_hand:
                await self._in_hand.settle()
        finally:
            for task in self._work:
                task.cancel()
            await self._in_hand.close()

    async def _close(self) -> None:
        self._is_over = True
        try:
            async with asyncio.timeout(self._timing.close_limit_s):
                await self._socket.close()
        except TimeoutError:
            logger.info("the other side did not take part in closing the socket")
        finally:
            await self._session.close()

    async def _listen(self) -> None:
        while (text := await self._next_text()) is not None:
            self._take(_read(text))
        self._is_over = True
        self._report(LOST)

    async def _next_text(self) -> str | None:
        """The next text frame, None at the end of the connection. Pings are answered meanwhile."""
        while True:
            frame = await self._socket.receive()
            if frame.type in _ENDS:
                return None
            self._heard_s = self._clock.seconds()
            if frame.type is WSMsgType.TEXT:
                return str(frame.data)
            if frame.type is WSMsgType.PONG:
                self._asked_s = None
            elif frame.type is WSMsgType.PING:
                try:
                    await self._socket.pong(frame.data)
                except _BROKEN:
                    return None

    def _take(self, frame: JsonObject) -> None:
        kind, envelope_id = text_in(frame, "type"), text_in(frame, "envelope_id")
        if kind == "hello":
            count = frame.get("num_connections")
            logger.info("the socket to Slack is open; the app has %s", count)
        elif kind == "disconnect":
            self._report(trouble_of_reason(text_in(frame, "reason")))
        elif envelope_id:
            self._brought_s = self._clock.seconds()
            payload: object = frame.get("payload")
            read = cast("JsonObject", payload) if isinstance(payload, dict) else None
            envelope = Envelope(id=envelope_id, type=kind, payload=read)
            self._in_hand.start(self._deal_with(envelope))
        else:
            logger.warning("a frame of the type %r from Slack is left", kind[:MAX_SHOWN_CHARS])

    async def _deal_with(self, envelope: Envelope) -> None:
        """An envelope that fails costs neither the connection nor another envelope."""
        try:
            answer = await self._acknowledge(envelope)
        except Exception:
            logger.exception("an envelope was not dealt with; Slack delivers it again")
            return
        if answer is None:
            return
        fault_point("ack.before")
        try:
            await self._socket.send_str(json.dumps(answer))
        except _BROKEN:
            logger.info("an acknowledgement came too late for its socket; the payload comes again")
            return
        fault_point("ack.after")

    async def _ping(self) -> None:
        """Ask for signs of life. Only pongs count: other frames do not show that ours arrive."""
        while not self._is_deaf():
            if self._asked_s is None:
                self._asked_s = self._clock.seconds()
            try:
                async with asyncio.timeout(self._timing.ping_interval_s):
                    await self._socket.ping()
            except (*_BROKEN, TimeoutError):
                logger.info("a ping could not be sent")
            await self._clock.sleep(self._timing.ping_interval_s)
        self._report(DEAF)

    def _is_deaf(self) -> bool:
        """Whether a ping has gone too long without its pong. A process that slept is not deaf."""
        asked_s = self._asked_s
        return asked_s is not None and (
            self._clock.seconds() - asked_s >= self._timing.deaf_after_s
        )

    def _report(self, trouble: Trouble) -> None:
        """The first reason stands: the connection is being replaced from then on."""
        if not self._trouble.done():
            self._trouble.set_result(trouble)


def _read(frame: str) -> JsonObject:
    """What a text frame says; empty where it is no JSON object."""
    try:
        content: object = json.loads(frame)
    except (ValueError, RecursionError):
        return {}
    return cast("JsonObject", content) if isinstance(content, dict) else {}


def _new_session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))


async def open_connection(
    app_token: str,
    like: AsyncWebClient,
    acknowledge: Acknowledge,
    *,
    clock: MonotonicClock,
    timing: Timing,
    new_session: Callable[[], aiohttp.ClientSession] = _new_session,
) -> SocketConnection:
    """A connection that Slack has greeted and that listens.

    It is asked for with an app-level token, by the way that `like` takes: address and proxy. Each
    one gets an HTTP session of its own, so nothing that broke is used again. Raises SlackError
    where it did not come about; the kind says whether that passes.
    """
    async with AsyncExitStack() as unfinished:
        session = await unfinished.enter_async_context(new_session())
        client = web_client(app_token, base_url=like.base_url, session=session)
        client.proxy = like.proxy
        opened = await ask(client, OPEN_SOCKET)
        try:
            async with asyncio.timeout(OPEN_LIMIT_S):
                socket = await session.ws_connect(
                    str(opened.get("url", "")),
                    autoping=False,
                    proxy=like.proxy,
                    ssl=like.ssl or True,
                    max_msg_size=MAX_FRAME_BYTES,
                )
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise SlackUnavailable(OPEN_SOCKET, detail=type(error).__name__) from error
        connection = SocketConnection(
            socket,
            session,
            acknowledge,
            clock=clock,
            timing=timing,
        )
        await connection.begin()
        unfinished.pop_all()
    return connection
