"""summary.txt: the execution summary, one paragraph a turn, the newest last."""

from collections import Counter
from pathlib import Path
from typing import Any

from agent_core.messages import JsonObject
from agent_core.workspaces.files import write_text
from agent_core.workspaces.layout import SUMMARY

_REQUEST_CHARS = 500


def append_summary(workspace: Path, trace: JsonObject, *, trace_url: str | None) -> None:
    """Append a turn's summary, once: a turn that is there already stays as it is.

    Raises:
        OSError: the workspace cannot be written.
    """
    path = workspace / SUMMARY
    earlier = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    heading = _heading(trace)
    if heading in earlier.splitlines():
        return
    separator = "\n" if earlier else ""
    write_text(path, f"{earlier}{separator}{heading}\n{summary_text(trace, trace_url)}")


def summary_text(trace: JsonObject, trace_url: str | None) -> str:
    """The summary of a turn, a line for each fact."""
    usage = trace["usage"]
    facts = {
        "Request": _one_line(trace["query"])[:_REQUEST_CHARS],
        "Started": f"{trace['start_time']} UTC",
        "Duration": f"{trace['total_duration_seconds']:.1f} s",
        "Route": _route(trace),
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


def _heading(trace: JsonObject) -> str:
    return f"== Execution summary of turn {trace['turn_id']} =="


def _route(trace: JsonObject) -> str:
    route = trace["route"] or "none"
    return f"{route} after a fast path: {trace['fallback']}" if trace["fallback"] else route


def _tool_calls(calls: list[dict[str, Any]], results: list[dict[str, Any]]) -> str:
    if not calls:
        return "0"
    failed = sum(result["is_error"] for result in results)
    by_name = Counter(call["name"] for call in calls)
    names = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return f"{len(calls)}, {failed} failed ({names})"


def _one_line(text: str) -> str:
    return " ".join(text.split())
