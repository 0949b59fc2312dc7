"""The model stand-in: an HTTP server that answers the Messages API by playbooks, without a key."""

from bot.sandbox.model.message import Pace, Reply, Text, ToolUse
from bot.sandbox.model.server import ModelCall, ModelStandIn
from bot.sandbox.model.validation import Fault

__all__ = ["Fault", "ModelCall", "ModelStandIn", "Pace", "Reply", "Text", "ToolUse"]
