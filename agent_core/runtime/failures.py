"""Why work failed, in plain words: for the person who asked, or for a model that delegated."""

from agent_core.durable import first_cause
from agent_core.errors import (
    ModelRejected,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
    TurnSetAside,
)
from agent_core.words import CORE, FALLBACK


def apology(error: BaseException, reference: str, language: str) -> str:
    """Why a turn failed, in plain sentences, with the reference an operator finds it by."""
    words = CORE.of(language)
    reason = words(f"failure-{_failure(error)}")
    return words("failure-with-reference", reason=reason, mark=reference)


def child_failure(error: BaseException) -> str:
    """A plain sentence for the model that delegated to a sub-agent which failed."""
    return f"The sub-agent could not finish: {CORE.say(FALLBACK, f'failure-{_failure(error)}')}"


def _failure(error: BaseException) -> str:
    match first_cause(error):
        case RequestTooLarge():
            return "too-long"
        case ReplyTruncated():
            return "truncated"
        case ModelRejected():
            return "rejected"
        case ModelUnavailable():
            return "unavailable"
        case TurnSetAside():
            return "set-aside"
        case _:
            return "other"
