"""The front door of the core: hand over a message, read the events of its turn.

What a surface may know of stored things is named here; the rooms behind are none of its business.
"""

from agent_core.classifier import Line, ReplyReader, Talk
from agent_core.composio import Account
from agent_core.consent import recipients_of, unpacked
from agent_core.models.metered import Cap
from agent_core.runtime.asks import Asks
from agent_core.runtime.build import build_runtime, unpriced_models
from agent_core.runtime.runtime import Runtime
from agent_core.runtime.scopes import ScopeSettings
from agent_core.schedules.description import day_words, moment_words
from agent_core.sessions import (
    MAX_TRIES,
    OPERATOR,
    AnsweredTurn,
    Ask,
    AuditEntry,
    AuditRecord,
    KnownSessions,
    LeaseLost,
    Ledger,
    Marks,
    Preferences,
    Question,
    SessionState,
    Spent,
    StoredTurn,
    holder_of,
    sole_process,
)
from agent_core.tools import app_name as name_of_app
from agent_core.words import (
    Language,
    asks_for_nothing,
    detect_language,
    is_laughter,
    read_language,
    short_form,
    small_talk,
    spoken_time,
    written_language,
)
from agent_core.workspaces import check_room, space_taken, without_paths

__all__ = [
    "MAX_TRIES",
    "OPERATOR",
    "Account",
    "AnsweredTurn",
    "Ask",
    "Asks",
    "AuditEntry",
    "AuditRecord",
    "Cap",
    "KnownSessions",
    "Language",
    "LeaseLost",
    "Ledger",
    "Line",
    "Marks",
    "Preferences",
    "Question",
    "ReplyReader",
    "Runtime",
    "ScopeSettings",
    "SessionState",
    "Spent",
    "StoredTurn",
    "Talk",
    "asks_for_nothing",
    "build_runtime",
    "check_room",
    "day_words",
    "detect_language",
    "holder_of",
    "is_laughter",
    "moment_words",
    "name_of_app",
    "read_language",
    "recipients_of",
    "short_form",
    "small_talk",
    "sole_process",
    "space_taken",
    "spoken_time",
    "unpacked",
    "unpriced_models",
    "without_paths",
    "written_language",
]  # fmt: skip
