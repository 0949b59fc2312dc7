"""Time as the Slack side sees it: the machine's clock, and a fake whose waits end at once."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress


class MonotonicClock:
    """Seconds since some fixed moment, and a way to let them pass."""

    seconds: Callable[[], float] = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Idle until something happens, and no longer than that."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()


class SkippingClock(MonotonicClock):
    """A fake whose sleeps end at once and move the time on by what was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._now = 1_000.0

    def seconds(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)
