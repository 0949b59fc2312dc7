"""What is remembered of sessions: turns, history, events, the ledger, readers' cursors."""

from agent_core.sessions.asks import AccountConnection, Ask, AskStore, CallApproval, Question, Wait
from agent_core.sessions.database import Database
from agent_core.sessions.disclosures import DisclosureStore
from agent_core.sessions.inbox import Inbox, InboxRow
from agent_core.sessions.known import AnsweredTurn, KnownSessions
from agent_core.sessions.leases import LeaseLost, Leases
from agent_core.sessions.ledger import Ledger
from agent_core.sessions.log import EventLog, WriteBehind
from agent_core.sessions.queue import TurnQueue
from agent_core.sessions.store import SessionStore, StoredSession
from agent_core.sessions.turns import Stop, StoredTurn

__all__ = [
    "AccountConnection",
    "AnsweredTurn",
    "Ask",
    "AskStore",
    "CallApproval",
    "Database",
    "DisclosureStore",
    "EventLog",
    "Inbox",
    "InboxRow",
    "KnownSessions",
    "LeaseLost",
    "Leases",
    "Ledger",
    "Question",
    "SessionStore",
    "Stop",
    "StoredSession",
    "StoredTurn",
    "TurnQueue",
    "Wait",
    "WriteBehind",
]
