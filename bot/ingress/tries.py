"""Bounded tries, and what was tried in vain."""

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.slack_api import Clock

RETRY_WAITS_S = (1.0, 5.0, 15.0, 30.0)
"""Waits between the tries; after the last one a payload is left to be taken up again."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


class InVain(Exception):
    """No try worked. The payload is noted, and is still in the ledger."""


class Tries:
    """Tries a bounded number of times, and notes the keys of what did not work."""

    def __init__(self, clock: Clock) -> None:
        self.in_vain: set[str] = set()
        self._clock = clock

    async def insist(self, key: str, attempt: Callable[[bool], Awaitable[T]]) -> T:
        """Try until it works; `attempt` is told whether it is not the first.

        Raises:
            InVain: It did not work.
        """
        for number, wait_s in enumerate((*RETRY_WAITS_S, None), start=1):
            try:
                return await attempt(number > 1)
            except Exception:
                logger.exception("%s was not handled (try %d)", key, number)
            if wait_s is not None:
                await self._clock.sleep(wait_s)
        self.in_vain.add(key)
        raise InVain(key)
