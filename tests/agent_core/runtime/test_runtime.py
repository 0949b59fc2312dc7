"""Turns through the front door, with real storage and real DBOS."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.errors import ModelRejected, ModelUnavailable
from agent_core.events import (
    LIVE_ONLY,
    AnyEvent,
    CorrectionInjected,
    RouteChosen,
    RunFinished,
    RunStarted,
    StepRetried,
    TextDelta,
    TurnFinished,
)
from agent_core.messages import Attachment, InboundMessage, JsonObject
from agent_core.runtime import Runtime
from agent_core.testing.models import Cut, Held, ScriptedModel, call, calls_reply
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.agent_core.runtime.threads import begin, events_of, words
from tests.runtimes import inbound, scripted_runtime

TIMEOUT_S = 20


async def turn_events(runtime: Runtime, message: InboundMessage) -> list[AnyEvent]:
    return await events_of(runtime, await begin(runtime, message))


def ending(events: list[AnyEvent]) -> TurnFinished:
    last = events[-1]
    assert isinstance(last, TurnFinished)
    return last


def route(events: list[AnyEvent]) -> RouteChosen:
    [chosen] = [event for event in events if isinstance(event, RouteChosen)]
    return chosen


@pytest.mark.proves("fast_path.answers", "router.once")
async def test_a_simple_question_is_answered_without_the_loop(tmp_path: Path) -> None:
    model, fast, classifier = (
        ScriptedModel([]),
        ScriptedModel(["Paris."]),
        ScriptedModel(["SIMPLE"]),
    )
    async with scripted_runtime(tmp_path, model=model, fast=fast, classifier=classifier) as runtime:
        events = await turn_events(runtime, inbound("Capital of France?"))
    assert ending(events).answer == "Paris."
    assert route(events).route == "SIMPLE"
    assert not [event for event in events if isinstance(event, RunStarted)]
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "Paris."


@pytest.mark.proves("fast_path.dropped")
async def test_nothing_of_a_fast_answer_leaves_when_the_verdict_is_complex(tmp_path: Path) -> None:
    guess, verdict = Held(then="more of it"), Held(then="COMPLEX")
    fast, classifier = ScriptedModel([guess]), ScriptedModel([verdict])
    model = ScriptedModel(["Researched."])
    async with (
        scripted_runtime(tmp_path, model=model, fast=fast, classifier=classifier) as runtime,
        asyncio.TaskGroup() as group,
    ):
        turn = group.create_task(turn_events(runtime, inbound("Latest news?")))
        await guess.reached.wait()
        verdict.release.set()
        await turn
    events = turn.result()
    assert not [e for e in events if isinstance(e, TextDelta) and e.step == 0]
    assert fast.aborted == 1
    assert ending(events).answer == "Researched."


@pytest.mark.proves("router.rules_first", "router.assent_is_complex")
async def test_rules_decide_without_a_model_call(tmp_path: Path) -> None:
    model = ScriptedModel(["One.", "Two.", "Three."])
    classifier = ScriptedModel([])
    file = Attachment(name="a.log", path="downloads/a.log", mimetype="text/plain", size_bytes=3)
    messages = [
        inbound("continue", number=1),
        inbound("yes", number=2),
        replace(inbound("look", number=3), attachments=(file,)),
    ]
    async with scripted_runtime(tmp_path, model=model, classifier=classifier) as runtime:
        routes = [route(await turn_events(runtime, message)) for message in messages]
    assert [chosen.reason for chosen in routes] == ["continue", "continue", "attachment"]
    assert not classifier.requests


async def test_a_failure_is_told_plainly_with_a_reference_and_a_reply_to_it_is_complex(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([ModelRejected("invalid x-api-key sk-ant-123"), "Went on."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        failed = await turn_events(runtime, inbound("Research it", number=1))
        again = await turn_events(runtime, inbound("and?", number=2))
    last = ending(failed)
    assert last.outcome == "failed"
    assert [e.outcome for e in failed if isinstance(e, RunFinished)] == ["failed"]
    assert last.reference in last.answer
    assert "sk-ant" not in last.answer
    assert "x-api-key" not in last.answer
    assert route(again).reason == "unfinished_work"


@pytest.mark.proves("compliance.injected")
async def test_an_extracting_run_without_a_corpus_gets_the_correction(tmp_path: Path) -> None:
    task = call(
        "Task",
        {
            "description": "d",
            "prompt": "A comprehensive report.",
            "subagent_type": "report-creation-expert",
        },
    )
    model = ScriptedModel([task, "Here it is, from memory.", "Sorry."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        events = await turn_events(runtime, inbound("continue with it"))
    [injected] = [event for event in events if isinstance(event, CorrectionInjected)]
    assert injected.text in str(model.requests[-1].messages[-1])
    of_child = [event for event in events if event.run == injected.run]
    assert [event.kind for event in of_child[-3:]] == [
        "run_finished",
        "correction_injected",
        "result_taken",
    ]


@pytest.mark.parametrize("posts", ["", 'Ben (09:00): "see my link"'])
async def test_what_an_earlier_turn_read_from_outside_still_counts_in_the_next(
    tmp_path: Path, posts: str
) -> None:
    model = ScriptedModel(["They agreed.", "As I said."])
    first = replace(inbound("continue with it", number=1), background=posts)
    async with scripted_runtime(tmp_path, model=model) as runtime:
        for message in (first, inbound("continue", number=2)):
            assert ending(await turn_events(runtime, message)).is_tainted == bool(posts)


NEWS = "mcp__composio__COMPOSIO_SEARCH_NEWS"
MAIL = "mcp__composio__GMAIL_SEND_EMAIL"
FOUND = {"news_results": [{"title": "T", "link": "https://a.test/", "snippet": "S"}]}
REFUSED = {"error": "No connected account", "successful": False}


async def search(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return json.dumps({"data": FOUND, "successful": True})


async def send(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return json.dumps(REFUSED)


@pytest.mark.proves(
    "events.order",
    "observers.kept",
    "run_log.written",
    "trace.session_info.user_id",
    "trace.session_info.timestamp",
    "trace.written",
    "trace.one_a_turn",
)
async def test_a_turn_leaves_its_events_its_log_its_trace_and_what_observers_kept(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([call(NEWS, {"at": "it"}), "That is it.", "Again."])
    tools, message = FakeToolset({NEWS: search}), inbound("continue with it")
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        events = await turn_events(runtime, message)
        workspace = await runtime.workspace(message.session, message.received_at)
        trace = json.loads((workspace / "trace.json").read_text(encoding="utf-8"))
        lines = (workspace / "run.log").read_text(encoding="utf-8")
        await turn_events(runtime, inbound("continue", number=2))
    assert [event.kind for event in events if not isinstance(event, LIVE_ONLY)] == [
        "turn_started",
        "route_chosen",
        "run_started",
        "step_started",
        "step_finished",
        "tool_call_started",
        "tool_call_finished",
        "step_started",
        "step_finished",
        "run_finished",
        "turn_finished",
    ]
    [file] = (workspace / "search_results").iterdir()
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert [article["url"] for article in saved["articles"]] == ["https://a.test/"]
    for told_there in ("by Ann: continue with it", f"tool {NEWS} finished", "That is it."):
        assert told_there in lines
    assert trace["session_info"]["user_id"] == "T1:U1"
    assert trace["session_info"]["timestamp"] == "2026-11-21T09:01:00.000000"
    assert trace["query"] == "continue with it"
    assert trace["tool_calls"][0]["input"] == {"at": "it"}
    assert trace["tool_calls"][0]["input_preview"] == '{"at": "it"}'
    assert [path.suffix for path in (workspace / "traces").iterdir()] == [".json"]
    summary = (workspace / "summary.txt").read_text(encoding="utf-8")
    assert summary.count("Execution summary") == 2


@pytest.mark.proves("loop.structured_error")
async def test_a_structured_error_of_a_tool_reaches_the_model_as_it_is(tmp_path: Path) -> None:
    model, tools = ScriptedModel([call(MAIL), "That is it."]), FakeToolset({MAIL: send})
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        await turn_events(runtime, inbound("continue with it"))
    [result] = model.requests[-1].messages[-1].parts
    assert result.kind == "tool_result"
    assert json.loads(result.text) == REFUSED


@pytest.mark.proves(
    "fast_path.falls_back",
    "fast_path.fallback_event",
    "fast_path.no_interruption",
    "fast_path.same_question",
    "fast_path.clean_transition",
    "fast_path.runs_nothing",
)
async def test_of_a_fast_answer_that_wanted_tools_nothing_stays_but_the_question(
    tmp_path: Path,
) -> None:
    model, tools = ScriptedModel(["Looked up: rain."]), FakeToolset({NEWS: search})
    escape = call("use_tools", {"reason": "weather now"})
    fast = ScriptedModel([calls_reply(escape, call(NEWS), text="Let me guess: sun.")])
    classifier = ScriptedModel(["SIMPLE"])
    async with scripted_runtime(
        tmp_path, model=model, fast=fast, classifier=classifier, tools=tools
    ) as runtime:
        events = await turn_events(runtime, inbound("Weather?"))
    assert "weather now" in route(events).fallback
    assert route(events).route == "COMPLEX"
    assert ending(events).answer == "Looked up: rain."
    [request] = model.requests
    assert [words(message) for message in request.messages] == ["Weather?"]
    assert NEWS in [tool.name for tool in request.tools]
    assert tools.calls == []
    assert not [event for event in events if event.kind == "tool_call_started"]


@pytest.mark.proves("fast_path.streams")
async def test_words_of_a_fast_answer_that_broke_off_are_void(tmp_path: Path) -> None:
    fast = ScriptedModel([Cut(text="Half a ", error=ModelUnavailable("cut")), "The whole."])
    model, classifier = ScriptedModel([]), ScriptedModel(["SIMPLE"])
    async with scripted_runtime(tmp_path, model=model, classifier=classifier, fast=fast) as runtime:
        events = await turn_events(runtime, inbound("Capital of France?"))
    assert ending(events).answer == "The whole."
    [again] = [event for event in events if isinstance(event, StepRetried)]
    told = [e for e in events if isinstance(e, TextDelta) and e.attempt == again.attempt]
    assert "".join(event.text for event in told) == "The whole."
