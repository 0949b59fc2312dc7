"""trace.json: one turn as a record of its tool calls, results and iterations. Pure."""

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TypeVar

from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    ArtifactSaved,
    AuthEnded,
    AuthRequired,
    Event,
    FastPathFallback,
    PlanMade,
    QuestionAsked,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    TurnStarted,
    Usage,
)
from agent_core.ids import ROOT_RUN, RunId
from agent_core.messages import JsonObject
from agent_core.workspaces.layout import timestamp

INPUT_PREVIEW_CHARS = 2_000
CONTENT_PREVIEW_CHARS = 1_000
QUERY_CHARS = 200

Kind = TypeVar("Kind", bound=Event)
_WAITS = QuestionAsked | ApprovalRequested | AuthRequired


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
    turn = _Turn(events, finished_at)
    started = _last(events, TurnStarted)
    route = _last(events, RouteChosen)
    fallback = _last(events, FastPathFallback)
    ended = _last(events, TurnFinished)
    return {
        "session_info": {"url": url, "user_id": asker, "timestamp": timestamp(asked_at)},
        "trace_id": trace_id,
        "query": turn.query,
        "start_time": timestamp(turn.started_at),
        "end_time": timestamp(finished_at),
        "total_duration_seconds": turn.offset_s(finished_at),
        "tool_calls": turn.tool_calls(),
        "tool_results": turn.tool_results(),
        "iterations": turn.iterations(),
        "logfire_enabled": logfire_enabled,
        "turn_id": started.turn if started else "",
        "route": route.route if route else None,
        "fallback": fallback.reason if fallback else None,
        "outcome": ended.outcome if ended else None,
        "answer_preview": ended.answer[:CONTENT_PREVIEW_CHARS] if ended else "",
        "usage": _usage(events),
        "artifacts": [
            {name: getattr(event, name) for name in ("path", "title", "mimetype", "size_bytes")}
            for event in _all(events, ArtifactSaved)
        ],
        "runs": turn.runs(),
    }


