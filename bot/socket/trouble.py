"""Why a connection is to be replaced or did not open, and how long to wait before the next one."""

from collections import deque
from dataclasses import dataclass
from typing import Literal

from agent_core.background import Backoff
from bot.slack_api import Clock, SlackAuthRefused, SlackError, SlackLimited, SlackRefused

Kind = Literal["refresh", "lost", "crowded", "refused", "limited", "unavailable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """`refused` is for a person to mend; everything else passes."""

    kind: Kind
    words: str
    """For the operator."""
    retry_after_s: float = 0.0


LOST = Trouble(kind="lost", words="the socket to Slack was closed")
DEAF = Trouble(kind="lost", words="the socket to Slack went silent")
REFRESH = Trouble(kind="refresh", words="Slack asked for a new socket")
UNEXPECTED = Trouble(kind="unavailable", words="the socket to Slack did not open")
CROWDED = Trouble(
    kind="crowded",
    words="the app has as many sockets as Slack allows; stop some of its bots",
)
SWITCHED_OFF = Trouble(
    kind="refused",
    words="Socket Mode is switched off for the app; switch it on under “Socket Mode” of its "
    "settings",
)


def trouble_of_reason(reason: str) -> Trouble:
    """What a disconnect notice means. An unknown reason asks for a new socket, as most do."""
    return {"too_many_websockets": CROWDED, "link_disabled": SWITCHED_OFF}.get(reason, REFRESH)


def trouble_of_error(error: SlackError) -> Trouble:
    """What it means that a connection could not be opened."""
    match error:
        case SlackLimited():
            words = "Slack asks for a pause before the next socket"
            return Trouble(kind="limited", words=words, retry_after_s=error.retry_after_s)
        case SlackAuthRefused():
            words = f"Slack refuses SLACK_APP_TOKEN ({error.code}); the bot needs a valid one"
            return Trouble(kind="refused", words=words)
        case SlackRefused():
            named = trouble_of_reason(error.code)
            refused = Trouble(kind="refused", words=f"Slack opens no socket ({error.code})")
            return refused if named is REFRESH else named
        case _:
            return Trouble(kind="unavailable", words=f"the socket to Slack does not open ({error})")


AWAY = Backoff(first_s=1.0, longest_s=15.0, jitter=0.5)
"""While Slack does not answer: it is heard again soon after it is back."""

CROWDED_OUT = Backoff(first_s=10.0, longest_s=60.0, jitter=0.5)
REFUSED_S = 60.0
"""Between looks at something that a person has to mend."""

AT_ONCE = 10
PERIOD_S = 60.0
"""So many connections open without a pause within a minute; a server that ends each is spared."""


class Pauses:
    """Grows from try to try and begins anew once a connection is open."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._openings: deque[float] = deque(maxlen=AT_ONCE)

    def note_open(self) -> None:
        self._failures = 0
        self._openings.append(self._clock.seconds())

    def before_next(self, trouble: Trouble) -> float:
        """Seconds to wait now that there was this trouble."""
        pause_s = self._after(trouble)
        return max(pause_s, AWAY.longest_s) if self._is_hectic() else pause_s

    def _after(self, trouble: Trouble) -> float:
        match trouble.kind:
            case "refresh" | "lost":
                return 0.0
            case "refused":
                return REFUSED_S
            case "limited":
                return trouble.retry_after_s
            case "unavailable" | "crowded":
                self._failures += 1
                return (CROWDED_OUT if trouble is CROWDED else AWAY).wait_s(self._failures)

    def _is_hectic(self) -> bool:
        is_full = len(self._openings) == AT_ONCE
        return is_full and self._clock.seconds() - self._openings[0] < PERIOD_S
