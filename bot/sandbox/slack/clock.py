"""The stand-in's time, and the tasks that go on beside its callers."""

import asyncio
import time
from collections.abc import Coroutine
from operator import itemgetter
from typing import Any, Protocol


class SandboxClock(Protocol):
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
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        """Move on and wake everyone whose moment has come, earliest first."""
        self._now_s += seconds
        self._sleepers.sort(key=itemgetter(0))
        while self._sleepers and self._sleepers[0][0] <= self._now_s:
            self._sleepers.pop(0)[1].set()

    async def sleep_until(self, at_s: float) -> None:
        """Wait until the clock was advanced to the moment; one that has passed returns at once."""
        if at_s > self._now_s:
            self._sleepers.append((at_s, woken := asyncio.Event()))
            await woken.wait()


class StandInTasks:
    """Owns every task of one stand-in. A failed task is raised again when the stand-in closes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        if task.cancelled() or task.exception() is None:
            self._tasks.discard(task)

    async def close(self) -> None:
        """Cancel what still runs, wait for its end, and raise the first failure there was."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for task in tasks:
            if not task.cancelled() and (failure := task.exception()) is not None:
                raise failure
