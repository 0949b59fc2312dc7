"""Owned asyncio tasks, and exponential back-off with jitter: made once, for the whole house.

asyncio keeps only weak references to tasks, and a task that nobody owns outlives its maker; so
whoever begins work beside its own has a `Background` and closes it. Waits between tries grow, so
that what is down is spared, and are spread, so that many who wait do not come back all at once.
"""

import asyncio
import contextvars
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")
K = TypeVar("K")

logger = logging.getLogger(__name__)


class Locks(Generic[K]):
    """A lock for each key, kept for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[K, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: K) -> asyncio.Lock:
        """The lock of a key."""
        return self._locks.setdefault(key, asyncio.Lock())


class Background:
    """Tasks of one owner. What is begun after `close` is cancelled at once."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def __len__(self) -> int:
        """How many are not done: none makes it false."""
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, T], *, name: str | None = None) -> asyncio.Task[T]:
        """Begin `work`; what it raises belongs to whoever awaits the task."""
        task = asyncio.create_task(work, name=name)
        return self._own(task)

    def run(self, work: Callable[[], Awaitable[object]], *, name: str | None = None) -> None:
        """Do `work` outside of any turn's context. Nobody awaits it: what it raises is logged."""
        task = asyncio.create_task(
            _logged(work, name),
            name=name,
            context=contextvars.Context(),
        )
        self._own(task)

    def repeat(
        self,
        work: Callable[[], Awaitable[object]],
        *,
        pause: Callable[[], Awaitable[object]],
        name: str,
    ) -> None:
        """Do `work` for ever, with a `pause` after each time. What it raises is logged."""

        async def keep_on() -> None:
            while True:
                await _logged(work, name)
                await pause()

        self.start(keep_on(), name=name)

    async def settle(self, *, patience_s: float | None = None) -> None:
        """Wait until all is done that was begun so far, but no longer than `patience_s`."""
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=patience_s)

    async def close(self, *, patience_s: float | None = None) -> None:
        """Cancel all of it and wait until it has ended, but no longer than `patience_s`."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await self.settle(patience_s=patience_s)

    def _own(self, task: asyncio.Task[T]) -> asyncio.Task[T]:
        if self._is_closed:
            task.cancel()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _logged(work: Callable[[], Awaitable[object]], name: str | None) -> None:
    try:
        await work()
    except Exception:
        logger.exception("%s failed", name or "background work")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait before the next try: growing from `first_s` to `longest_s`."""

    first_s: float
    longest_s: float
    factor: float = 2.0
    jitter: float = 0.25
    """The share of a wait that is left to chance, 0 to 1; the wait is never longer for it."""

    def wait_s(self, failures: int, chance: float | None = None) -> float:
        """The wait after so many failures (1 or more); `chance` is 0 to 1, by default random."""
        if chance is None:
            chance = random.random()  # noqa: S311 (not for secrets)
        growth = self.factor ** min(failures - 1, 64)
        wait_s = min(self.first_s * growth, self.longest_s)
        share = 1 - self.jitter + self.jitter * chance
        return wait_s * share

    def waits_s(self) -> Iterator[float]:
        """The waits after the first failure, the second, and so on without end."""
        for failures in count(1):
            yield self.wait_s(failures)


class GivenUp(Exception):
    """Work was tried as often as it may be, or cannot be done now however often it is tried."""


RETRY = Backoff(first_s=1.0, longest_s=30.0, factor=4.0)
TRIES = 5


async def retry(
    work: Callable[[], Awaitable[T]],
    *,
    name: str,
    sleep: Callable[[float], Awaitable[None]],
) -> T:
    """Do `work` until it succeeds, a bounded number of times. Raises GivenUp after the last one."""
    for number in range(1, TRIES + 1):
        try:
            return await work()
        except GivenUp:
            raise
        except Exception:
            logger.exception("%s failed (try %d)", name, number)
        if number < TRIES:
            await sleep(RETRY.wait_s(number))
    raise GivenUp(name)
