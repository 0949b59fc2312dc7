"""What a turn leaves for people: trace.json and a paragraph in summary.txt.

trace.json is the last turn's; earlier ones move to traces/, where they are named
`trace_<number>_<digest of the turn's id>.json`.
"""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

from agent_core.masking import masked, masked_value
from agent_core.messages import JsonObject
from agent_core.workspaces.layout import SUMMARY, TRACE, TRACES, write_json, write_text

_NUMBER = re.compile(r"trace_(\d+)")


def write_trace(workspace: Path, trace: JsonObject) -> None:
    """Write a turn's trace, in place of the same turn's, wherever that lies. Raises OSError."""
    trace = masked_value(trace)
    last = workspace / TRACE
    turn = f"trace_*_{_digest(trace['turn_id'])}.json"
    if (archived := next((workspace / TRACES).glob(turn), None)) is not None:
        write_json(archived, trace)
        return
    if last.exists() and (earlier := _turn_of(last)) != trace["turn_id"]:
        directory = workspace / TRACES
        directory.mkdir(exist_ok=True)
        found = (_NUMBER.match(place.name) for place in directory.glob("trace_*.json"))
        number = 1 + max((int(number[1]) for number in found if number), default=0)
        last.replace(directory / f"trace_{number:03}_{_digest(earlier)}.json")
    write_json(last, trace)


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


_REQUEST_CHARS = 500


def append_summary(workspace: Path, trace: JsonObject, *, trace_url: str | None) -> None:
    """Append a turn's summary; one that is there already stays as it is. Raises OSError."""
    path = workspace / SUMMARY
    earlier = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    heading = f"== Execution summary of turn {trace['turn_id']} =="
    if heading in earlier.splitlines():
        return
    separator = "\n" if earlier else ""
    text = masked(f"{heading}\n{summary_text(trace, trace_url)}")
    write_text(path, f"{earlier}{separator}{text}")


def summary_text(trace: JsonObject, trace_url: str | None) -> str:
    """The summary of a turn, a line for each fact."""
    usage, fallback, route = trace["usage"], trace["fallback"], trace["route"] or "none"
    facts = {
        "Request": " ".join(trace["query"].split())[:_REQUEST_CHARS],
        "Started": f"{trace['start_time']} UTC",
        "Duration": f"{trace['total_duration_seconds']:.1f} s",
        "Route": f"{route} after a fast path: {fallback}" if fallback else route,
        "Outcome": trace["outcome"] or "unknown",
        "Iterations": len(trace["iterations"]),
        "Tool calls": _tool_calls(trace["tool_calls"], trace["tool_results"]),
        "Artifacts": ", ".join(artifact["path"] for artifact in trace["artifacts"]) or "none",
        "Tokens": f"{usage['total_tokens']:,} in {usage['model_calls']} model calls "
        f"({usage['output_tokens']:,} written, {usage['cache_read_tokens']:,} from the cache)",
        "Trace": trace["trace_id"] or "none",
        "Trace URL": trace_url or "none",
    }
    return "".join(f"{name + ':':<12} {fact}\n" for name, fact in facts.items())


def _tool_calls(calls: list[dict[str, Any]], results: list[dict[str, Any]]) -> str:
    if not calls:
        return "0"
    failed = sum(result["is_error"] for result in results)
    by_name = Counter(call["name"] for call in calls)
    names = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return f"{len(calls)}, {failed} failed ({names})"
