"""Events of one turn, made of what a test says of them; the rest has a plain value."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agent_core.events import EVENT, AnyEvent
from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId, child_run

START = datetime(2026, 11, 21, 14, 30, 52, 123456, tzinfo=UTC)
SESSION = SessionId("T1/C1/1700000000.000100")
TURN = TurnId("turn-1")
CHILD = child_run(ROOT_RUN, ToolCallId("toolu_task"))
SEARCH = "mcp__composio__COMPOSIO_SEARCH_NEWS"
CRAWL = "mcp__local_toolkit__crawl_parallel"

USAGE = {"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 1_000}
PLAIN: dict[str, dict[str, Any]] = {
    "turn_started": {"asker": "T1:U1", "author_name": "Ann", "text": "Go"},
    "route_chosen": {"route": "COMPLEX", "reason": "classifier", "raw": "COMPLEX"},
    "run_started": {"parent": ROOT_RUN, "agent": "explorer", "task": "…"},
    "step_finished": {
        **{"text": "", "thinking": "", "model": "claude-sonnet-5-5", "stop_reason": "end_turn"},
        **{"usage": USAGE, "duration_s": 1.5, "tool_calls": 0},
    },
    "tool_call_started": {"call_id": "c1", "arguments": {}},
    "tool_call_finished": {
        **{"call_id": "c1", "is_error": False, "preview": "found"},
        **{"size_bytes": 15_234, "duration_s": 1.25},
    },
    "artifact_saved": {"mimetype": "text/html", "size_bytes": 9_000},
    "question_asked": {"asker": "T1:U1", "question": "Which?", "options": ()},
    "auth_required": {"asker": "T1:U1", "toolkits": ("gmail",)},
    "ask_decided": {"by": None, "reason": ""},
    "run_finished": {"outcome": "answered"},
    "turn_finished": {"outcome": "answered", "answer": "Much.", "reference": "ref-1"},
}
"""Fields by kind, for a test that does not care."""


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def made(kind: str, seconds: float = 0.0, /, **fields: Any) -> AnyEvent:
    """An event that many seconds after the turn's start, of the root run's first step."""
    head = {"session": SESSION, "turn": TURN, "run": ROOT_RUN, "step": 1, "attempt": 1, "n": 1}
    head |= {"at": at(seconds), "kind": kind}
    return EVENT.validate_python(PLAIN.get(kind, {}) | head | fields)


def turn_with_a_child() -> list[AnyEvent]:
    expert = "report-creation-expert"
    report = {"path": "work_products/batteries.html", "title": "Batteries"}
    calling = {"tool_calls": 1, "stop_reason": "tool_use"}
    news, task = (
        {"call_id": "toolu_news", "tool": SEARCH},
        {"call_id": "toolu_task", "tool": "Task"},
    )
    crawl = {"call_id": "toolu_crawl", "tool": CRAWL, "run": CHILD}
    return [
        made("turn_started", text="What is new in batteries?"),
        made("route_chosen", 0.5, usage={"input_tokens": 7}, model_calls=1),
        made("run_started", 0.6, parent=None, agent="universal-agent", task="batteries"),
        made("step_started", 1),
        made("step_finished", 2, **calling | {"tool_calls": 2}),
        made("tool_call_started", 2.345, **news, arguments={"query": "Batterie für Ä"}),
        made("tool_call_started", 2.4, **task, arguments={"prompt": "Write a report"}),
        made("tool_call_finished", 3.789, **news),
        made("run_started", 4, run=CHILD, agent=expert, task="r"),
        made("step_started", 4, run=CHILD),
        made("step_finished", 5, run=CHILD, **calling),
        made("tool_call_started", 5, **crawl, arguments={"urls": []}),
        made("tool_call_finished", 8, **crawl, is_error=True),
        made("run_finished", 9, run=CHILD, text="Done."),
        made("artifact_saved", 9, **report),
        made("tool_call_finished", 10, **task),
        made("step_started", 11, step=2),
        made("step_finished", 20, step=2, text="Much."),
        made("run_finished", 20, text="Much."),
        made("turn_finished", 20.5),
    ]
