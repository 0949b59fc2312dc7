"""Which trace lies where: trace.json is the last turn's, earlier ones move to traces/."""

import json
from pathlib import Path
from typing import cast

from agent_core.messages import JsonObject
from agent_core.workspaces.files import write_json
from agent_core.workspaces.layout import TRACE, TRACES


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
    if last.exists() and _turn_of(last) != trace["turn_id"]:
        earlier = _next_place(workspace)
        earlier.parent.mkdir(exist_ok=True)
        last.replace(earlier)
    write_json(last, trace)


def _archived(workspace: Path, turn_id: str) -> Path | None:
    places = sorted((workspace / TRACES).glob("trace_*.json"))
    return next((place for place in places if _turn_of(place) == turn_id), None)


def _next_place(workspace: Path) -> Path:
    directory = workspace / TRACES
    numbers = [place.stem.removeprefix("trace_") for place in directory.glob("trace_*.json")]
    number = 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)
    return directory / f"trace_{number:03}.json"


def _turn_of(path: Path) -> str | None:
    """The turn that a file is the trace of; None when it cannot be told."""
    try:
        trace: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return cast("JsonObject", trace).get("turn_id") if isinstance(trace, dict) else None
