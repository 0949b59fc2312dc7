"""The front door of the core: hand over a message, read the events of its turn.

What a surface may know of stored things is named here; the rooms behind are none of its business.
"""

from agent_core.consent.recipients import recipients_of
from agent_core.prompts.language import Language, detect_language, read_language
from agent_core.prompts.small_talk import asks_for_nothing, short_form, small_talk
from agent_core.prompts.spoken import spoken_time
from agent_core.runtime.build import build_runtime
from agent_core.runtime.runtime import Runtime
from agent_core.runtime.timekeeper import Obstacle, Timekeeper
from agent_core.schedules.digest import PUBLISH_DIGEST, PublishedDigest
from agent_core.schedules.order_reader import (
    MAX_ORDER_CHARS,
    OrderDraft,
    OrderReader,
    ReaderAway,
    Reading,
    Said,
    check_draft,
    says_digest,
    smells_of_order,
)
from agent_core.schedules.rule import BadRule, Rule, check_rule, read_recurrence, slots_after
from agent_core.schedules.schedule import Order, Schedule, ScheduleId, Slot, WhenNothingNew
from agent_core.schedules.told import moment_words, rule_words
from agent_core.sessions import ApprovalWait, ConnectionWait, LeaseLost, StoredTurn
from agent_core.sessions.audit import AuditedCall
from agent_core.sessions.consents import Consent
from agent_core.sessions.ledger import Marks
from agent_core.sessions.lock import holder_of, sole_process
from agent_core.sessions.schedules import ScheduleStore

__all__ = [
    "MAX_ORDER_CHARS",
    "PUBLISH_DIGEST",
    "ApprovalWait",
    "AuditedCall",
    "BadRule",
    "ConnectionWait",
    "Consent",
    "Language",
    "LeaseLost",
    "Marks",
    "Obstacle",
    "Order",
    "OrderDraft",
    "OrderReader",
    "PublishedDigest",
    "ReaderAway",
    "Reading",
    "Rule",
    "Runtime",
    "Said",
    "Schedule",
    "ScheduleId",
    "ScheduleStore",
    "Slot",
    "StoredTurn",
    "Timekeeper",
    "WhenNothingNew",
    "asks_for_nothing",
    "build_runtime",
    "check_draft",
    "check_rule",
    "detect_language",
    "holder_of",
    "moment_words",
    "read_language",
    "read_recurrence",
    "recipients_of",
    "rule_words",
    "says_digest",
    "short_form",
    "slots_after",
    "small_talk",
    "smells_of_order",
    "sole_process",
    "spoken_time",
]
