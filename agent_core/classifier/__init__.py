"""The router: rules that cost nothing, then a classifier beside a fast answer."""

from agent_core.classifier.router import ROUTED, Judgement, Routed, Router, Routing, Verdict
from agent_core.classifier.rules import LONG_TEXT_CHARS, rule_for

__all__ = [
    "LONG_TEXT_CHARS",
    "ROUTED",
    "Judgement",
    "Routed",
    "Router",
    "Routing",
    "Verdict",
    "rule_for",
]
