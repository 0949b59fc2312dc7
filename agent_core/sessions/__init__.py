"""What is remembered of sessions: turns, history, events, the ledger, readers' cursors."""

from agent_core.sessions.behind import WriteBehind
from agent_core.sessions.database import Database
from agent_core.sessions.ledger import Ledger
from agent_core.sessions.log import EventLog
from agent_core.sessions.store import SessionStore, StoredSession, StoredTurn

__all__ = [
    "Database",
    "EventLog",
    "Ledger",
    "SessionStore",
    "StoredSession",
    "StoredTurn",
    "WriteBehind",
]
