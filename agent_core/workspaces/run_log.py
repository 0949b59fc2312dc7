"""run.log: what a session's turns did, line by line, for a person who looks into the directory."""

import logging
from datetime import UTC, datetime
from pathlib import Path

from cachetools import LRUCache

from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    CorrectionInjected,
    Event,
    FastPathFallback,
    Intervened,
    MessageTaken,
    PlanMade,
    QuestionAsked,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepFinished,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import SessionId
from agent_core.masking import masked
from agent_core.workspaces.layout import RUN_LOG

logger = logging.getLogger(__name__)

_INDENT = "\n" + " " * 15


class RunLog:
    """Appends lines with UTC times to run.log. Never raises: a full disk costs lines."""

    def __init__(self, workspace: Path) -> None:
        self._path = workspace / RUN_LOG
        self._is_failing = False

    def append(self, text: str, *, at: datetime) -> None:
        """Append one entry, `[14:30:52.123] text`; further lines of it are indented."""
        time = at.astimezone(UTC).isoformat(timespec="milliseconds")[11:23]
        entry = f"[{time}] {_INDENT.join(masked(text).splitlines())}\n"
        try:
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(entry)
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                logger.warning("%s cannot be written: %s", self._path, error)
            self._is_failing = True

    def record(self, event: AnyEvent) -> None:
        """Append what an event says, if it is worth a line."""
        if text := log_line(event):
            self.append(text, at=event.at)


_LINES: dict[type[Event], str] = {
    TurnStarted: "turn {e.turn} started on {day} by {e.author_name}: {e.text}",
    RouteChosen: "route {e.route} ({e.reason})",
    FastPathFallback: "fast path given up: {e.reason}",
    TurnFinished: "turn {e.turn} finished: {e.outcome}\n{e.answer}",
    QuestionAsked: "asked: {e.question}",
    ApprovalRequested: "approval asked for {tools} ({e.call_id}, {e.digest:.12})",
    ApprovalDecided: "approval {e.verdict} by {by} ({e.call_id})",
    AuthRequired: "waiting for {e.asker} to connect {apps}",
    AuthEnded: "connecting {apps}: {e.outcome}",
    PlanMade: "planned: {e.question!r}, parts {e.sub_questions}",
    RunStarted: "run {e.run} of {e.agent} started: {e.task}",
    RunFinished: "run {e.run} finished: {e.outcome}",
    StepFinished: "step {e.step} of run {e.run}: {e.model} in {e.duration_s:.1f} s, "
    "{e.usage.total_tokens:,} tokens, {e.tool_calls} tool calls\n{e.text}",
    Intervened: "{e.by_name} stepped in at run {e.run}: {e.what} {e.text}",
    MessageTaken: "taken in from {e.author_name}: {e.text}",
    ToolCallStarted: "tool {e.tool} started ({e.call_id})",
    ToolCallFinished: "tool {e.tool} {ending} in {e.duration_s:.1f} s, {e.size_bytes:,} bytes "
    "({e.call_id})",
    ArtifactSaved: "artifact {e.path}, {e.size_bytes:,} bytes: {e.title}",
    CorrectionInjected: "{e.agent} was corrected: {e.text}",
}
"""What an event is worth saying; those that are only live, and the start of a step, are not."""


def log_line(event: AnyEvent) -> str:
    """An event in plain words; empty for one that has no line."""
    return _LINES.get(type(event), "").format(
        e=event,
        day=f"{event.at.astimezone(UTC):%Y-%m-%d}",
        tools=", ".join(each.tool for each in getattr(event, "actions", ()) if each.asks),
        apps=", ".join(getattr(event, "toolkits", ())),
        by=getattr(event, "by", "") or "nobody",
        ending="failed" if getattr(event, "is_error", False) else "finished",
    )


class RunLogs:
    """The logs of the sessions that had a turn in this process lately."""

    def __init__(self) -> None:
        self._of_sessions: LRUCache[SessionId, RunLog] = LRUCache(1_000)

    def follow(self, session: SessionId, workspace: Path) -> None:
        """Write this session's events into its workspace from now on."""
        self._of_sessions[session] = RunLog(workspace)

    def write(self, event: AnyEvent) -> None:
        """Take a stored event."""
        if log := self._of_sessions.get(event.session):
            log.record(event)
