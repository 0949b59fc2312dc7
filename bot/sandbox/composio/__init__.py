"""The Composio stand-in of the sandbox: REST and hosted MCP on one loopback origin."""

from bot.sandbox.composio.service import AppExecution
from bot.sandbox.composio.standin import ComposioStandIn

__all__ = ["AppExecution", "ComposioStandIn"]
