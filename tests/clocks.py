"""A clock for the stand-ins that tests set forward."""

import asyncio
from operator import itemgetter

from bot.sandbox.slack import SandboxClock


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
