"""Composio: tools of apps in each person's own session, and the accounts that they connected.

The door of this room: other rooms import from here alone. Read `api.py` first.
"""

from agent_core.composio.accounts import Account, Accounts, AppTool, are_connected
from agent_core.composio.api import (
    DEFAULT_BASE_URL,
    PRELOADED,
    SERVER_NAME,
    AppFiles,
    ComposioApi,
    composio_server,
)

__all__ = [
    "DEFAULT_BASE_URL",
    "PRELOADED",
    "SERVER_NAME",
    "Account",
    "Accounts",
    "AppFiles",
    "AppTool",
    "ComposioApi",
    "are_connected",
    "composio_server",
]
