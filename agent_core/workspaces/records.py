"""Writers of a turn's records for people: run.log, trace.json, a paragraph in summary.txt.

run.log says what a session's turns did, line by line. trace.json is the last turn's; earlier ones
move to traces/, where they are named `trace_<number>_<digest of the turn's id>.json`.
"""

import json
import logging
import tomllib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from cachetools import LRUCache

from agent_core.events import AnyEvent
from agent_core.ids import SessionId
from agent_core.json_values import as_object, digest_of_json
from agent_core.masking import masked, masked_value
from agent_core.messages import JsonObject
from agent_core.workspaces.layout import (
    RUN_LOG,
    SUMMARY,
    TRACE,
    TRACES,
    write_json,
    write_text,
)

logger = logging.getLogger(__name__)

_INDENT = "\n" + " " * 15
_LINES = tomllib.loads(Path(__file__).with_name("run_log.toml").read_text(encoding="utf-8"))


class RunLogs:
    """The run.log of each session that had a turn in this process lately.

    Never raises: a full disk costs lines.
    """

    def __init__(self) -> None:
        self._workspaces: LRUCache[SessionId, Path] = LRUCache(1_000)
        self._is_failing = False

    def follow(self, session: SessionId, workspace: Path) -> None:
        """Write this session's events into its workspace from now on."""
        self._workspaces[session] = workspace

    def write(self, event: AnyEvent) -> None:
        """Append what a stored event says, if it is worth a line."""
        workspace = self._workspaces.get(event.session)
        text = log_line(event)
        if workspace is None or not text:
            return
        try:
            with (workspace / RUN_LOG).open("a", encoding="utf-8", errors="replace") as file:
                file.write(_entry(text, event.at))
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                logger.warning("%s cannot be written: %s", workspace / RUN_LOG, error)
            self._is_failing = True


def _entry(text: str, at: datetime) -> str:
    """`[14:30:52.123] text`, in UTC; further lines are indented."""
    time = at.astimezone(UTC).isoformat(timespec="milliseconds")[11:23]
    return f"[{time}] {_INDENT.join(masked(text).splitlines())}\n"


def log_line(event: AnyEvent) -> str:
    """An event in plain words; empty for one that has no line."""
    fallback = getattr(event, "fallback", "")
    return _LINES.get(event.kind, "").format(
        e=event,
        day=f"{event.at.astimezone(UTC):%Y-%m-%d}",
        tools=", ".join(each.tool for each in getattr(event, "actions", ()) if each.asks),
        apps=", ".join(getattr(event, "toolkits", ())),
        by=getattr(event, "by", "") or "nobody",
        given_up=f", fast path given up: {fallback}" if fallback else "",
        ending="failed" if getattr(event, "is_error", False) else "finished",
    )


def write_trace(workspace: Path, trace: JsonObject) -> None:
    """Write a turn's trace, in place of the same turn's, wherever that lies. Raises OSError."""
    trace = masked_value(trace)
    turn_id = trace["turn_id"]
    last = workspace / TRACE
    archive = workspace / TRACES
    for archived in archive.glob(f"trace_*_{digest_of_json(turn_id)[:8]}.json"):
        write_json(archived, trace)
        return
    if last.exists():
        earlier = _turn_of(last)
        if earlier != turn_id:
            archive.mkdir(exist_ok=True)
            number = len(list(archive.glob("trace_*.json"))) + 1
            last.replace(archive / f"trace_{number:03}_{digest_of_json(earlier)[:8]}.json")
    write_json(last, trace)


def _turn_of(path: Path) -> str:
    """The turn that a file is the trace of; empty for a file that is damaged."""
    try:
        trace = as_object(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return ""
    return str(trace.get("turn_id") or "")


_REQUEST_CHARS = 500
_SUMMARY = """\
Request:     {request}
Started:     {trace[start_time]} UTC
Duration:    {trace[total_duration_seconds]:.1f} s
Route:       {route}
Outcome:     {outcome}
Iterations:  {iterations}
Tool calls:  {tool_calls}
Artifacts:   {artifacts}
Tokens:      {usage[total_tokens]:,} in {usage[model_calls]} model calls \
({usage[output_tokens]:,} written, {usage[cache_read_tokens]:,} from the cache)
Trace:       {trace_id}
Trace URL:   {trace_url}
"""


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
    route = trace["route"] or "none"
    if trace["fallback"]:
        route = f"{route} after a fast path: {trace['fallback']}"
    return _SUMMARY.format(
        trace=trace,
        usage=trace["usage"],
        request=" ".join(trace["query"].split())[:_REQUEST_CHARS],
        route=route,
        outcome=trace["outcome"] or "unknown",
        iterations=len(trace["iterations"]),
        tool_calls=_tool_calls(trace["tool_calls"], trace["tool_results"]),
        artifacts=", ".join(artifact["path"] for artifact in trace["artifacts"]) or "none",
        trace_id=trace["trace_id"] or "none",
        trace_url=trace_url or "none",
    )


def _tool_calls(calls: list[JsonObject], results: list[JsonObject]) -> str:
    if not calls:
        return "0"
    failed = sum(result["is_error"] for result in results)
    by_name = Counter(call["name"] for call in calls)
    listed = ", ".join(f"{name} {count}" for name, count in by_name.most_common())
    return f"{len(calls)}, {failed} failed ({listed})"
