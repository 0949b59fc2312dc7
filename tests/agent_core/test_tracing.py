"""One trace a turn, with the names of the description, and nothing of what was said in it."""

import asyncio
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from prometheus_client.parser import text_string_to_metric_families

from agent_core.tracing import trace_url
from tests.attacks.planted import leaks

PROGRAM = Path(__file__).with_name("trace_process.py")
ROOT_SPAN = "standalone_composio_test"
SECRET = "xoxb-1111-canary"
WITH_PASSWORD = "postgres://me:hush9hush@db.test/state"
EXPORTING = f"""
import asyncio, os
import httpx2, logfire
from pathlib import Path
from agent_core import trace_export, tracing
async def ask(place):
    async with httpx2.AsyncClient() as client:
        await client.get(os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] + place + '?key=of-the-query')
trace_export.configure(token='', file=Path('lines.jsonl'))
asyncio.run(ask('/before-any-turn'))
quoted = {{'quoted': 'it said {SECRET} aloud', 'at': '{WITH_PASSWORD}'}}
with tracing.turn_trace(turn='t', session='slack-thread', **quoted):
    asyncio.run(ask('/within-one'))
logfire.force_flush()
"""
MARKER = re.compile(r"[A-Z]+MARKER")

pytestmark = pytest.mark.process("tracing is set up once a process")

Span = dict[str, Any]


class Traced:
    """What the process left of its turn."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.spans: list[Span] = answer["spans"]
        self.trace_id: str = answer["trace_id"]
        self.events: list[str] = answer["events"]
        self.recorded: dict[str, Any] = answer["recorded"]
        """trace.json."""
        self.metrics: str = answer["metrics"]
        self.files: list[str] = answer["files"]
        """All records of the turn."""

    @property
    def names(self) -> Counter[str]:
        return Counter(span["name"] for span in self.spans)

    def named(self, name: str) -> Span:
        [span] = [span for span in self.spans if span["name"] == name]
        return span

    def parent(self, span: Span) -> str | None:
        names = {each["id"]: str(each["name"]) for each in self.spans}
        return names.get(span["parent"])


Trace = dict[str, Traced]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """By kind a turn of one process."""
    return traced(tmp_path_factory.mktemp("traced"))


def traced(root: Path, *wishes: str) -> Trace:
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), str(root), *wishes],
        capture_output=True,
        check=True,
        timeout=120,
    )
    return {kind: Traced(told) for kind, told in json.loads(ended.stdout).items()}


def leaked(turn: Traced) -> dict[str, set[str]]:
    """The words of the turn that a span carries, by the span's name."""
    found: dict[str, set[str]] = {}
    for span in turn.spans:
        found.setdefault(span["name"], set()).update(MARKER.findall(json.dumps(span)))
    return {name: words for name, words in found.items() if words}


@pytest.mark.proves("spans.query_started", "spans.query_classification", "spans.direct_answer")
def test_a_simple_turn_has_the_names_of_the_fast_path(trace: Trace) -> None:
    turn = trace["SIMPLE"]
    assert turn.names == Counter(
        {
            ROOT_SPAN: 1,
            "query_started": 1,
            "query_classification": 1,
            "chat scripted": 2,
            "direct_answer": 1,
            "session_complete": 1,
        }
    )
    assert turn.named("query_classification")["attributes"]["decision"] == "SIMPLE"


