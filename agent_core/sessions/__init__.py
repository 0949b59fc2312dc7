"""What is remembered of sessions: turns, history, events, the ledger, readers' cursors."""

from agent_core.sessions.database import Database
from agent_core.sessions.inbox import Inbox, InboxRow
from agent_core.sessions.leases import LeaseLost, Leases
from agent_core.sessions.ledger import Ledger
from agent_core.sessions.log import EventLog, WriteBehind
from agent_core.sessions.queue import TurnQueue
from agent_core.sessions.store import AnsweredTurn, KnownSessions, SessionStore, StoredSession
from agent_core.sessions.turns import ApprovalWait, ConnectionWait, Question, Stop, StoredTurn, Wait

__all__ = [
    "AnsweredTurn", "ApprovalWait", "ConnectionWait", "Database", "EventLog", "Inbox", "InboxRow",
    "KnownSessions", "LeaseLost", "Leases", "Ledger", "Question", "SessionStore", "Stop",
    "StoredSession", "StoredTurn", "TurnQueue", "Wait", "WriteBehind",
]  # fmt: skip
