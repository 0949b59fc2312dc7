"""A socket to the Slack stand-in on a clock that both share and that tests move by hand."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from agent_core.messages import JsonObject
from bot.slack_api import OPEN_SOCKET, MonotonicClock, SlackError, web_client
from bot.socket import SocketMode, Timing, open_connection
from bot.socket.connection import Envelope
from tests.clocks import ManualClock
from tests.faulty_slack import FaultySlack

PATIENCE_S = 20.0
TRIPS_A_SECOND = 3
"""So that asking for a socket, opening it and being greeted take about a second."""


class SharedClock(MonotonicClock):
    """The stand-in's clock, as the bot holds clocks."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def seconds(self) -> float:
        return self._clock.now()

    async def sleep(self, seconds: float) -> None:
        await self._clock.sleep_until(self._clock.now() + seconds)


@dataclass(slots=True)
class Desk:
    """Acknowledges every envelope; can be held up, and can fail."""

    taken: list[Envelope] = field(default_factory=list[Envelope])
    finished: int = 0
    failures: int = 0
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def acknowledge(self, envelope: Envelope) -> JsonObject | None:
        self.taken.append(envelope)
        await self.may_go_on.wait()
        self.finished += 1
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the ledger is away")
        return {"envelope_id": envelope.id}


class LosableNames(AbstractResolver):
    """Finds every host on this machine, until names are lost."""

    def __init__(self) -> None:
        self.are_lost = False

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        if self.are_lost:
            raise OSError("Temporary failure in name resolution")
        return [
            ResolveResult(
                hostname=host, host="127.0.0.1", port=port, family=family or 2, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        return


@dataclass(slots=True)
class Asked:
    """Stands for `auth.test`; fails as told."""

    times: int = 0
    error: SlackError | None = None

    async def ask(self) -> None:
        self.times += 1
        if self.error is not None:
            raise self.error


@dataclass(slots=True)
class Sessions:
    """Every HTTP session that was made for the socket."""

    names: LosableNames = field(default_factory=LosableNames)
    made: list[aiohttp.ClientSession] = field(default_factory=list[aiohttp.ClientSession])

    def make(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(resolver=self.names, use_dns_cache=False)
        self.made.append(aiohttp.ClientSession(connector=connector))
        return self.made[-1]

    @property
    def open(self) -> int:
        return sum(not session.closed for session in self.made)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    slack: FaultySlack
    clock: ManualClock
    socket: SocketMode
    desk: Desk
    asked: Asked
    sessions: Sessions
    healed: list[float]
    """When `on_healed` was called."""
    errand: aiohttp.ClientSession
    nowhere: str

    async def round_trip(self) -> None:
        """Let what is on its way over loopback arrive."""
        async with self.errand.get(self.nowhere) as answer:
            assert answer.status == 404

    async def pass_time(self, seconds: int) -> None:
        """Second by second, as everybody would see it pass."""
        for _ in range(seconds):
            self.clock.advance(1.0)
            for _ in range(TRIPS_A_SECOND):
                await self.round_trip()

    async def until(self, probe: Callable[[], object], *, within_s: float) -> float:
        """Let time pass until the probe gives something true. How many seconds that took."""
        started_s = self.clock.now()
        while not probe():
            assert self.clock.now() - started_s < within_s
            await self.pass_time(1)
        return self.clock.now() - started_s

    async def at_once(self, probe: Callable[[], object]) -> None:
        """Wait until the probe gives something true, without any time passing on the clock."""
        async with asyncio.timeout(PATIENCE_S):
            while not probe():
                await self.round_trip()

    async def delivers(self, text: str) -> None:
        """Something is said, and it is acknowledged."""
        delivered = len(self.slack.deliveries)
        await self.slack.say("ann", dm=True, text=text)
        await self.at_once(lambda: self.acknowledged(delivered))

    def acknowledged(self, place: int) -> bool:
        """Whether the delivery at this place of all was acknowledged."""
        deliveries = self.slack.deliveries
        return len(deliveries) > place and deliveries[place].acked_at_s is not None

    def tries(self) -> list[float]:
        """When a socket was asked for."""
        return [call.at_s for call in self.slack.calls if call.method == OPEN_SOCKET]

    @property
    def texts(self) -> list[str]:
        payloads = [envelope.payload or {} for envelope in self.desk.taken]
        return [str(payload.get("event", {}).get("text")) for payload in payloads]


@asynccontextmanager
async def fresh_world() -> AsyncGenerator[World, None]:
    """A stand-in, and a socket that is not begun."""
    clock = ManualClock()
    shared, timing = SharedClock(clock), Timing()
    desk, asked, sessions = Desk(), Asked(), Sessions()
    healed: list[float] = []

    def note_healed() -> None:
        healed.append(clock.now())

    desk.may_go_on.set()
    async with (
        FaultySlack(clock=clock, rate_limits=False) as slack,
        aiohttp.ClientSession() as errand,
    ):
        nowhere = f"{slack.base_url}/nothing"
        slack.backend.base_url = slack.base_url.replace("127.0.0.1", "slack.localhost")
        open_next = partial(
            open_connection,
            slack.app_token,
            web_client(None, base_url=slack.api_url),
            desk.acknowledge,
            clock=shared,
            timing=timing,
            new_session=sessions.make,
        )
        socket = SocketMode(
            open_next, clock=shared, timing=timing, ask=asked.ask, on_healed=note_healed
        )
        world = World(
            slack=slack,
            clock=clock,
            socket=socket,
            desk=desk,
            asked=asked,
            sessions=sessions,
            healed=healed,
            errand=errand,
            nowhere=nowhere,
        )
        try:
            yield world
        finally:
            await socket.close()
