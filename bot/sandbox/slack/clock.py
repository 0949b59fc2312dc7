"""The stand-in's time, and the tasks that go on beside its callers."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Coroutine
from typing import Any, Protocol


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


class Background:
    """Owns every task of one stand-in. A failed task is raised again when the stand-in closes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failures: list[BaseException] = []

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failures.append(failure)

    async def close(self) -> None:
        """Cancel what still runs, wait for its end, and raise the first failure there was."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
        await asyncio.sleep(0)
        if self._failures:
            raise self._failures[0]
