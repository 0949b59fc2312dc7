"""The `Task` tool in real turns: child runs, bad calls, several at once."""

import asyncio
from pathlib import Path

import pytest

from agent_core.errors import ModelRejected
from agent_core.events import (
    AnyEvent,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
)
from agent_core.ids import ROOT_RUN, RunId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.subagents.task import SubagentSpec
from agent_core.testing.models import Line, ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext
from tests.agent_core.runtime.threads import TIMEOUT_S, begin, events_of, look

HELPER = SubagentSpec(
    name="helper",
    description="Helps.",
    tools=("meet", "look"),
    instructions="You are the HELPER. {{today}} {{workspace}}",
)


def task(prompt: str, *, id: str = "task_1", agent: str = "helper") -> ToolCall:
    return call("Task", {"description": "d", "prompt": prompt, "subagent_type": agent}, id=id)


async def turn_events(
    root: Path, model: ScriptedModel, tools: FakeToolset | None = None
) -> list[AnyEvent]:
    async with scripted_runtime(root, model=model, tools=tools, specs=[HELPER]) as runtime:
        return await events_of(runtime, await begin(runtime, inbound("continue")))


def ends_of_calls(events: list[AnyEvent]) -> list[ToolCallFinished]:
    return [event for event in events if isinstance(event, ToolCallFinished)]


def child_runs(events: list[AnyEvent]) -> list[RunStarted]:
    return [event for event in events if isinstance(event, RunStarted) and event.parent]


def answer(events: list[AnyEvent]) -> str:
    last = events[-1]
    assert isinstance(last, TurnFinished)
    return last.answer


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"prompt": "Help."},
        {"subagent_type": "helper"},
        {"prompt": 7, "subagent_type": "helper"},
        {"prompt": None, "subagent_type": "helper"},
        {"prompt": ["Help."], "subagent_type": "helper"},
        {"prompt": "  \n", "subagent_type": "helper"},
    ],
)
async def test_bad_arguments_are_a_result_that_the_model_sees(
    tmp_path: Path, arguments: JsonObject
) -> None:
    model = ScriptedModel([call("Task", arguments), "I could not delegate."])
    events = await turn_events(tmp_path, model)
    [end] = ends_of_calls(events)
    assert end.is_error
    assert "`prompt` and `subagent_type`" in end.preview
    assert child_runs(events) == []
    assert answer(events) == "I could not delegate."


async def test_an_unknown_agent_is_named_and_so_are_those_that_there_are(tmp_path: Path) -> None:
    model = ScriptedModel([task("Help.", agent="butler"), "No butler."])
    events = await turn_events(tmp_path, model)
    [end] = ends_of_calls(events)
    assert end.is_error
    assert "'butler'" in end.preview
    assert "helper" in end.preview
    assert child_runs(events) == []


async def test_an_argument_too_many_does_no_harm(tmp_path: Path) -> None:
    delegation = call(
        "Task", {"prompt": "Help.", "subagent_type": "helper", "model": "x", "resume": True}
    )
    events = await turn_events(tmp_path, ScriptedModel([delegation, "Helped.", "Thanks."]))
    assert [end.is_error for end in ends_of_calls(events)] == [False]


async def test_a_child_sees_its_prompt_and_nothing_of_the_conversation(tmp_path: Path) -> None:
    model = ScriptedModel([task("Help with this."), "Helped.", "Thanks."])
    await turn_events(tmp_path, model)
    child = model.requests[1]
    assert child.system.startswith("You are the HELPER. Saturday, 21 November 2026 ")
    assert [message.text for message in child.messages] == ["Help with this."]


@pytest.mark.proves("events.child_run")
async def test_a_child_s_events_carry_its_run_and_its_parent(tmp_path: Path) -> None:
    model = ScriptedModel([task("Help.", id="t1"), call("look"), "Helped.", "Thanks."])
    events = await turn_events(tmp_path, model, FakeToolset({"look": look}))
    [child] = child_runs(events)
    assert (child.run, child.parent, child.agent) == (RunId("root.t1"), ROOT_RUN, "helper")
    of_child = [event for event in events if event.run == child.run]
    assert of_child[0] == child
    assert [event.kind for event in of_child[-2:]] == ["run_finished", "result_taken"]
    assert [event.tool for event in of_child if isinstance(event, ToolCallStarted)] == ["look"]


async def test_a_child_that_fails_is_an_error_result_and_the_turn_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel([task("Help."), ModelRejected("no key"), "It failed."])
    events = await turn_events(tmp_path, model)
    [end] = ends_of_calls(events)
    assert end.is_error
    assert answer(events) == "It failed."


async def test_several_tasks_of_one_step_run_at_the_same_time(tmp_path: Path) -> None:
    met = asyncio.Barrier(2)
    prompts: dict[str, Line] = {"One.": call("meet", id="m"), "Two.": call("meet", id="m")}

    async def meet(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        async with asyncio.timeout(TIMEOUT_S):
            await met.wait()
        return f"met in {context.run}"

    def decide(request: ModelRequest) -> Line:
        first = request.messages[0].text
        if "HELPER" not in request.system:
            delegations = [task("One.", id="t1"), task("Two.", id="t2")]
            return delegations if len(request.messages) == 1 else "Both are back."
        return prompts[first] if len(request.messages) == 1 else f"{first} Done."

    model = ScriptedModel([decide] * 6)
    events = await turn_events(tmp_path, model, FakeToolset({"meet": meet}))
    assert {child.run for child in child_runs(events)} == {"root.t1", "root.t2"}
    results = {str(end.call_id): end.preview for end in ends_of_calls(events)}
    assert (results["t1"], results["t2"]) == ("One. Done.", "Two. Done.")
    assert answer(events) == "Both are back."


async def test_a_child_that_uses_its_parents_ids_keeps_its_long_results_apart(
    tmp_path: Path,
) -> None:
    async def flood(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        return f"of {context.run} " * 6_000

    first, again = call("look", id="c0"), call("look", id="c0")
    model = ScriptedModel([first, task("Help.", id="c1"), again, "Helped.", "Thanks."])
    await turn_events(tmp_path, model, FakeToolset({"look": flood}))
    assert long_results(tmp_path) == ["of root " * 6_000, "of root.c1 " * 6_000]


def long_results(root: Path) -> list[str]:
    return sorted(path.read_text(encoding="utf-8") for path in root.glob("*/tool_results/*"))
