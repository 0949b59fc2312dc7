"""Ids and timestamps of the team: Slack's prefixes, unique, the same in every run of one story."""

import hashlib
import itertools

from bot.sandbox.slack.clock import Clock


class Ids:
    """Mints ids; a name always gives the same id, so that a test's output can be compared."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._count = itertools.count(1)
        self._last_us = 0

    def named(self, prefix: str, name: str) -> str:
        digest = hashlib.sha256(f"{prefix}{name}".encode()).hexdigest()
        return f"{prefix}0{digest[:9].upper()}"

    def fresh(self, prefix: str) -> str:
        return self.named(prefix, str(next(self._count)))

    def fresh_uuid(self) -> str:
        digest = hashlib.sha256(f"uuid{next(self._count)}".encode()).hexdigest()
        return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"

    def fresh_ts(self) -> str:
        """A message timestamp: the clock's microsecond, or the next one that is free."""
        self._last_us = max(int(self._clock.now() * 1_000_000), self._last_us + 1)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"
