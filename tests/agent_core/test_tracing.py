"""One trace a turn, with the names of the description, and nothing of what was said in it."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_core.tracing import trace_url

PROGRAM = Path(__file__).with_name("trace_process.py")
ROOT_SPAN = "standalone_composio_test"
MARKER = re.compile(r"[A-Z]+MARKER")

pytestmark = pytest.mark.process("tracing is set up once a process")

Span = dict[str, Any]


class Traced:
    """What the process left of its turn."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.spans: list[Span] = answer["spans"]
        self.trace_id: str = answer["trace_id"]
        self.events: list[str] = answer["events"]

    @property
    def names(self) -> Counter[str]:
        return Counter(span["name"] for span in self.spans)

    def named(self, name: str) -> Span:
        [span] = [span for span in self.spans if span["name"] == name]
        return span

    def parent(self, span: Span) -> str | None:
        names = {each["id"]: str(each["name"]) for each in self.spans}
        return names.get(span["parent"])


Trace = Callable[[str], Traced]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """Runs a turn of a kind in its process, each kind once."""

    @cache
    def run(kind: str) -> Traced:
        root = tmp_path_factory.mktemp(kind.lower())
        ended = subprocess.run(
            [sys.executable, str(PROGRAM), str(root), kind],
            capture_output=True,
            check=True,
            timeout=60,
        )
        return Traced(json.loads(ended.stdout))

    return run


def leaked(turn: Traced) -> dict[str, set[str]]:
    """The words of the turn that a span carries, by the span's name."""
    found = {span["name"]: set(MARKER.findall(json.dumps(span))) for span in turn.spans}
    return {name: words for name, words in found.items() if words}


@pytest.mark.proves("spans.query_started", "spans.query_classification", "spans.direct_answer")
def test_a_simple_turn_has_the_names_of_the_fast_path(trace: Trace) -> None:
    turn = trace("SIMPLE")
    assert turn.names == Counter(
        {
            ROOT_SPAN: 1,
            "query_started": 1,
            "query_classification": 1,
            "direct_answer": 1,
            "session_complete": 1,
        }
    )
    assert turn.named("query_classification")["attributes"]["decision"] == "SIMPLE"
    assert leaked(turn) == {}


@pytest.mark.proves(
    "spans.root",
    "spans.conversation_iteration",
    "spans.thinking",
    "spans.compliance",
    "trace.trace_id",
)
def test_a_complex_turn_has_the_names_of_the_loop_in_one_trace(trace: Trace) -> None:
    turn = trace("COMPLEX")
    assert turn.names == Counter(
        {
            ROOT_SPAN: 1,
            "query_started": 1,
            "query_classification": 1,
            "conversation_iteration_1": 2,
            "conversation_iteration_2": 1,
            "reasoning": 3,
            "thinking": 1,
            "tool_call": 2,
            "tool_result": 2,
            "subagent_compliance_message_injected": 1,
            "session_complete": 1,
        }
    )
    assert {span["trace_id"] for span in turn.spans} == {turn.trace_id}


@pytest.mark.proves("spans.root", "spans.tool_call", "spans.tool_result", "spans.reasoning")
def test_the_spans_of_a_turn_lie_within_each_other(trace: Trace) -> None:
    turn = trace("COMPLEX")
    root = turn.named(ROOT_SPAN)
    assert root["parent"] is None
    for name in ("query_started", "query_classification", "session_complete"):
        assert turn.parent(turn.named(name)) == ROOT_SPAN
    for span in turn.spans:
        if span["name"] in {"tool_call", "tool_result", "reasoning", "thinking"}:
            assert str(turn.parent(span)).startswith("conversation_iteration_")


def test_nothing_that_was_said_is_in_the_trace(trace: Trace) -> None:
    turn = trace("COMPLEX")
    assert leaked(turn) == {}


@pytest.mark.proves("spans.tool_call", "spans.tool_result")
def test_tool_spans_name_the_tool_and_the_size_of_its_result(trace: Trace) -> None:
    turn = trace("COMPLEX")
    calls = [span["attributes"] for span in turn.spans if span["name"] == "tool_call"]
    results = [span["attributes"] for span in turn.spans if span["name"] == "tool_result"]
    assert {(each["tool_name"], each["tool_id"]) for each in calls} == {
        ("look", "look"),
        ("Task", "delegate"),
    }
    assert {each["tool_use_id"] for each in results} == {"look", "delegate"}
    assert all({"content_size", "is_error"} <= each.keys() for each in results)


@pytest.mark.proves("spans.fast_path_fallback")
def test_a_fast_answer_that_wanted_tools_leaves_its_note(trace: Trace) -> None:
    turn = trace("FALLBACK")
    assert turn.named("fast_path_fallback")["attributes"]["reason"].startswith("tool_use_detected")
    assert turn.names["conversation_iteration_1"] == 1
    assert {span["trace_id"] for span in turn.spans} == {turn.trace_id}


def test_the_reason_of_a_fallback_is_metadata_too(trace: Trace) -> None:
    assert leaked(trace("FALLBACK")) == {}


@pytest.mark.proves("spans.session_complete")
def test_a_turn_that_failed_has_a_whole_trace(trace: Trace) -> None:
    turn = trace("FAILED")
    assert turn.names[ROOT_SPAN] == 1
    assert turn.named("session_complete")["attributes"]["outcome"] == "failed"
    assert turn.events[-1] == "turn_finished"


def test_what_a_provider_quotes_in_its_error_is_not_in_the_trace(trace: Trace) -> None:
    assert leaked(trace("FAILED")) == {}


@pytest.mark.proves("settings.logfire_token")
def test_configuring_without_a_destination_sends_and_prints_nothing() -> None:
    program = (
        "from agent_core import tracing\n"
        "tracing.configure(token='')\n"
        "with tracing.turn_trace(turn='t') as trace_id:\n"
        "    tracing.note('query_started', length=3)\n"
        "assert len(trace_id) == 32 and int(trace_id, 16)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env={}, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.mark.proves("spans.trace_url")
def test_a_trace_has_an_address_where_the_project_is_known() -> None:
    url = trace_url("acme/bot", "0af7")
    assert url is not None
    assert url.startswith("https://logfire.pydantic.dev/acme/bot?")
    assert "0af7" in url


def test_a_trace_of_an_unknown_project_has_no_address() -> None:
    assert trace_url("", "0af7") is None
