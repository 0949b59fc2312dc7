"""Composio's ways to say no, each as a sentence for the model."""

from typing import Any, cast

_MAX_WORDS_CHARS = 300
_BY_STATUS = {
    401: "Composio does not accept this bot's key. An operator must look at COMPOSIO_API_KEY",
    403: "Composio does not allow this to the bot's key",
    404: "Composio does not know this session or tool",
    413: "The file is too large for Composio in one answer",
    429: "Composio asks to come back in a minute",
}


def sentence_for(status: int, answer: dict[str, Any] | None) -> str:
    """What a status that is no success means, with the service's own words if it has any."""
    meaning = _BY_STATUS.get(status)
    if meaning is None:
        failed = "has an error of its own" if status >= 500 else "refused the request"
        meaning = f"Composio {failed} ({status})"
    words = said(answer or {})
    return f"{meaning}. It says: {words}" if words else f"{meaning}."


def said(answer: dict[str, Any]) -> str:
    """The service's own words in an answer, on one line and cut; empty without any."""
    error = answer.get("error") or answer.get("message")
    if isinstance(error, dict):
        error = cast("dict[str, Any]", error).get("message")
    words = " ".join(error.split()) if isinstance(error, str) else ""
    return words if len(words) <= _MAX_WORDS_CHARS else f"{words[:_MAX_WORDS_CHARS]}…"
