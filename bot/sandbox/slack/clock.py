"""The stand-in's clock, and the background tasks that a stand-in owns."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from operator import itemgetter
from typing import Any


class SandboxClock:
    """The machine's clock; its subclasses tell another time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep_until(self, at_s: float) -> None:
        """Wait for a moment; a past one returns at once."""
        await asyncio.sleep(max(0.0, at_s - self.now()))


class ManualClock(SandboxClock):
    """A clock that stands still until `advance` is called."""

    def __init__(self, start_s: float = 1_795_000_000.0) -> None:
        self._now_s = start_s
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move on and wake every sleeper whose moment has come, earliest first."""
        self._now_s += seconds
        self._sleepers.sort(key=itemgetter(0))
        while self._sleepers and self._sleepers[0][0] <= self._now_s:
            _, woken = self._sleepers.pop(0)
            woken.set()

    async def sleep_until(self, at_s: float) -> None:
        """Wait until the clock was advanced to the moment; a past moment returns at once."""
        if at_s <= self._now_s:
            return
        woken = asyncio.Event()
        self._sleepers.append((at_s, woken))
        await woken.wait()


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
