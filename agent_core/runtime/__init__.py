"""The front door of the core: hand over a message, read the events of its turn.

What a surface may know of stored things is named here; the rooms behind are none of its business.
"""

from agent_core.consent.recipients import recipients_of
from agent_core.runtime.build import build_runtime
from agent_core.runtime.runtime import Runtime
from agent_core.runtime.timekeeper import Obstacle, Timekeeper
from agent_core.sessions import ApprovalWait, ConnectionWait, LeaseLost, StoredTurn
from agent_core.sessions.audit import AuditedCall
from agent_core.sessions.consents import Consent
from agent_core.sessions.ledger import Marks
from agent_core.sessions.lock import holder_of, sole_process
from agent_core.sessions.schedules import ScheduleStore

__all__ = [
    "ApprovalWait",
    "AuditedCall",
    "ConnectionWait",
    "Consent",
    "LeaseLost",
    "Marks",
    "Obstacle",
    "Runtime",
    "ScheduleStore",
    "StoredTurn",
    "Timekeeper",
    "build_runtime",
    "holder_of",
    "recipients_of",
    "sole_process",
]
