"""A database in trouble that passes by itself: what is raised of it, and what is said."""

import logging
import time
from collections.abc import Callable

from agent_core.errors import SessionError

logger = logging.getLogger(__name__)

LOG_EVERY_S = 60.0
OVER_AFTER_S = 30.0
"""Trouble that nobody has met for so long is over, whether or not anybody saw it end."""


class DatabaseTrouble(SessionError):
    """The database was locked, full, restarting or away for as long as the caller would wait.

    Attributes:
        reason: The database's own words.
        may_be_stored: The connection broke at the commit: nobody knows whether it was done.
    """

    def __init__(self, reason: str, *, may_be_stored: bool = False) -> None:
        super().__init__(f"the database cannot be used just now: {reason}")
        self.reason = reason
        self.may_be_stored = may_be_stored


class TroubleLog:
    """Says that there is trouble at once, then once a minute, then that it is over."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._clock_s = clock_s
        self._began_s: float | None = None
        self._met_s = 0.0
        self._said_s = 0.0
        self._reason = ""

    @property
    def reason(self) -> str | None:
        """What the trouble is; None when there is none."""
        if self._began_s is None or self._clock_s() - self._met_s > OVER_AFTER_S:
            return None
        return self._reason

    def meet(self, reason: str) -> None:
        """Somebody could not do its work."""
        now_s = self._clock_s()
        is_new = self.reason is None
        self._began_s = now_s if is_new or self._began_s is None else self._began_s
        self._met_s, self._reason = now_s, reason
        if is_new or now_s - self._said_s >= LOG_EVERY_S:
            self._said_s = now_s
            logger.warning(
                "the database is in trouble since %.0f s: %s", now_s - self._began_s, reason
            )

    def end(self) -> None:
        """Somebody who could not do its work has done it."""
        if self._began_s is not None:
            logger.warning("the database works again after %.0f s", self._clock_s() - self._began_s)
        self._began_s = None
