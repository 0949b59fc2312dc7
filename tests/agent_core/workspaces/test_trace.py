"""trace.json, field by field."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_core.events import AnyEvent
from agent_core.messages import JsonObject
from agent_core.workspaces import build_trace
from tests.agent_core.turn_events import SEARCH, START, at, made, turn_with_a_child

NEWS = {"call_id": "toolu_news", "tool": SEARCH}


def trace_of(events: Sequence[AnyEvent], trace_id: str = "a" * 32) -> JsonObject:
    return build_trace(
        events,
        url="https://mcp.composio.dev/x",
        asker="T1:U1",
        asked_at=START,
        trace_id=trace_id,
        logfire_enabled=True,
        finished_at=at(20.5),
    )


@pytest.mark.proves(
    "trace.session_info.user_id",
    "trace.session_info.timestamp",
    "trace.trace_id",
    "trace.query",
    "trace.start_time",
    "trace.end_time",
    "trace.total_duration_seconds",
    "trace.logfire_enabled",
    "trace.tool_calls.iteration",
    "trace.tool_calls.name",
    "trace.tool_calls.id",
    "trace.tool_calls.time_offset_seconds",
    "trace.tool_calls.input_size_bytes",
    "trace.parent_tool_use_id",
    "trace.tool_results.tool_use_id",
    "trace.tool_results.time_offset_seconds",
    "trace.tool_results.is_error",
    "trace.iterations.iteration",
    "trace.iterations.duration_seconds",
    "trace.iterations.tool_calls",
)
def test_a_turn_is_recorded_field_by_field() -> None:
    """`trace.json` beside this file: two steps, a sub-agent, its failed call, four model calls."""
    expected = Path(__file__).with_name("trace.json").read_text(encoding="utf-8")
    recorded = json.dumps(trace_of(turn_with_a_child()), ensure_ascii=False, indent=2)
    assert recorded == expected.rstrip()


def waiting(*asked: AnyEvent) -> JsonObject:
    """The first iteration of a turn in which a call of its second one waited for a person."""
    first, second = trace_of(
        [
            made("turn_started"),
            made("step_finished", 1, tool_calls=1),
            made("tool_call_started", 1, tool="t"),
            *asked,
            made("step_finished", 9, step=2),
            made("turn_finished", 20.5),
        ]
    )["iterations"]
    assert (second["needs_user_input"], second["auth_link"]) == (False, None)
    return first


@pytest.mark.proves("trace.iterations.needs_user_input", "trace.iterations.auth_link")
@pytest.mark.parametrize("link", ["https://connect.composio.dev/link/…", ""])
def test_an_iteration_says_whether_a_person_was_waited_for_and_where_they_were_sent(
    link: str,
) -> None:
    ask = {"ask": "a1", "call_id": "c1"}
    required = made("auth_required", 2, **ask, deadline=at(60))
    ended = made("ask_decided", 3, **ask, verdict="connected", link=link)
    told = waiting(required, ended)
    assert (told["needs_user_input"], told["auth_link"]) == (True, link or None)
    asked = waiting(made("question_asked", 2, **ask, deadline=at(60)))
    assert (asked["needs_user_input"], asked["auth_link"]) == (True, None)
    assert waiting()["needs_user_input"] is False


@pytest.mark.proves(
    "trace.tool_calls.input",
    "trace.tool_calls.input_preview",
    "trace.tool_results.content_preview",
    "trace.tool_results.content_size_bytes",
    "trace.iterations.query",
    "trace.query",
)
def test_previews_are_cut_and_the_input_is_whole() -> None:
    text = "x" * 5_000
    trace = trace_of(
        [
            made("turn_started", text="q" * 300),
            made("step_finished", 1, tool_calls=1),
            made("tool_call_started", 1, tool="t", arguments={"text": text}),
            made("tool_call_finished", 2, tool="t", preview=text),
            made("turn_finished", 20.5, answer=text),
        ]
    )
    assert trace["tool_calls"][0]["input"] == {"text": text}
    assert len(trace["tool_calls"][0]["input_preview"]) == 2_000
    assert trace["tool_results"][0]["content_preview"] == "x" * 1_000
    assert trace["tool_results"][0]["content_size_bytes"] == 15_234
    assert len(trace["iterations"][0]["query"]) == 200
    assert len(trace["query"]) == 300
    assert len(trace["answer_preview"]) == 1_000


def test_a_step_that_a_later_generation_makes_is_an_iteration_and_its_call_counts_once() -> None:
    again = {"attempt": 1001}
    trace = trace_of(
        [
            made("turn_started"),
            made("step_started", 1),
            made("step_finished", 2, tool_calls=1),
            made("tool_call_started", 2, **NEWS, arguments={"query": "first"}),
            made("step_started", 12, **again),
            made("step_finished", 13, **again, tool_calls=1),
            made("tool_call_started", 13, **again, **NEWS, arguments={"query": "again"}),
            made("turn_finished", 20.5),
        ]
    )
    assert [call["input"] for call in trace["tool_calls"]] == [{"query": "again"}]
    assert [call["iteration"] for call in trace["tool_calls"]] == [2]
    assert [one["duration_seconds"] for one in trace["iterations"]] == [11.0, 8.5]
    assert trace["usage"]["model_calls"] == 2


def test_a_retried_model_call_keeps_the_tool_calls_of_its_step() -> None:
    trace = trace_of(
        [
            made("turn_started"),
            made("step_started", 1),
            made("step_finished", 2, attempt=3, tool_calls=1),
            made("tool_call_started", 2, **NEWS),
            made("turn_finished", 20.5),
        ]
    )
    assert len(trace["tool_calls"]) == 1
    assert trace["iterations"][0]["duration_seconds"] == 19.5


def test_a_given_up_fast_path_says_why() -> None:
    route = made("route_chosen", 0.4, fallback="wants tools")
    trace = trace_of([made("turn_started"), route, made("turn_finished", 20.5)])
    assert trace["fallback"] == "wants tools"
