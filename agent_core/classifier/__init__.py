"""The router: rules that cost nothing, then a classifier beside a fast answer."""

from agent_core.classifier.router import ROUTED, Routed, Router, Routing
from agent_core.classifier.rules import LONG_TEXT_CHARS, asks_for_assent, is_thumbs_up, rule_for

__all__ = [
    "LONG_TEXT_CHARS",
    "ROUTED",
    "Routed",
    "Router",
    "Routing",
    "asks_for_assent",
    "is_thumbs_up",
    "rule_for",
]
