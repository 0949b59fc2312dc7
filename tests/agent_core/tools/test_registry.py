"""What every call goes through, whichever toolset answers it."""

import asyncio
from dataclasses import replace

import pytest

from agent_core.ids import RunId
from agent_core.messages import JsonObject
from agent_core.testing.tools import FakeToolset, ignore_progress, tool_call
from agent_core.tools import (
    AgentTools,
    OnProgress,
    Registry,
    ToolContext,
    ToolOutput,
    fault_of_arguments,
    fault_of_schema,
    schema_for_model,
)
from agent_core.tools.search import FIND_TOOLS
from agent_core.tools.toolset import MAX_PARALLEL_CALLS


async def say(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    return str(arguments.get("text", "said"))


class Broken(FakeToolset):
    """Breaks the promise not to raise."""

    async def run(self, call: object, context: ToolContext, progress: OnProgress) -> ToolOutput:
        raise RuntimeError("insides")


class Gate:
    """A tool that counts who is inside and lets nobody out until it is opened."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self.inside = 0
        self.most = 0
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def enter(self, _: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.inside == self._awaited:
            self.reached.set()
        await self.opened.wait()
        self.inside -= 1
        return "out"


async def test_an_unknown_name_is_answered_with_the_nearest(context: ToolContext) -> None:
    registry = AgentTools(FakeToolset({"mcp__web__search": say, "mcp__web__fetch": say}))
    output = await registry.run(tool_call("mcp__web__serch"), context, ignore_progress)
    assert output.is_error
    assert "Did you mean mcp__web__search" in output.text
    far = await registry.run(tool_call("zzz"), context, ignore_progress)
    assert "There are: mcp__web__search, mcp__web__fetch." in far.text


async def test_an_exception_is_a_value_with_a_reference_and_its_insides_are_only_logged(
    context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    registry = Registry(Broken({"a": say}))
    output = await registry.run(tool_call("a"), context, ignore_progress)
    assert output.is_error
    assert "insides" not in output.text
    reference = output.text.split("reference ")[1].rstrip(").")
    assert reference in caplog.text
    assert "insides" in caplog.text


async def test_a_run_has_only_so_many_calls_at_a_time(context: ToolContext) -> None:
    gate = Gate(awaited=MAX_PARALLEL_CALLS)
    registry = Registry(FakeToolset({"gate": gate.enter}))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for n in range(MAX_PARALLEL_CALLS + 3):
            call = tool_call("gate", id=f"c{n}")
            group.create_task(registry.run(call, context, ignore_progress))
        await gate.reached.wait()
        gate.opened.set()
    assert gate.most == MAX_PARALLEL_CALLS


async def test_a_child_run_does_not_wait_for_its_parents_places(context: ToolContext) -> None:
    child = replace(context, run=RunId("root.c1"))
    at_work = asyncio.Barrier(MAX_PARALLEL_CALLS)

    async def delegate(_: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        await at_work.wait()
        return (await registry.run(tool_call("a", {"text": "below"}), child, progress)).text

    registry = Registry(FakeToolset({"a": say, "delegate": delegate}))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        running = [
            group.create_task(registry.run(tool_call("delegate"), context, ignore_progress))
            for _ in range(MAX_PARALLEL_CALLS)
        ]
    assert {each.result().text for each in running} == {"below"}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["*"], ["mcp__fs__read", "mcp__fs__write", "Task"]),
        (["mcp__fs__*"], ["mcp__fs__read", "mcp__fs__write"]),
        (["*", "!*write"], ["mcp__fs__read", "Task"]),
        (["!mcp__fs__read", "mcp__fs__read"], []),
        ([], []),
    ],
)
async def test_patterns_let_through_and_a_denial_wins(
    context: ToolContext, patterns: list[str], expected: list[str]
) -> None:
    names = ["mcp__fs__read", "mcp__fs__write", "Task"]
    tools = FakeToolset(dict.fromkeys(names, say))
    view = AgentTools(tools, patterns)
    specs = await view.specs(context)
    assert [spec.name for spec in specs] == [*expected, FIND_TOOLS]
    outputs = [await view.run(tool_call(name), context, ignore_progress) for name in names]
    assert [output.is_error for output in outputs] == [name not in expected for name in names]
    assert [call.name for call in tools.calls] == expected, "what is not shown does not run"


SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "urls": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "mode": {"enum": ["fast", "slow"]},
        "page": {"type": "object", "properties": {"size": {"type": "integer"}}},
    },
    "required": ["urls"],
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["urls", "required"]),
        ({"urls": "one"}, ["`urls`", "array"]),
        ({"urls": ["a", 7]}, ["`urls[1]`", "string"]),
        ({"urls": [], "mode": "medium"}, ["`mode`", "fast", "slow"]),
        ({"urls": [], "page": {"size": "big"}}, ["`page.size`", "integer"]),
    ],
)
def test_a_fault_names_the_field_and_what_it_wants(arguments: JsonObject, words: list[str]) -> None:
    fault = fault_of_arguments(arguments, SCHEMA)
    assert all(word in fault for word in words), fault


def test_arguments_that_fit_have_no_fault_and_further_ones_are_left_alone() -> None:
    assert fault_of_arguments({"urls": ["a"], "other": 1}, SCHEMA) == ""


def test_a_fault_is_short_however_long_the_wrong_value() -> None:
    fault = fault_of_arguments({"urls": "x" * 100_000}, SCHEMA)
    assert "`urls`" in fault
    assert len(fault) < 400


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$ref": "http://elsewhere.test/schema.json"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_used_finds_no_fault(schema: JsonObject) -> None:
    assert fault_of_arguments({"a": "x"}, schema) == ""


def test_a_schema_that_providers_refuse_is_told() -> None:
    assert "invalid" in fault_of_schema({"type": "object", "required": "a"})
    assert "$filter" in fault_of_schema({"type": "object", "properties": {"$filter": {}}})
    assert fault_of_schema(SCHEMA) == ""
    deep = SCHEMA
    for _ in range(90):
        deep = {"type": "object", "properties": {"a": deep}}
    assert "too deeply" in fault_of_schema(deep)


def test_the_model_is_shown_an_object_schema_without_alternatives_at_its_top() -> None:
    alternatives: JsonObject = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert schema_for_model(alternatives) == {"type": "object", "properties": {}}
    assert schema_for_model(SCHEMA) == SCHEMA
    assert fault_of_arguments({}, alternatives)
    assert not fault_of_arguments({"b": 1}, alternatives)
