"""Why a connection is to be replaced, or could not be opened."""

from dataclasses import dataclass
from typing import Literal

from bot.slack_api import SlackAuthRefused, SlackError, SlackLimited, SlackRefused

Kind = Literal["refresh", "lost", "deaf", "crowded", "refused", "limited", "unavailable"]

_TOO_MANY = "too_many_websockets"
_SWITCHED_OFF = "link_disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """`refused` is for a person to mend; everything else passes."""

    kind: Kind
    words: str
    """For the operator."""
    retry_after_s: float = 0.0


LOST = Trouble(kind="lost", words="the socket to Slack was closed")
DEAF = Trouble(kind="deaf", words="the socket to Slack went silent")
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
    return {_TOO_MANY: CROWDED, _SWITCHED_OFF: SWITCHED_OFF}.get(reason, REFRESH)


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
