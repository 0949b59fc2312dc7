"""The router: rules that cost nothing, then a classifier beside a fast answer."""

from agent_core.classifier.router import ROUTED, Routed, Router, Routing
from agent_core.classifier.rules import rule_for

__all__ = ["ROUTED", "Routed", "Router", "Routing", "rule_for"]
