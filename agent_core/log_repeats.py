"""A rate limit of log entries: a repeated error is logged once, and then with its count.

One fault may come thousands of times a minute, each time with its traceback, and fill the disk. Of
equal errors the first is logged, then the 10th, the 100th and so on, until there was none for a
while.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import LRUCache

QUIET_S = 30.0
"""After so long without it an error is a new one."""
MAX_KEPT = 500
_POWERS_OF_TEN = frozenset(10**power for power in range(1, 10))


@dataclass(slots=True)
class _Repeats:
    count: int = 0
    last_s: float = 0.0


class RepeatFilter(logging.Filter):
    """Lets the first of equal errors pass, and every one whose number is a power of ten."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds = seconds
        self._known: LRUCache[tuple[str, str], _Repeats] = LRUCache(MAX_KEPT)

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        now_s = self._seconds()
        repeats = self._known.setdefault(_key(record), _Repeats())
        if now_s - repeats.last_s > QUIET_S:
            repeats.count = 0
        repeats.count += 1
        repeats.last_s = now_s
        if repeats.count == 1:
            return True
        if repeats.count not in _POWERS_OF_TEN:
            return False
        record.msg = f"{record.getMessage()} ({repeats.count} times)"
        record.args = ()
        return True


def _key(record: logging.LogRecord) -> tuple[str, str]:
    """Equal errors have the same logger, and the same exception or else the same words."""
    error = record.exc_info[1] if record.exc_info else None
    words = f"{record.msg}\n{error!r}" if error is not None else record.getMessage()
    return record.name, words
