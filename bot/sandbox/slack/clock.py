"""Time as the stand-in sees it: the real clock, and one that tests move by hand."""

import asyncio
import heapq
import itertools
import time
from typing import Protocol


class Clock(Protocol):
    """Wall-clock seconds since the epoch, and a way to wait for a moment."""

    def now(self) -> float: ...

    async def sleep_until(self, at_s: float) -> None: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        return time.time()

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - self.now()))


class ManualClock:
    """A clock that stands still until `advance` is called."""

    def __init__(self, start_s: float = 1_795_000_000.0) -> None:
        self._now_s = start_s
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._is_waited_on = asyncio.Event()

    def now(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move on and wake everyone whose moment has come, earliest first."""
        self._now_s += seconds
        while self._sleepers and self._sleepers[0][0] <= self._now_s:
            _, _, woken = heapq.heappop(self._sleepers)
            if not woken.done():
                woken.set_result(None)

    async def waited_on(self) -> None:
        """Return once somebody has waited for a moment to come."""
        await self._is_waited_on.wait()

    async def sleep_until(self, at_s: float) -> None:
        """Wait until the clock was advanced to the moment; one that has passed returns at once."""
        if at_s <= self._now_s:
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (at_s, next(self._order), woken))
        self._is_waited_on.set()
        await woken
