"""Why a connection is to be replaced or did not open, and how long to wait before the next one."""

import logging
from collections import deque
from dataclasses import dataclass

from agent_core.background import Backoff
from bot.slack_api import (
    LIMITED_BACKOFF,
    MonotonicClock,
    SlackAuthRefused,
    SlackError,
    SlackLimited,
    SlackRefused,
)

AT_ONCE = Backoff(first_s=0.0, longest_s=0.0)
AWAY = Backoff(first_s=1.0, longest_s=15.0, jitter=0.5)
"""While Slack does not answer: it is heard again soon after it is back."""

CROWDED_OUT = Backoff(first_s=10.0, longest_s=60.0, jitter=0.5)
REFUSED = Backoff(first_s=60.0, longest_s=60.0, jitter=0.0)
"""Between looks at something that a person has to mend."""

MANY = 10
PERIOD_S = 60.0
"""So many connections open without a pause within a minute; a server that ends each is spared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    words: str
    """For the operator."""
    wait: Backoff = AWAY
    """Before the next try."""
    level: int = logging.WARNING
    """Of its line in the log."""


LOST = Trouble(words="the socket to Slack was closed", wait=AT_ONCE)
DEAF = Trouble(words="the socket to Slack went silent", wait=AT_ONCE)
REFRESH = Trouble(words="Slack asked for a new socket", wait=AT_ONCE, level=logging.INFO)
UNEXPECTED = Trouble(words="the socket to Slack did not open")
CROWDED = Trouble(
    words="the app has as many sockets as Slack allows; stop some of its bots", wait=CROWDED_OUT
)
SWITCHED_OFF = Trouble(
    words="Socket Mode is switched off for the app; switch it on under “Socket Mode” of its "
    "settings",
    wait=REFUSED,
    level=logging.ERROR,
)


def trouble_of_reason(reason: str) -> Trouble:
    """What a disconnect notice means. An unknown reason asks for a new socket, as most do."""
    return {"too_many_websockets": CROWDED, "link_disabled": SWITCHED_OFF}.get(reason, REFRESH)


def trouble_of_error(error: SlackError) -> Trouble:
    """What it means that a connection could not be opened."""
    match error:
        case SlackLimited(retry_after_s=wait_s):
            pause = LIMITED_BACKOFF
            if wait_s is not None:
                pause = Backoff(first_s=wait_s, longest_s=wait_s, jitter=0.0)
            return Trouble(words="Slack asks for a pause before the next socket", wait=pause)
        case SlackAuthRefused():
            words = f"Slack refuses SLACK_APP_TOKEN ({error.code}); the bot needs a valid one"
            return Trouble(words=words, wait=REFUSED, level=logging.ERROR)
        case SlackRefused():
            words = f"Slack opens no socket ({error.code})"
            refused = Trouble(words=words, wait=REFUSED, level=logging.ERROR)
            trouble = trouble_of_reason(error.code)
            return refused if trouble is REFRESH else trouble
        case _:
            return Trouble(words=f"the socket to Slack does not open ({error})")


class Pauses:
    """Grows from try to try and begins anew once a connection is open."""

    def __init__(self, clock: MonotonicClock) -> None:
        self._clock = clock
        self._failures = 0
        self._openings: deque[float] = deque(maxlen=MANY)

    def note_open(self) -> None:
        self._failures = 0
        self._openings.append(self._clock.seconds())

    def before_next(self, trouble: Trouble) -> float:
        """Seconds to wait now that there was this trouble."""
        self._failures += trouble.wait is not AT_ONCE
        pause_s = trouble.wait.wait_s(max(1, self._failures))
        is_full = len(self._openings) == MANY
        is_hectic = is_full and self._clock.seconds() - self._openings[0] < PERIOD_S
        return max(pause_s, AWAY.longest_s) if is_hectic else pause_s
