"""Which trace lies where: trace.json is the last turn's, earlier ones move to traces/.

There they are named `trace_<number>_<digest of the turn's id>.json`.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import cast

from agent_core.messages import JsonObject
from agent_core.workspaces.files import write_json
from agent_core.workspaces.layout import TRACE, TRACES

_NUMBER = re.compile(r"trace_(\d+)")


def write_trace(workspace: Path, trace: JsonObject) -> None:
    """Write a turn's trace. Writing the same turn again replaces its file, wherever it lies now.

    Raises:
        OSError: the workspace cannot be written.
    """
    last = workspace / TRACE
    archived = _archived(workspace, trace["turn_id"])
    if archived is not None:
        write_json(archived, trace)
        return
    if last.exists() and (earlier := _turn_of(last)) != trace["turn_id"]:
        place = _next_place(workspace, earlier)
        place.parent.mkdir(exist_ok=True)
        last.replace(place)
    write_json(last, trace)


def _archived(workspace: Path, turn_id: str) -> Path | None:
    return next((workspace / TRACES).glob(f"trace_*_{_digest(turn_id)}.json"), None)


def _next_place(workspace: Path, turn_id: str) -> Path:
    directory = workspace / TRACES
    found = (_NUMBER.match(place.name) for place in directory.glob("trace_*.json"))
    number = 1 + max((int(number[1]) for number in found if number), default=0)
    return directory / f"trace_{number:03}_{_digest(turn_id)}.json"


def _digest(turn_id: str) -> str:
    return hashlib.sha256(turn_id.encode("utf-8", "replace")).hexdigest()[:8]


def _turn_of(path: Path) -> str:
    """The turn that a file is the trace of; empty when it cannot be told."""
    try:
        trace: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    turn_id = cast("JsonObject", trace).get("turn_id") if isinstance(trace, dict) else None
    return str(turn_id or "")
