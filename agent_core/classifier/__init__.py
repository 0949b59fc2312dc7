"""The router: rules that cost nothing, then a classifier beside a fast answer."""

from agent_core.classifier.router import (
    LONG_TEXT_CHARS,
    ROUTED,
    Routed,
    Router,
    Routing,
    Verdict,
    rule_for,
)

__all__ = ["LONG_TEXT_CHARS", "ROUTED", "Routed", "Router", "Routing", "Verdict", "rule_for"]