@pytest.mark.proves(
    "spans.root",
    "spans.conversation_iteration",
    "spans.thinking",
    "spans.compliance",
    "trace.trace_id",
)
def test_a_complex_turn_has_the_names_of_the_loop_in_one_trace(trace: Trace) -> None:
    turn = trace["COMPLEX"]
    assert turn.names == Counter(
        {
            ROOT_SPAN: 1,
            "query_started": 1,
            "query_classification": 1,
            "chat scripted": 4,
            "invoke_agent universal-agent": 1,
            "invoke_agent report-creation-expert": 1,
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
    turn = trace["COMPLEX"]
    root = turn.named(ROOT_SPAN)
    assert root["parent"] is None
    for name in ("query_started", "query_classification", "session_complete"):
        assert turn.parent(turn.named(name)) == ROOT_SPAN
    for span in turn.spans:
        if span["name"].startswith("conversation_iteration_"):
            assert str(turn.parent(span)).startswith("invoke_agent ")
        if span["name"] in {"tool_call", "reasoning", "thinking"}:
            assert str(turn.parent(span)).startswith("conversation_iteration_")
        if span["name"] == "tool_result":
            assert turn.parent(span) == "tool_call"
    assert turn.named("session_complete")["attributes"].items() >= {
        "outcome": "answered", "iterations": 2, "tool_calls": 2, "model_calls": 5
    }.items()  # fmt: skip
    assert turn.parent(turn.named("invoke_agent universal-agent")) == ROOT_SPAN
    assert turn.parent(turn.named("invoke_agent report-creation-expert")) == "tool_call"
    corrected = turn.named("subagent_compliance_message_injected")
    fallback = trace["FALLBACK"].named("fast_path_fallback")
    assert {each["attributes"]["logfire.level_num"] for each in (corrected, fallback)} == {13}


@pytest.mark.proves("spans.gen_ai")
def test_agents_model_calls_and_tools_have_the_names_of_the_genai_conventions(trace: Trace) -> None:
    operations = Counter[str]()
    for span in trace["COMPLEX"].spans:
        told = span["attributes"]
        operations[told.get("gen_ai.operation.name", "")] += 1
        match told.get("gen_ai.operation.name"):
            case "chat":
                assert span["name"] == f"chat {told['gen_ai.request.model']}"
                assert told["gen_ai.usage.input_tokens"] in {10, 97}, "the cached ones included"
                assert told["gen_ai.usage.output_tokens"] == 5
                assert told["gen_ai.response.time_to_first_chunk"] >= 0
            case "invoke_agent":
                assert span["name"] == f"invoke_agent {told['gen_ai.agent.name']}"
            case "execute_tool":
                assert told["gen_ai.tool.name"] == told["tool_name"]
                assert told["gen_ai.tool.call.id"] == told["tool_id"]
            case _:
                pass
    assert (operations["chat"], operations["invoke_agent"], operations["execute_tool"]) == (4, 2, 2)


@pytest.mark.proves("metrics.agree")
def test_spans_trace_json_and_metrics_of_a_turn_agree(trace: Trace) -> None:
    turn = trace["COMPLEX"]
    scraped = defaultdict[str, float](float)
    for family in text_string_to_metric_families(turn.metrics):
        for sample in family.samples:
            scraped[sample.name] += sample.value
            scraped[f"{sample.name} {sample.labels.get('kind', '')}"] += sample.value
    chats = [each["attributes"] for each in turn.spans if each["name"].startswith("chat ")]
    usage = turn.recorded["usage"]
    calls = len(turn.recorded["tool_calls"])
    assert calls == turn.names["tool_call"] == scraped["agent_tool_calls_total"] == 2
    assert usage["model_calls"] == scraped["agent_model_calls_total"] == 5
    assert len(chats) == 4, "the fast answer was called off before it began"
    spent = {
        kind: scraped[f"agent_model_tokens_total {kind}"]
        for kind in ("input", "output", "cache_read", "cache_write")
    }
    assert spent == {kind: usage[f"{kind}_tokens"] for kind in spent}
    kinds_of_spans = {"input": "input_tokens", "output": "output_tokens"}
    in_spans = {
        kind: sum(each[f"gen_ai.usage.{name}"] for each in chats)
        for kind, name in kinds_of_spans.items()
    }
    assert in_spans == {"input": spent["input"] + spent["cache_read"], "output": spent["output"]}
    assert usage["cost_usd"] == scraped["agent_model_cost_usd_total"] == 0.25
    assert turn.named("session_complete")["attributes"]["cost_usd"] == 0.25


@pytest.mark.proves("spans.one_trace")
def test_a_turn_that_waited_over_a_restart_goes_on_in_its_trace(trace: Trace) -> None:
    turn = trace["RESTARTED"]
    assert turn.names[ROOT_SPAN] == 2
    assert turn.events[-1] == "turn_finished"
    assert {span["trace_id"] for span in turn.spans} == {turn.trace_id}
    assert turn.names["session_complete"] == 1


@pytest.mark.parametrize("kind", ["SIMPLE", "COMPLEX", "FALLBACK", "FAILED"])
def test_nothing_that_was_said_or_quoted_is_in_the_trace(trace: Trace, kind: str) -> None:
    assert leaked(trace[kind]) == {}


@pytest.mark.proves("spans.content", "masking.doors")
def test_words_are_in_the_trace_only_where_the_operator_wants_them(
    trace: Trace, tmp_path: Path
) -> None:
    turn = traced(tmp_path, "with content")["COMPLEX"]
    told = turn.named("query_classification")["attributes"]
    assert told["raw_response"] == "COMPLEX"
    calls = [span["attributes"] for span in turn.spans if span["name"] == "tool_call"]
    previews = {each["tool_name"]: each["input_preview"] for each in calls}
    assert previews["look"].startswith('{"for": "ARGUMENTMARKER", "with": "xoxb-[masked] and')
    assert leaked(turn) == {
        "query_started": {"QUESTIONMARKER"},
        "tool_call": {"ARGUMENTMARKER", "QUESTIONMARKER"},
        "tool_result": {"RESULTMARKER", "TEXTMARKER"},
        "reasoning": {"TEXTMARKER"},
        "thinking": {"THINKINGMARKER"},
    }
    assert "RESULTMARKER ghp_[masked]" in str(turn.spans)
    assert leaks([turn.spans, turn.metrics, turn.files]) == []
    assert turn.named(ROOT_SPAN)["attributes"]["session"] == "T1:C1:1.000001"
    assert "raw_response" not in trace["COMPLEX"].named("query_classification")["attributes"]
    assert "ARGUMENTMARKER" not in str(trace["COMPLEX"].spans)


@pytest.mark.proves("spans.tool_call", "spans.tool_result")
def test_tool_spans_name_the_tool_and_the_size_of_its_result(trace: Trace) -> None:
    turn = trace["COMPLEX"]
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
    turn = trace["FALLBACK"]
    assert turn.named("fast_path_fallback")["attributes"]["reason"].startswith("tool_use_detected")
    assert turn.names["conversation_iteration_1"] == 1
    assert {span["trace_id"] for span in turn.spans} == {turn.trace_id}


@pytest.mark.proves("spans.session_complete")
def test_a_turn_that_failed_has_a_whole_trace(trace: Trace) -> None:
    turn = trace["FAILED"]
    assert turn.names[ROOT_SPAN] == 1
    assert turn.named("session_complete")["attributes"]["outcome"] == "failed"
    assert turn.events[-1] == "turn_finished"


@pytest.mark.proves("spans.mcp")
def test_an_mcp_request_has_a_span_of_the_turn_that_names_the_tool(trace: Trace) -> None:
    turn = trace["SEARCHED"]
    ours = [span for span in turn.spans if span["name"] == "mcp.request"]
    asked = {(s["attributes"]["server_name"], s["attributes"]["tool_name"]) for s in ours}
    assert asked == {("composio", "COMPOSIO_SEARCH_NEWS"), ("local_toolkit", "list_local_files")}
    [request] = [span for span in turn.spans if "tools/call list_local_files" in span["name"]]
    asked_of_us = turn.named("tools/call COMPOSIO_SEARCH_NEWS")  # the server's own, by `_meta`
    assert turn.parent(asked_of_us) == "MCP send tools/call COMPOSIO_SEARCH_NEWS"
    assert asked_of_us["trace_id"] == turn.trace_id
    assert turn.parent(request) == "mcp.request"
    assert {turn.parent(each) for each in ours} == {"tool_call"}
    assert request["attributes"]["mcp.method.name"] == "tools/call"
    assert request["trace_id"] == turn.named(ROOT_SPAN)["trace_id"]


@pytest.mark.proves("spans.observer_artifact_saved")
def test_an_artifact_of_an_observer_has_a_span_with_path_kind_and_size(trace: Trace) -> None:
    saved = trace["SEARCHED"].named("observer_artifact_saved")["attributes"]
    assert saved["path"].startswith("search_results/COMPOSIO_SEARCH_NEWS_")
    assert saved["type"] == "search_results"
    assert saved["size"] > 0


@pytest.mark.proves("spans.scrubbed", "spans.httpx", "spans.file")
async def test_a_secret_of_a_known_shape_and_an_address_are_not_sent(tmp_path: Path) -> None:
    sent: list[bytes] = []

    async def take(request: web.Request) -> web.Response:
        sent.append(await request.read())
        return web.Response()

    collector = web.Application()
    collector.router.add_post("/v1/traces", take)
    async with TestServer(collector) as server, asyncio.timeout(60):
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": str(server.make_url("")).rstrip("/")}
        command = (sys.executable, "-c", EXPORTING)
        process = await asyncio.create_subprocess_exec(*command, env=env, cwd=tmp_path)
        assert await process.wait() == 0
    received = b"".join(sent)
    assert b"standalone_composio_test" in received
    assert SECRET.encode() not in received
    assert b"slack-thread" in received
    assert b"Scrubbed" in received
    assert b"httpx.request" in received
    assert received.count(b"server.address") == 1, "outside of a turn a request is nobody's"
    assert b"127.0.0.1" in received
    assert b"within-one" not in received
    assert b"of-the-query" not in received
    file = tmp_path / "lines.jsonl"
    spans = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [span["name"] for span in spans] == ["httpx.request", "standalone_composio_test"]
    assert file.stat().st_mode & 0o077 == 0
    for secret in (SECRET, "hush9hush", "of-the-query"):
        assert secret not in file.read_text(encoding="utf-8")


@pytest.mark.proves("settings.logfire_token")
def test_configuring_without_a_destination_sends_and_prints_nothing() -> None:
    program = (
        "from agent_core import trace_export, tracing\n"
        "trace_export.configure(token='')\n"
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
    assert trace_url("", "0af7") is None
