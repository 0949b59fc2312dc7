"""The model stand-in: an HTTP server that answers the Messages API by playbooks, without a key."""

from bot.sandbox.model.message import ReplyPace, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.server import ModelStandIn

__all__ = [
    "ModelStandIn",
    "ReplyPace",
    "ReplyText",
    "StandInReply",
    "ToolUse",
]
