"""The Composio stand-in of the sandbox: REST and hosted MCP on one loopback origin."""

from bot.sandbox.composio.effects import Execution
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.sessions import Call, Session
from bot.sandbox.composio.standin import ComposioStandIn
from bot.sandbox.composio.toolkits.mailboxes import Mail, Mailbox, MailDraft

__all__ = [
    "Call",
    "ComposioStandIn",
    "Execution",
    "Faults",
    "Mail",
    "MailDraft",
    "Mailbox",
    "Session",
]
