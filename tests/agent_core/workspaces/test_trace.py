"""trace.json, field by field."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent_core.events import (
    AnyEvent,
    AskDecided,
    AuthRequired,
    QuestionAsked,
    RouteChosen,
    StepStarted,
)
from agent_core.ids import AskId, ToolCallId, UserId
from agent_core.messages import JsonObject
from agent_core.workspaces import build_trace
from tests.agent_core.workspaces.turns import (
    SEARCH,
    START,
    at,
    place,
    step_finished,
    tool_finished,
    tool_started,
    turn_finished,
    turn_started,
    turn_with_a_child,
)


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
    events = [
        turn_started("q"),
        step_finished(place(1, 1, 1), tool_calls=1),
        tool_started(place(1, 1, 2), "toolu_1", "t", {}),
        *asked,
        step_finished(place(9, 2, 1)),
        turn_finished(answer="a"),
    ]
    first, second = trace_of(events)["iterations"]
    assert (second["needs_user_input"], second["auth_link"]) == (False, None)
    return first


@pytest.mark.proves("trace.iterations.needs_user_input", "trace.iterations.auth_link")
@pytest.mark.parametrize("link", ["https://connect.composio.dev/link/…", ""])
def test_an_iteration_says_whether_a_person_was_waited_for_and_where_they_were_sent(
    link: str,
) -> None:
    about: dict[str, Any] = {
        "ask": AskId("c1"),
        "call_id": ToolCallId("toolu_1"),
        "asker": UserId("T1:U1"),
        "toolkits": ("gmail",),
    }
    required = AuthRequired(**place(2, 0, 14), **about, deadline=at(60))
    ended = AskDecided(
        **place(3, 0, 15),
        ask=required.ask,
        call_id=required.call_id,
        verdict="connected",
        by=None,
        reason="",
        link=link,
    )
    told = waiting(required, ended)
    assert (told["needs_user_input"], told["auth_link"]) == (True, link or None)
    question = QuestionAsked(
        **place(2, 0, 14),
        ask=AskId("q1"),
        call_id=ToolCallId("toolu_1"),
        asker=UserId("T1:U1"),
        question="Which?",
        options=(),
        deadline=at(60),
    )
    asked = waiting(question)
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
    events = [
        turn_started("q" * 300),
        step_finished(place(1, 1, 1), tool_calls=1),
        tool_started(place(1, 1, 2), "toolu_1", "t", {"text": text}),
        tool_finished(place(2, 1, 3), "toolu_1", "t", preview=text),
        turn_finished(answer=text),
    ]
    trace = trace_of(events)

    assert trace["tool_calls"][0]["input"] == {"text": text}
    assert len(trace["tool_calls"][0]["input_preview"]) == 2_000
    assert trace["tool_results"][0]["content_preview"] == "x" * 1_000
    assert trace["tool_results"][0]["content_size_bytes"] == 15_234
    assert len(trace["iterations"][0]["query"]) == 200
    assert len(trace["query"]) == 300
    assert len(trace["answer_preview"]) == 1_000


def test_a_step_that_a_later_generation_makes_is_an_iteration_and_its_call_counts_once() -> None:
    again = [
        StepStarted(**place(12, 1, 0, attempt=1001)),
        step_finished(place(13, 1, 1, attempt=1001), tool_calls=1),
        tool_started(place(13, 1, 2, attempt=1001), "toolu_news", SEARCH, {"query": "again"}),
    ]
    first = [
        turn_started(),
        StepStarted(**place(1, 1, 0)),
        step_finished(place(2, 1, 1), tool_calls=1),
        tool_started(place(2, 1, 2), "toolu_news", SEARCH, {"query": "first"}),
    ]
    trace = trace_of([*first, *again, turn_finished()])

    assert [call["input"] for call in trace["tool_calls"]] == [{"query": "again"}]
    assert [call["iteration"] for call in trace["tool_calls"]] == [2]
    assert [one["duration_seconds"] for one in trace["iterations"]] == [11.0, 8.5]
    assert trace["usage"]["model_calls"] == 2


def test_a_retried_model_call_keeps_the_tool_calls_of_its_step() -> None:
    events = [
        turn_started(),
        StepStarted(**place(1, 1, 0)),
        step_finished(place(2, 1, 1, attempt=3), tool_calls=1),
        tool_started(place(2, 1, 2), "toolu_news", SEARCH, {}),
        turn_finished(),
    ]
    trace = trace_of(events)

    assert len(trace["tool_calls"]) == 1
    assert trace["iterations"][0]["duration_seconds"] == 19.5


def test_a_given_up_fast_path_says_why() -> None:
    route = RouteChosen(
        **place(0.4, 0, 12), route="COMPLEX", reason="classifier", raw="", fallback="wants tools"
    )
    trace = trace_of([turn_started(), route, turn_finished()])

    assert trace["fallback"] == "wants tools"
