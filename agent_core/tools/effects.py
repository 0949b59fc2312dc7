"""Which calls may be made a second time, and what is said of one that may have had its effect."""

import re
from collections.abc import Sequence
from typing import cast

from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import ToolOutput

LOST = (
    "The program was restarted while this call was under way, and its result is lost: it may or "
    "may not have happened. Look whether it had its effect before you make it again; a call that "
    "only reads can simply be made again."
)
_DISCOVERY = ("COMPOSIO_SEARCH_TOOLS", "COMPOSIO_GET_TOOL_SCHEMAS")
_BATCH = "COMPOSIO_MULTI_EXECUTE_TOOL"
_READING = frozenset({"FETCH", "FIND", "GET", "LIST", "NEWS", "READ", "SEARCH", "WEB"})
_WORD = re.compile(r"[A-Z]+")
_CHANGING = frozenset(
    {
        "ADD", "APPROVE", "ARCHIVE", "ASSIGN", "BOOK", "CANCEL", "CLEAR", "CLOSE", "COPY", "CREATE",
        "DELETE", "DISABLE", "DRAFT", "EDIT", "ENABLE", "EXECUTE", "FORWARD", "IMPORT", "INSERT",
        "INVITE", "MERGE", "MODIFY", "MOVE", "PATCH", "PAY", "POST", "PUBLISH", "PUT", "REMOVE",
        "REPLY", "RUN", "SEND", "SET", "SHARE", "START", "STOP", "SUBMIT", "TRANSFER", "TRASH",
        "UNSUBSCRIBE", "UPDATE", "UPLOAD", "UPSERT", "WRITE",
    }
)  # fmt: skip


def is_repeatable(call: ToolCall, specs: Sequence[ToolSpec]) -> bool:
    """Whether making the call once more, after it may have run, changes nothing.

    A name that nobody knows does nothing. Of a batch each inner tool has to be one that reads.
    """
    spec = next((spec for spec in specs if spec.name == call.name), None)
    if spec is None or spec.is_repeatable:
        return True
    slug = call.name.rpartition("__")[2]
    return slug in _DISCOVERY or (slug == _BATCH and all(map(_reads, _inner(call.arguments))))


def lost_result() -> ToolOutput:
    """What comes of a call that was begun before a restart and may not be made again."""
    return ToolOutput(
        text=LOST, is_error=True, size_bytes=len(LOST.encode()), may_have_happened=True
    )


def _inner(arguments: JsonObject) -> list[str]:
    """The slugs of a batch; one that cannot be read counts as none that is known to read."""
    tools = arguments.get("tools")
    if not isinstance(tools, list):
        return [""]
    entries = cast("list[object]", tools)
    return [
        str(cast("JsonObject", entry).get("tool_slug", "")) if isinstance(entry, dict) else ""
        for entry in entries
    ]


def _reads(slug: str) -> bool:
    words = set(_WORD.findall(slug.upper()))
    return bool(words & _READING) and not words & _CHANGING
