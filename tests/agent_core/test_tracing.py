"""One trace a turn, with the names of the description, and nothing of what was said in it."""

import asyncio
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agent_core.tracing import trace_url

PROGRAM = Path(__file__).with_name("trace_process.py")
ROOT_SPAN = "standalone_composio_test"
MARKER = re.compile(r"[A-Z]+MARKER")

pytestmark = pytest.mark.subprocess

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


async def traced(root: Path, kind: str) -> Traced:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAM),
        str(root),
        kind,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(60):
        output, _ = await process.communicate()
    assert process.returncode == 0
    return Traced(json.loads(output))


def leaked(turn: Traced) -> dict[str, set[str]]:
    """The words of the turn that a span carries, by the span's name."""
    found = {span["name"]: set(MARKER.findall(json.dumps(span))) for span in turn.spans}
    return {name: words for name, words in found.items() if words}


async def test_a_simple_turn_has_the_names_of_the_fast_path(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "SIMPLE")
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


async def test_a_complex_turn_has_the_names_of_the_loop_in_one_trace(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "COMPLEX")
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


async def test_the_spans_of_a_turn_lie_within_each_other(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "COMPLEX")
    root = turn.named(ROOT_SPAN)
    assert root["parent"] is None
    for name in ("query_started", "query_classification", "session_complete"):
        assert turn.parent(turn.named(name)) == ROOT_SPAN
    for span in turn.spans:
        if span["name"] in {"tool_call", "tool_result", "reasoning", "thinking"}:
            assert str(turn.parent(span)).startswith("conversation_iteration_")


async def test_nothing_that_was_said_is_in_the_trace(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "COMPLEX")
    assert leaked(turn) == {}


async def test_tool_spans_name_the_tool_and_the_size_of_its_result(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "COMPLEX")
    calls = [span["attributes"] for span in turn.spans if span["name"] == "tool_call"]
    results = [span["attributes"] for span in turn.spans if span["name"] == "tool_result"]
    assert {(each["tool_name"], each["tool_id"]) for each in calls} == {
        ("look", "look"),
        ("Task", "delegate"),
    }
    assert {each["tool_use_id"] for each in results} == {"look", "delegate"}
    assert all({"content_size", "is_error"} <= each.keys() for each in results)


async def test_a_fast_answer_that_wanted_tools_leaves_its_note(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "FALLBACK")
    assert turn.named("fast_path_fallback")["attributes"]["reason"].startswith("tool_use_detected")
    assert turn.names["conversation_iteration_1"] == 1
    assert {span["trace_id"] for span in turn.spans} == {turn.trace_id}


async def test_defect_the_reason_of_a_fallback_is_metadata_too(tmp_path: Path) -> None:
    assert leaked(await traced(tmp_path, "FALLBACK")) == {}


async def test_a_turn_that_failed_has_a_whole_trace(tmp_path: Path) -> None:
    turn = await traced(tmp_path, "FAILED")
    assert turn.names[ROOT_SPAN] == 1
    assert turn.named("session_complete")["attributes"]["outcome"] == "failed"
    assert turn.events[-1] == "turn_finished"


async def test_defect_what_a_provider_quotes_in_its_error_is_not_in_the_trace(
    tmp_path: Path,
) -> None:
    assert leaked(await traced(tmp_path, "FAILED")) == {}


async def test_configuring_without_a_destination_sends_and_prints_nothing() -> None:
    program = (
        "from agent_core import tracing\n"
        "tracing.configure(token='')\n"
        "with tracing.turn_trace(turn='t') as trace_id:\n"
        "    tracing.note('query_started', length=3)\n"
        "assert len(trace_id) == 32 and int(trace_id, 16)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        env={},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(60):
        output, _ = await process.communicate()
    assert (process.returncode, output) == (0, b"")


def test_a_trace_has_an_address_where_the_project_is_known() -> None:
    url = trace_url("acme/bot", "0af7")
    assert url is not None
    assert url.startswith("https://logfire.pydantic.dev/acme/bot?")
    assert "0af7" in url


def test_a_trace_of_an_unknown_project_has_no_address() -> None:
    assert trace_url("", "0af7") is None
