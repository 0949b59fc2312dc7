"""What is stored of sessions: turns, history, events, inbox, ledger, leases, Asks, schedules.

The door of this room: other rooms import from here alone. To be read first: `database.py` (one
transaction with retry), then `turns.py` and `store.py` (turns, Asks, sessions, history), `log.py`
(events) and `leases.py` (which process works on what).
"""

from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.erasure import (
    HOLD,
    ErasureStore,
    Forgotten,
    is_held,
)
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
    Ledger,
    Marks,
    holder_of,
    is_in_use,
    new_process_id,
    purge_ledger,
    sole_process,
)
from agent_core.sessions.log import EventLog, WriteBehind
from agent_core.sessions.overview import AnsweredTurn, KnownSessions, Overview, SessionState, Spent
from agent_core.sessions.redaction import ERASED
from agent_core.sessions.safeguards import (
    NOT_ACCEPTED,
    AuditedAction,
    AuditEntry,
    AuditLog,
    AuditOutcome,
    DisclosureStore,
    Pin,
    Proposal,
    ToolPins,
    TurnPrice,
)
from agent_core.sessions.schedules import UNFINISHED_SLOTS, ScheduleStore
from agent_core.sessions.store import (
    Preferences,
    ProgramStore,
    SessionStore,
    StoredProgram,
    StoredSession,
)
from agent_core.sessions.turns import (
    ASK,
    AccountConnection,
    Ask,
    AskBody,
    AskKind,
    AskStore,
    CallApproval,
    Question,
    Stop,
    StoredTurn,
    TurnKind,
    TurnQueue,
    TurnState,
    Wait,
    ask_id,
)

__all__ = [
    "ASK",
    "DEAD_AFTER_S",
    "ENDINGS",
    "ERASED",
    "HOLD",
    "NOT_ACCEPTED",
    "UNFINISHED_SLOTS",
    "AccountConnection",
    "AnsweredTurn",
    "Ask",
    "AskBody",
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
    "ErasureStore",
    "EventLog",
    "Forgotten",
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
    "is_held",
    "is_in_use",
    "new_process_id",
    "pending_retries",
    "purge_ledger",
    "sole_process",
]
