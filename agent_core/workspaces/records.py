"""Writers of a turn's records for people: trace.json and a paragraph in summary.txt.

trace.json is the last turn's; earlier ones move to traces/, where they are named
`trace_<number>_<digest of the turn's id>.json`.
"""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

from agent_core.json_values import as_object
from agent_core.masking import masked, masked_value
from agent_core.messages import JsonObject
from agent_core.workspaces.layout import (
    SUMMARY,
    TRACE,
    TRACES,
    write_json,
    write_text,
)

_NUMBER = re.compile(r"^trace_(\d+)")


def write_trace(workspace: Path, trace: JsonObject) -> None:
    """Write a turn's trace, in place of the same turn's, wherever that lies. Raises OSError."""
    trace = masked_value(trace)
    turn_id = trace["turn_id"]
    last = workspace / TRACE
    archive = workspace / TRACES
    for archived in archive.glob(f"trace_*_{_digest(turn_id)}.json"):
        write_json(archived, trace)
        return
    if last.exists():
        earlier = _turn_of(last)
        if earlier != turn_id:
            _archive(last, archive, _digest(earlier))
    write_json(last, trace)


def _archive(trace: Path, archive: Path, digest: str) -> None:
    """Move an earlier turn's trace into the archive, under the next free number."""
    archive.mkdir(exist_ok=True)
    numbers = [0]
    for path in archive.glob("trace_*.json"):
        numbers += map(int, _NUMBER.findall(path.name))
    number = max(numbers) + 1
    trace.replace(archive / f"trace_{number:03}_{digest}.json")


def _digest(turn_id: str) -> str:
    digest = hashlib.sha256(turn_id.encode("utf-8", "replace"))
    return digest.hexdigest()[:8]


def _turn_of(path: Path) -> str:
    """The turn that a file is the trace of; empty for a file that is damaged."""
    try:
        trace = as_object(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return ""
    return str(trace.get("turn_id") or "")


_REQUEST_CHARS = 500


def append_summary(workspace: Path, trace: JsonObject, *, trace_url: str | None) -> None:
    """Append a turn's summary; one that is there already stays as it is. Raises OSError."""
    path = workspace / SUMMARY
    heading = f"== Execution summary of turn {trace['turn_id']} =="
    text = masked(f"{heading}\n{summary_text(trace, trace_url)}")
    if path.exists():
        earlier = path.read_text(encoding="utf-8", errors="replace")
        if heading in earlier.splitlines():
            return
        text = f"{earlier}\n{text}"
    write_text(path, text)


def summary_text(trace: JsonObject, trace_url: str | None) -> str:
    """The summary of a turn, a line for each fact."""
    usage = trace["usage"]
    route = trace["route"] or "none"
    if trace["fallback"]:
        route = f"{route} after a fast path: {trace['fallback']}"
    artifacts = [artifact["path"] for artifact in trace["artifacts"]]
    request = " ".join(trace["query"].split())
    facts = {
        "Request": request[:_REQUEST_CHARS],
        "Started": f"{trace['start_time']} UTC",
        "Duration": f"{trace['total_duration_seconds']:.1f} s",
        "Route": route,
        "Outcome": trace["outcome"] or "unknown",
        "Iterations": len(trace["iterations"]),
        "Tool calls": _tool_calls(trace["tool_calls"], trace["tool_results"]),
        "Artifacts": ", ".join(artifacts) or "none",
        "Tokens": (
            f"{usage['total_tokens']:,} in {usage['model_calls']} model calls "
            f"({usage['output_tokens']:,} written, "
            f"{usage['cache_read_tokens']:,} from the cache)"
        ),
        "Trace": trace["trace_id"] or "none",
        "Trace URL": trace_url or "none",
    }
    lines: list[str] = []
    for name, fact in facts.items():
        label = f"{name}:"
        lines.append(f"{label:<12} {fact}\n")
    return "".join(lines)


def _tool_calls(calls: list[JsonObject], results: list[JsonObject]) -> str:
    if not calls:
        return "0"
    failed = sum(result["is_error"] for result in results)
    by_name = Counter(call["name"] for call in calls)
    listed = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return f"{len(calls)}, {failed} failed ({listed})"
