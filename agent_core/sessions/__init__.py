"""What is stored of sessions: turns, history, events, inbox, ledger, leases, Asks, schedules.

The door of this room: other rooms import from here alone. To be read first: `database.py` (one
transaction with retry), then `turns.py` and `store.py` (sessions, turns, history), `log.py`
(events) and `leases.py` (which process works on which session).
"""

from agent_core.sessions.asks import (
    ASK,
    AccountConnection,
    Ask,
    AskBody,
    AskDecision,
    AskKind,
    AskStore,
    CallApproval,
    Question,
    Wait,
    ask_id,
)
from agent_core.sessions.audit import (
    AuditedAction,
    AuditEntry,
    AuditLog,
    AuditOutcome,
    DisclosureStore,
    TurnPrice,
)
from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.inbox import (
    ENDINGS,
    Inbox,
    InboxKind,
    InboxRow,
    again_run,
    pending_retries,
)
from agent_core.sessions.leases import (
    DEAD_AFTER_S,
    LeaseLost,
    Leases,
    holder_of,
    new_process_id,
    sole_process,
)
from agent_core.sessions.ledger import Ledger, Marks, purge_ledger
from agent_core.sessions.log import EventLog, WriteBehind
from agent_core.sessions.overview import AnsweredTurn, KnownSessions, Overview, SessionState, Spent
from agent_core.sessions.pins import NOT_ACCEPTED, Pin, Proposal, ToolPins
from agent_core.sessions.preferences import Feedback, FeedbackStore, Preferences
from agent_core.sessions.schedules import UNFINISHED_SLOTS, ScheduleStore
from agent_core.sessions.store import ProgramStore, SessionStore, StoredProgram, StoredSession
from agent_core.sessions.turns import Stop, StoredTurn, TurnKind, TurnQueue, TurnState

__all__ = [
    "ASK",
    "DEAD_AFTER_S",
    "ENDINGS",
    "NOT_ACCEPTED",
    "UNFINISHED_SLOTS",
    "AccountConnection",
    "AnsweredTurn",
    "Ask",
    "AskBody",
    "AskDecision",
    "AskKind",
    "AskStore",
    "AuditEntry",
    "AuditLog",
    "AuditOutcome",
    "AuditedAction",
    "CallApproval",
    "Database",
    "DatabaseTrouble",
    "DisclosureStore",
    "EventLog",
    "Feedback",
    "FeedbackStore",
    "Inbox",
    "InboxKind",
    "InboxRow",
    "KnownSessions",
    "LeaseLost",
    "Leases",
    "Ledger",
    "Marks",
    "Overview",
    "Pin",
    "Preferences",
    "ProgramStore",
    "Proposal",
    "Question",
    "ScheduleStore",
    "SessionState",
    "SessionStore",
    "Spent",
    "Stop",
    "StoredProgram",
    "StoredSession",
    "StoredTurn",
    "ToolPins",
    "TurnKind",
    "TurnPrice",
    "TurnQueue",
    "TurnState",
    "Wait",
    "WriteBehind",
    "again_run",
    "ask_id",
    "holder_of",
    "new_process_id",
    "pending_retries",
    "purge_ledger",
    "sole_process",
]
