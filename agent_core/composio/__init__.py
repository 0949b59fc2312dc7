"""Composio: tools of apps in each person's own session, and the accounts that they connected.

The door of this room: other rooms import from here alone. Read `api.py` first, then `worker.py`.
"""

from agent_core.composio.accounts import Account, Accounts, AppTool, are_connected
from agent_core.composio.api import SERVER_NAME, AppFiles, ComposioSessions, composio_server
from agent_core.composio.worker import (
    DEFAULT_BASE_URL,
    PRELOADED,
    ComposioWorker,
    worker_process,
)

__all__ = [
    "DEFAULT_BASE_URL",
    "PRELOADED",
    "SERVER_NAME",
    "Account",
    "Accounts",
    "AppFiles",
    "AppTool",
    "ComposioSessions",
    "ComposioWorker",
    "are_connected",
    "composio_server",
    "worker_process",
]
