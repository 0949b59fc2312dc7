"""The events of a turn with a sub-agent, at known times."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
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
from agent_core.ids import ROOT_RUN, RunId, SessionId, ToolCallId, TurnId, UserId, child_run
from agent_core.messages import JsonObject

START = datetime(2026, 11, 21, 14, 30, 52, 123456, tzinfo=UTC)
SESSION = SessionId("T1/C1/1700000000.000100")
TURN = TurnId("turn-1")
CHILD = child_run(ROOT_RUN, ToolCallId("toolu_task"))
SEARCH = "mcp__composio__COMPOSIO_SEARCH_NEWS"
CRAWL = "mcp__local_toolkit__crawl_parallel"


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def place(
    seconds: float, step: int, n: int, *, run: RunId = ROOT_RUN, attempt: int = 1
) -> dict[str, Any]:
    return {
        "session": SESSION,
        "turn": TURN,
        "run": run,
        "step": step,
        "attempt": attempt,
        "n": n,
        "at": at(seconds),
    }


def step_finished(
    where: dict[str, Any], *, tool_calls: int = 0, text: str = "", seconds: float = 1.5
) -> StepFinished:
    return StepFinished(
        **where,
        text=text,
        thinking="",
        model="claude-sonnet-5-5",
        stop_reason="tool_use" if tool_calls else "end_turn",
        usage=Usage(input_tokens=100, output_tokens=20, cache_read_tokens=1_000),
        duration_s=seconds,
        tool_calls=tool_calls,
    )


def tool_started(
    where: dict[str, Any], call: str, tool: str, arguments: JsonObject
) -> ToolCallStarted:
    return ToolCallStarted(**where, call_id=ToolCallId(call), tool=tool, arguments=arguments)


def tool_finished(
    where: dict[str, Any], call: str, tool: str, *, is_error: bool = False, preview: str = "found"
) -> ToolCallFinished:
    return ToolCallFinished(
        **where,
        call_id=ToolCallId(call),
        tool=tool,
        is_error=is_error,
        preview=preview,
        size_bytes=15_234,
        duration_s=1.25,
    )


def turn_started(text: str = "What is new in batteries?") -> TurnStarted:
    return TurnStarted(**place(0, 0, 10), asker=UserId("T1:U1"), author_name="Ann", text=text)


def turn_finished(seconds: float = 20.5, answer: str = "Much.") -> TurnFinished:
    return TurnFinished(
        **place(seconds, 0, 13), outcome="answered", answer=answer, reference="ref-1"
    )


def turn_with_a_child() -> list[AnyEvent]:
    route = RouteChosen(
        **place(0.5, 0, 12),
        route="COMPLEX",
        reason="classifier",
        raw="COMPLEX",
        usage=Usage(input_tokens=7),
        model_calls=1,
    )
    return [
        turn_started(),
        route,
        RunStarted(**place(0.6, 0, 0), parent=None, agent="universal-agent", task="batteries"),
        StepStarted(**place(1, 1, 0)),
        step_finished(place(2, 1, 1), tool_calls=2),
        tool_started(place(2.345, 1, 2), "toolu_news", SEARCH, {"query": "Batterie für Ä"}),
        tool_started(place(2.4, 1, 4), "toolu_task", "Task", {"prompt": "Write a report"}),
        tool_finished(place(3.789, 1, 3), "toolu_news", SEARCH),
        RunStarted(
            **place(4, 0, 0, run=CHILD), parent=ROOT_RUN, agent="report-creation-expert", task="r"
        ),
        StepStarted(**place(4, 1, 0, run=CHILD)),
        step_finished(place(5, 1, 1, run=CHILD), tool_calls=1),
        tool_started(place(5, 1, 2, run=CHILD), "toolu_crawl", CRAWL, {"urls": []}),
        tool_finished(place(8, 1, 3, run=CHILD), "toolu_crawl", CRAWL, is_error=True),
        RunFinished(**place(9, 0, 1, run=CHILD), outcome="answered", text="Done."),
        ArtifactSaved(
            **place(9, 1, 1000),
            path="work_products/batteries.html",
            title="Batteries",
            mimetype="text/html",
            size_bytes=9_000,
        ),
        tool_finished(place(10, 1, 5), "toolu_task", "Task"),
        StepStarted(**place(11, 2, 0)),
        step_finished(place(20, 2, 1), text="Much."),
        RunFinished(**place(20, 0, 1), outcome="answered", text="Much."),
        turn_finished(),
    ]
