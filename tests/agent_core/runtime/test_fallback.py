"""What becomes of a fast answer that wanted tools after all: nothing of it but the question."""

import asyncio
from pathlib import Path

import pytest

from agent_core.events import AnyEvent, ToolCallStarted
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call, calls_reply
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext

TIMEOUT_S = 20
QUESTION = "What is the weather in Tokyo?"


async def look(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
    return "seen"


async def fallen_back(root: Path, model: ScriptedModel, tools: FakeToolset) -> list[AnyEvent]:
    """The events of a turn whose fast answer guessed first and then asked for tools."""
    fast = ScriptedModel([calls_reply(call("use_tools"), call("look"), text="Let me guess: sun.")])
    async with (
        asyncio.timeout(TIMEOUT_S),
        scripted_runtime(
            root, model=model, fast=fast, classifier=ScriptedModel(["SIMPLE"]), tools=tools
        ) as runtime,
    ):
        turn = await runtime.handle(inbound(QUESTION))
        assert turn is not None
        return [event async for _, event in runtime.events(turn)]


@pytest.mark.proves("fast_path.same_question")
async def test_the_full_agent_gets_the_same_question_and_its_tools(tmp_path: Path) -> None:
    model = ScriptedModel(["Rain."])
    await fallen_back(tmp_path, model, FakeToolset({"look": look}))
    assert model.requests[0].messages[-1].text == QUESTION
    assert "look" in [tool.name for tool in model.requests[0].tools]


@pytest.mark.proves("fast_path.clean_transition")
async def test_words_of_the_fast_answer_are_not_in_the_history(tmp_path: Path) -> None:
    model = ScriptedModel(["Rain."])
    await fallen_back(tmp_path, model, FakeToolset({"look": look}))
    assert [message.text for message in model.requests[0].messages] == [QUESTION]


@pytest.mark.proves("fast_path.runs_nothing")
async def test_a_fast_answer_runs_no_tool_even_if_it_names_one(tmp_path: Path) -> None:
    tools = FakeToolset({"look": look})
    events = await fallen_back(tmp_path, ScriptedModel(["Rain."]), tools)
    assert tools.calls == []
    assert not [event for event in events if isinstance(event, ToolCallStarted)]
