"""run.log: what a session's turns did, line by line, for a person who looks into the directory."""

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agent_core.events import (
    AnyEvent,
    ApprovalDecided,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    CorrectionInjected,
    FastPathFallback,
    MessageTaken,
    QuestionAsked,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepFinished,
    StepRetried,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    ToolCallProgressed,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
)
from agent_core.ids import SessionId, TurnId
from agent_core.workspaces.layout import RUN_LOG

logger = logging.getLogger(__name__)

_INDENT = "\n" + " " * 15

_RunEvent = (
    RunStarted
    | RunFinished
    | StepFinished
    | ToolCallStarted
    | ToolCallFinished
    | ArtifactSaved
    | CorrectionInjected
    | MessageTaken
)


class RunLog:
    """Appends lines with UTC times to run.log. Never raises: a full disk costs lines."""

    def __init__(self, workspace: Path) -> None:
        self._path = workspace / RUN_LOG
        self._is_failing = False

    def append(self, text: str, *, at: datetime) -> None:
        """Append one entry, `[14:30:52.123] text`; further lines of it are indented."""
        time = at.astimezone(UTC).isoformat(timespec="milliseconds")[11:23]
        entry = f"[{time}] {_INDENT.join(text.splitlines())}\n"
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


def log_line(event: AnyEvent) -> str:
    """An event in plain words; empty for live-only ones and the start of a step."""
    match event:
        case TextDelta() | StepRetried() | ToolCallProgressed() | StepStarted():
            return ""
        case TurnStarted() | RouteChosen() | FastPathFallback() | TurnFinished():
            return _turn_line(event)
        case (
            QuestionAsked() | ApprovalRequested() | ApprovalDecided() | AuthRequired() | AuthEnded()
        ):
            return _wait_line(event)
        case _:
            return _run_line(event)


def _turn_line(event: TurnStarted | RouteChosen | FastPathFallback | TurnFinished) -> str:
    match event:
        case TurnStarted():
            day = f"{event.at.astimezone(UTC):%Y-%m-%d}"
            return f"turn {event.turn} started on {day} by {event.author_name}: {event.text}"
        case RouteChosen():
            return f"route {event.route} ({event.reason})"
        case FastPathFallback():
            return f"fast path given up: {event.reason}"
        case TurnFinished():
            return f"turn {event.turn} finished: {event.outcome}\n{event.answer}"


def _run_line(event: _RunEvent) -> str:
    match event:
        case RunStarted():
            return f"run {event.run} of {event.agent} started: {event.task}"
        case RunFinished():
            return f"run {event.run} finished: {event.outcome}"
        case StepFinished():
            return _step_line(event)
        case MessageTaken():
            return f"taken in from {event.author_name}: {event.text}"
        case _:
            return _tool_line(event)


def _wait_line(
    event: QuestionAsked | ApprovalRequested | ApprovalDecided | AuthRequired | AuthEnded,
) -> str:
    match event:
        case QuestionAsked():
            return f"asked: {event.question}"
        case ApprovalRequested():
            tools = ", ".join(action.tool for action in event.actions if action.asks)
            return f"approval asked for {tools} ({event.call_id}, {event.digest[:12]})"
        case ApprovalDecided():
            return f"approval {event.verdict} by {event.by or 'nobody'} ({event.call_id})"
        case AuthRequired():
            return f"waiting for {event.asker} to connect {', '.join(event.toolkits)}"
        case AuthEnded():
            return f"connecting {', '.join(event.toolkits)}: {event.outcome}"


def _tool_line(
    event: ToolCallStarted | ToolCallFinished | ArtifactSaved | CorrectionInjected,
) -> str:
    match event:
        case ToolCallStarted():
            return f"tool {event.tool} started ({event.call_id})"
        case ToolCallFinished():
            ending = "failed" if event.is_error else "finished"
            return (
                f"tool {event.tool} {ending} in {event.duration_s:.1f} s, "
                f"{event.size_bytes:,} bytes ({event.call_id})"
            )
        case ArtifactSaved():
            return f"artifact {event.path}, {event.size_bytes:,} bytes: {event.title}"
        case CorrectionInjected():
            return f"{event.agent} was corrected: {event.text}"


def _step_line(event: StepFinished) -> str:
    said = f"\n{event.text}" if event.text else ""
    return (
        f"step {event.step} of run {event.run}: {event.model} in {event.duration_s:.1f} s, "
        f"{event.usage.total_tokens:,} tokens, {event.tool_calls} tool calls{said}"
    )


@dataclass(slots=True)
class _Followed:
    """A session's log, and the turns that write into it."""

    workspace: Path
    log: RunLog
    turns: set[TurnId] = field(default_factory=set[TurnId])


class RunLogs:
    """The logs of the sessions that have a turn in this process."""

    def __init__(self) -> None:
        self._followed: dict[SessionId, _Followed] = {}

    def follow(self, session: SessionId, turn: TurnId, workspace: Path) -> None:
        """Write this session's events into its workspace until the turn leaves."""
        followed = self._followed.get(session)
        if followed is None or followed.workspace != workspace:
            turns = followed.turns if followed else set[TurnId]()
            followed = _Followed(workspace, RunLog(workspace), turns)
            self._followed[session] = followed
        followed.turns.add(turn)

    def leave(self, session: SessionId, turn: TurnId) -> None:
        """The turn has ended; with the last one of its session the log is closed."""
        followed = self._followed.get(session)
        if followed is None:
            return
        followed.turns.discard(turn)
        if not followed.turns:
            del self._followed[session]

    def write(self, event: AnyEvent) -> None:
        """Take a stored event."""
        if followed := self._followed.get(event.session):
            followed.log.record(event)
