"""The model stand-in: an HTTP server that answers the Messages API by rules, with no model key."""

from bot.sandbox.model.faults import Fault
from bot.sandbox.model.log import ModelCall
from bot.sandbox.model.replies import Reply, Text, ToolUse
from bot.sandbox.model.server import ModelStandIn
from bot.sandbox.model.stream import Pace

__all__ = ["Fault", "ModelCall", "ModelStandIn", "Pace", "Reply", "Text", "ToolUse"]
