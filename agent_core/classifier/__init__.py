"""The small model's verdicts: which way a message goes, and whether a reply is for the bot."""

from agent_core.classifier.replies import Line, ReplyReader, Talk
from agent_core.classifier.router import (
    LONG_TEXT_CHARS,
    ROUTED,
    WRAP_UP,
    Routed,
    Router,
    Routing,
    Verdict,
    rule_for,
)

__all__ = [
    "LONG_TEXT_CHARS", "ROUTED", "WRAP_UP", "Line", "ReplyReader", "Routed", "Router", "Routing",
    "Talk", "Verdict", "rule_for",
]  # fmt: skip
