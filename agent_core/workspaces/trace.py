"""trace.json: one turn as a record of its tool calls, results and iterations. Pure."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AskDecided,
    AuthRequired,
    Event,
    PlanMade,
    QuestionAsked,
    RouteChosen,
    RunStarted,
    StepFinished,
    Usage,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId
from agent_core.messages import JsonObject
from agent_core.snapshot import CallSnapshot, RunSnapshot, TurnSnapshot
from agent_core.workspaces.layout import timestamp

INPUT_PREVIEW_CHARS = 2_000
CONTENT_PREVIEW_CHARS = 1_000
QUERY_CHARS = 200


def build_trace(
    events: Sequence[AnyEvent],
    *,
    url: str,
    asker: str,
    asked_at: datetime,
    trace_id: str,
    logfire_enabled: bool,
    finished_at: datetime,
) -> JsonObject:
    """A turn's trace from its stored events, in their order.

    Tool calls of child runs are among `tool_calls`, told apart by `run`; `iterations` are the root
    run's steps. Times are UTC. Fields from `turn_id` on are ours. `url` is the MCP address of the
    asker's Composio session; empty where there was none.
    """
    record = _TurnRecord(events, finished_at)
    turn = record.turn
    end = turn.finished
    return {
        "session_info": {"url": url, "user_id": asker, "timestamp": timestamp(asked_at)},
        "trace_id": trace_id,
        "query": record.query,
        "start_time": timestamp(record.started_at),
        "end_time": timestamp(finished_at),
        "total_duration_seconds": record.offset_s(finished_at),
        "tool_calls": [record.tool_call(call) for call in turn.calls.values()],
        "tool_results": record.tool_results(),
        "iterations": record.iterations(),
        "logfire_enabled": logfire_enabled,
        "turn_id": turn.id,
        "route": record.route,
        "fallback": record.fallback,
        "outcome": end.outcome if end else None,
        "answer_preview": end.answer[:CONTENT_PREVIEW_CHARS] if end else "",
        "usage": {
            **asdict(record.usage),
            "total_tokens": record.usage.total_tokens,
            "model_calls": record.model_calls,
        },
        "artifacts": [
            {
                "path": saved.path,
                "title": saved.title,
                "mimetype": saved.mimetype,
                "size_bytes": saved.size_bytes,
            }
            for saved in turn.artifacts.values()
        ],
        "runs": [record.run(run, run.started) for run in turn.runs.values() if run.started],
    }


class _TurnRecord:
    """The parts of a trace."""

    def __init__(self, events: Sequence[AnyEvent], finished_at: datetime) -> None:
        self.turn = TurnSnapshot()
        self.route: str | None = None
        self.fallback: str | None = None
        self.usage = Usage()
        """Of all model calls, attempts that were voided included."""
        self.model_calls = 0
        self._asking_calls = set[ToolCallId]()
        """Calls that waited for a person."""
        self._auth_links: dict[ToolCallId, str] = {}
        """Where the asker was sent to connect an account, by call."""
        for event in events:
            self.turn.fold(event)
            self._fold(event)
        started = self.turn.started
        self._finished_at = finished_at
        self.query = started.text if started else ""
        self.started_at = started.at if started else finished_at

    def _fold(self, event: AnyEvent) -> None:
        match event:
            case RouteChosen():
                self.route = event.route
                self.fallback = event.fallback or None
                self.usage += event.usage
                self.model_calls += event.model_calls
            case PlanMade() | StepFinished():
                self.usage += event.usage
                self.model_calls += 1
            case QuestionAsked() | ApprovalRequested() | AuthRequired():
                self._asking_calls.add(event.call_id)
            case AskDecided() if event.link:
                self._auth_links[event.call_id] = event.link
            case _:
                pass

    def offset_s(self, moment: datetime) -> float:
        return round((moment - self.started_at).total_seconds(), 3)

    def run(self, run: RunSnapshot, started: RunStarted) -> JsonObject:
        """A run at work: from its first step on, as it may have waited for its place."""
        begun = min((step.at for step in run.begun_steps), default=started.at)
        end = run.ended
        return {
            "run": run.id,
            "parent": started.parent,
            "agent": started.agent,
            "task": started.task[:CONTENT_PREVIEW_CHARS],
            "start_offset_seconds": self.offset_s(begun),
            "end_offset_seconds": self.offset_s(end.at) if end else None,
            "outcome": end.outcome if end else None,
        }

    def tool_call(self, call: CallSnapshot) -> JsonObject:
        started = call.started
        written = json.dumps(started.arguments, ensure_ascii=False, default=str)
        run = self.turn.runs[started.run]
        return {
            "iteration": _number(run, started),
            "name": started.tool,
            "id": started.call_id,
            "time_offset_seconds": self.offset_s(started.at),
            "input": started.arguments,
            "input_size_bytes": len(written.encode("utf-8", "replace")),
            "input_preview": written[:INPUT_PREVIEW_CHARS],
            "run": started.run,
            "agent": run.agent or None,
            "parent_tool_use_id": self._call_before(run),
        }

    def tool_results(self) -> list[JsonObject]:
        results = [call.finished for call in self.turn.calls.values() if call.finished]
        results.sort(key=lambda result: result.at)
        return [
            {
                "tool_use_id": result.call_id,
                "time_offset_seconds": self.offset_s(result.at),
                "is_error": result.is_error,
                "content_size_bytes": result.size_bytes,
                "content_preview": result.preview[:CONTENT_PREVIEW_CHARS],
                "run": result.run,
            }
            for result in results
        ]

    def iterations(self) -> list[JsonObject]:
        """The root run's steps."""
        root = self.turn.runs.get(ROOT_RUN)
        return [self._iteration(root, step) for step in root.steps] if root else []

    def _iteration(self, root: RunSnapshot, step: StepFinished) -> JsonObject:
        calls = {
            call.started.call_id
            for call in root.calls.values()
            if _step_key(call.started) == _step_key(step)
        }
        links = [link for call, link in self._auth_links.items() if call in calls]
        return {
            "iteration": _number(root, step),
            "query": self.query[:QUERY_CHARS],
            "duration_seconds": self._duration_s(root, step),
            "tool_calls": step.tool_calls,
            "needs_user_input": not calls.isdisjoint(self._asking_calls),
            "auth_link": links[-1] if links else None,
            "model": step.model,
            "stop_reason": step.stop_reason,
            "usage": asdict(step.usage),
        }

    def _call_before(self, run: RunSnapshot) -> str | None:
        """The call that started a run; None where no call did."""
        parent, _, key = run.id.rpartition(".")
        above = self.turn.runs.get(RunId(parent))
        return key if above and key in above.calls else None

    def _duration_s(self, run: RunSnapshot, step: StepFinished) -> float:
        """Of the model call and its tool calls: until the next step of the run, or its end."""
        begun = step.at - timedelta(seconds=step.duration_s)
        ends = [run.ended.at if run.ended else self._finished_at]
        for each in run.begun_steps:
            if _step_key(each) == _step_key(step):
                begun = each.at
            elif each.at > step.at:
                ends.append(each.at)
        return round((min(ends) - begun).total_seconds(), 3)


def _step_key(event: Event) -> tuple[int, int]:
    """Which step of its run an event belongs to: each generation counts its steps anew."""
    return event.generation, event.step


def _number(run: RunSnapshot, event: Event) -> int:
    """The number of an event's step among all steps of the run, counted from 1."""
    return sum(_step_key(step) <= _step_key(event) for step in run.steps)
