"""Rules that decide a route without a model call. All of them say COMPLEX."""

from agent_core.messages import InboundMessage
from agent_core.prompts.small_talk import short_form

LONG_TEXT_CHARS = 12_000
"""A longer message is a document: it is saved as a file, and the full agent gets it."""


def rule_for(message: InboundMessage, *, has_unfinished_work: bool) -> str | None:
    """The rule that makes this message COMPLEX, by name; None when a model has to decide."""
    if message.scheduled:
        return "scheduled"
    if message.attachments:
        return "attachment"
    if short_form(message.text, "continue") or short_form(message.text, "yes"):
        return "continue"
    if len(message.text) > LONG_TEXT_CHARS:
        return "long_text"
    if has_unfinished_work:
        return "unfinished_work"
    return None
