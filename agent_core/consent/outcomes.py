"""How a call with an effect ended, as far as its result tells."""

from typing import cast

from agent_core.consent.leaves import json_object
from agent_core.consent.policy import Judgement
from agent_core.messages import JsonObject
from agent_core.sessions.audit import AuditOutcome
from agent_core.tools import ToolOutput


def outcome_of(judged: Judgement, output: ToolOutput) -> AuditOutcome:
    """`done` if anything that has an effect was done, though the rest of its batch failed.

    Composio tells of failures inside of results that are none: for the whole, or for one entry.
    """
    if output.may_have_happened:
        return "unknown"
    told = json_object(output.text) or {}
    entries = _entries(told)
    if len(entries) != len(judged.actions):
        return "failed" if output.is_error or told.get("successful") is False else "done"
    pairs = zip(judged.actions, entries, strict=True)
    is_done = any(each.has_effect and not _has_failed(entry) for each, entry in pairs)
    return "done" if is_done else "failed"


def _entries(told: JsonObject) -> list[object]:
    data: object = told.get("data")
    results = cast("JsonObject", data).get("results") if isinstance(data, dict) else None
    return cast("list[object]", results) if isinstance(results, list) else []


def _has_failed(entry: object) -> bool:
    """One that says nothing of itself may have been done."""
    fields = cast("JsonObject", entry) if isinstance(entry, dict) else {}
    response: object = fields.get("response")
    inner = cast("JsonObject", response) if isinstance(response, dict) else {}
    return bool(fields.get("error")) or False in (fields.get("successful"), inner.get("successful"))
