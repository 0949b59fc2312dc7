"""What a turn with a tool call leaves: its events in order, its log, and what observers kept."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent_core.events import LIVE_ONLY, AnyEvent
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext

TIMEOUT_S = 20
NEWS = "mcp__composio__COMPOSIO_SEARCH_NEWS"
MAIL = "mcp__composio__GMAIL_SEND_EMAIL"
FOUND = {"news_results": [{"title": "T", "link": "https://a.test/", "snippet": "S"}]}
REFUSED = {"error": "No connected account", "successful": False}


async def search(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
    return json.dumps({"data": FOUND, "successful": True})


async def send(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
    return json.dumps(REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What there is when the last event of a turn has come."""

    events: list[AnyEvent]
    workspace: Path
    model: ScriptedModel


async def turn_with(root: Path, tool: str) -> Left:
    model = ScriptedModel([call(tool), "That is it."])
    tools = FakeToolset({NEWS: search, MAIL: send})
    async with (
        asyncio.timeout(TIMEOUT_S),
        scripted_runtime(root, model=model, tools=tools) as runtime,
    ):
        turn = await runtime.handle(inbound("continue with it"))
        assert turn is not None
        events = [event async for _, event in runtime.events(turn)]
        workspace = await runtime.workspace(inbound("").session, inbound("").received_at)
    return Left(events=events, workspace=workspace, model=model)


@pytest.mark.proves("events.order")
async def test_a_turn_tells_its_events_in_order(tmp_path: Path) -> None:
    left = await turn_with(tmp_path, NEWS)
    assert [event.kind for event in left.events if not isinstance(event, LIVE_ONLY)] == [
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


@pytest.mark.proves("observers.kept")
async def test_what_observers_keep_is_there_when_the_turn_ends(tmp_path: Path) -> None:
    left = await turn_with(tmp_path, NEWS)
    [file] = (left.workspace / "search_results").iterdir()
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert [article["url"] for article in saved["articles"]] == ["https://a.test/"]


@pytest.mark.proves("run_log.written")
async def test_the_run_log_tells_request_tool_and_answer(tmp_path: Path) -> None:
    left = await turn_with(tmp_path, NEWS)
    lines = (left.workspace / "run.log").read_text(encoding="utf-8")
    assert "by Ann: continue with it" in lines
    assert f"tool {NEWS} finished" in lines
    assert "That is it." in lines


@pytest.mark.proves("trace.session_info.user_id", "trace.session_info.timestamp")
async def test_the_trace_says_who_asked_and_when(tmp_path: Path) -> None:
    left = await turn_with(tmp_path, NEWS)
    info = json.loads((left.workspace / "trace.json").read_text(encoding="utf-8"))["session_info"]
    assert info["user_id"] == "T1:U1"
    assert info["timestamp"] == "2026-11-21T09:01:00.000000"


@pytest.mark.proves("loop.structured_error")
async def test_a_structured_error_of_a_tool_reaches_the_model_as_it_is(tmp_path: Path) -> None:
    left = await turn_with(tmp_path, MAIL)
    [result] = left.model.requests[-1].messages[-1].parts
    assert result.kind == "tool_result"
    assert json.loads(result.text) == REFUSED