class _Turn:
    """The events of one turn; where a step was made again, the newest attempt counts."""

    def __init__(self, events: Sequence[AnyEvent], finished_at: datetime) -> None:
        self._events = events
        self._finished_at = finished_at
        started = _last(events, TurnStarted)
        self.query = started.text if started else ""
        self.started_at = started.at if started else finished_at
        self._waits = [e for e in events if isinstance(e, _WAITS)]
        self._steps = sorted(
            {self._step(e) for e in events if isinstance(e, StepFinished | ToolCallStarted)}
        )
        self._runs = {event.run: event for event in _all(events, RunStarted)}

    def offset_s(self, moment: datetime) -> float:
        return round((moment - self.started_at).total_seconds(), 3)

    def tool_calls(self) -> list[JsonObject]:
        started = _all(self._events, ToolCallStarted)
        return [self._tool_call(call) for call in _newest(started, lambda e: (e.run, e.call_id))]

    def tool_results(self) -> list[JsonObject]:
        finished = _all(self._events, ToolCallFinished)
        return [
            {
                "tool_use_id": result.call_id,
                "time_offset_seconds": self.offset_s(result.at),
                "is_error": result.is_error,
                "content_size_bytes": result.size_bytes,
                "content_preview": result.preview[:CONTENT_PREVIEW_CHARS],
                "run": result.run,
            }
            for result in _newest(finished, lambda e: (e.run, e.call_id))
        ]

    def iterations(self) -> list[JsonObject]:
        of_root = [event for event in _all(self._events, StepFinished) if event.run == ROOT_RUN]
        return [self._iteration(step) for step in _newest(of_root, self._step)]

    def runs(self) -> list[JsonObject]:
        ends = {event.run: event for event in _all(self._events, RunFinished)}
        return [self._run(run, ends.get(run.run)) for run in self._runs.values()]

    def _run(self, run: RunStarted, end: RunFinished | None) -> JsonObject:
        """A run at work: from its first step on, as it may have waited for its place."""
        steps = [event.at for event in _all(self._events, StepStarted) if event.run == run.run]
        return {
            "run": run.run,
            "parent": run.parent,
            "agent": run.agent,
            "task": run.task[:CONTENT_PREVIEW_CHARS],
            "start_offset_seconds": self.offset_s(min(steps, default=run.at)),
            "end_offset_seconds": self.offset_s(end.at) if end else None,
            "outcome": end.outcome if end else None,
        }

    def _tool_call(self, call: ToolCallStarted) -> JsonObject:
        written = json.dumps(call.arguments, ensure_ascii=False, default=str)
        run = self._runs.get(call.run)
        return {
            "iteration": self._number(call),
            "name": call.tool,
            "id": call.call_id,
            "time_offset_seconds": self.offset_s(call.at),
            "input": call.arguments,
            "input_size_bytes": len(written.encode("utf-8", "replace")),
            "input_preview": written[:INPUT_PREVIEW_CHARS],
            "run": call.run,
            "agent": run.agent if run else None,
            "parent_tool_use_id": self._call_before(run) if run else None,
        }

    def _call_before(self, run: RunStarted) -> str | None:
        """The call that started a run; None where no call did."""
        calls = {(each.run, each.call_id) for each in _all(self._events, ToolCallStarted)}
        key = run.run.removeprefix(f"{run.parent}.")
        return key if (run.parent, key) in calls else None

    def _iteration(self, step: StepFinished) -> JsonObject:
        started = _all(self._events, ToolCallStarted)
        calls = {each.call_id for each in started if _place(each) == _place(step)}
        links = [e.link for e in _all(self._events, AuthEnded) if e.call_id in calls and e.link]
        return {
            "iteration": self._number(step),
            "query": self.query[:QUERY_CHARS],
            "duration_seconds": self._duration_s(step),
            "tool_calls": step.tool_calls,
            "needs_user_input": any(wait.call_id in calls for wait in self._waits),
            "auth_link": links[-1] if links else None,
            "model": step.model,
            "stop_reason": step.stop_reason,
            "usage": asdict(step.usage),
        }

    def _step(self, event: Event) -> tuple[RunId, int, int]:
        """Which step it belongs to, however often that was made. After a wait they count anew."""
        ended = {wait.generation for wait in self._waits}
        return event.run, sum(each < event.generation for each in ended), event.step

    def _number(self, event: Event) -> int:
        """Of its step within its run, from 1 on."""
        own = [step for step in self._steps if step[0] == event.run]
        return own.index(self._step(event)) + 1

    def _duration_s(self, step: StepFinished) -> float:
        """Of the model call and its tool calls: until the next step of the run, or its end."""
        begun = [event for event in _all(self._events, StepStarted) if event.run == step.run]
        own = [event.at for event in begun if event.step == step.step and event.at <= step.at]
        if not own:
            return round(step.duration_s, 3)
        ends = [event.at for event in begun if event.at > step.at]
        ends += [e.at for e in _all(self._events, RunFinished) if e.run == step.run]
        end = min((at for at in ends if at >= step.at), default=self._finished_at)
        return round((end - max(own)).total_seconds(), 3)


def _all(events: Iterable[AnyEvent], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def _last(events: Iterable[AnyEvent], kind: type[Kind]) -> Kind | None:
    found = _all(events, kind)
    return found[-1] if found else None


def _newest(events: Iterable[Kind], identity: Callable[[Kind], Hashable]) -> list[Kind]:
    """One event of each identity, the one of the newest attempt, in the order of their first."""
    newest: dict[Hashable, Kind] = {}
    for event in events:
        known = newest.get(identity(event))
        if known is None or event.attempt >= known.attempt:
            newest[identity(event)] = event
    return list(newest.values())


def _usage(events: Sequence[AnyEvent]) -> JsonObject:
    """What the whole turn cost, attempts that were voided included."""
    steps, routes = _all(events, StepFinished), _all(events, RouteChosen)
    plans = _all(events, PlanMade)
    total = sum((event.usage for event in (*steps, *routes, *plans)), Usage())
    model_calls = len(steps) + len(plans) + sum(route.model_calls for route in routes)
    return {**asdict(total), "total_tokens": total.total_tokens, "model_calls": model_calls}


def _place(event: Event) -> tuple[RunId, int, int]:
    """Which step of which run it belongs to, and of which generation of the turn."""
    return event.run, event.step, event.generation
