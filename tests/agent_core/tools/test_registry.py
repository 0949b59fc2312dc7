"""What every call goes through, whichever toolset answers it."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agent_core.ids import RunId, TurnId, UserId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.testing.tools import FakeTool, FakeToolset, ignore_progress, tool_call
from agent_core.tools import Progress, ToolContext, ToolOutput, Toolset
from agent_core.tools.registry import Registry, RegistryLimits

START = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def say(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
    return str(arguments.get("text", "said"))


class Broken(FakeToolset):
    """Breaks the promise not to raise."""

    async def run(self, call: object, context: ToolContext, progress: Progress) -> ToolOutput:
        raise RuntimeError("insides")


class Gate:
    """A tool that counts who is inside and lets nobody out until it is opened."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self.inside = 0
        self.most = 0
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def enter(self, _: JsonObject, context: ToolContext, progress: Progress) -> str:
        self.inside += 1
        self.most = max(self.most, self.inside)
        if self.inside == self._awaited:
            self.reached.set()
        await self.opened.wait()
        self.inside -= 1
        return "out"


async def names(toolset: Toolset, context: ToolContext) -> list[str]:
    return [spec.name for spec in await toolset.specs(context)]


async def test_toolsets_are_merged_in_order_and_the_first_of_two_names_wins(
    context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = FakeToolset({"a": say, "b": say}), FakeToolset({"b": say, "c": say})
    registry = Registry([first, second])
    assert await names(registry, context) == ["a", "b", "c"]
    await registry.run(tool_call("b"), context, ignore_progress)
    await registry.run(tool_call("c"), context, ignore_progress)
    assert [call.name for call in first.calls] == ["b"]
    assert [call.name for call in second.calls] == ["c"]
    assert "second tool b" in caplog.text


async def test_what_one_turn_was_offered_is_nothing_to_another(context: ToolContext) -> None:
    class OnePersonsTools(FakeToolset):
        async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
            return await super().specs(context) if context.asker == "T1:ANN" else ()

    toolset = OnePersonsTools({"her_mail": say})
    registry = Registry([toolset])
    ann = replace(context, asker=UserId("T1:ANN"), turn=TurnId("of_ann"))
    bob = replace(context, asker=UserId("T1:BOB"), turn=TurnId("of_bob"))
    assert await names(registry, ann) == ["her_mail"]

    output = await registry.run(tool_call("her_mail"), bob, ignore_progress)

    assert output.text == "There is no tool her_mail. There are: none."
    assert toolset.calls == []


async def test_a_tool_offered_earlier_in_a_turn_stays_known_when_it_is_not_listed_any_more(
    context: ToolContext,
) -> None:
    class ListedOnce(FakeToolset):
        listings = 0

        async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
            self.listings += 1
            return await super().specs(context) if self.listings == 1 else ()

    toolset = ListedOnce({"a": say})
    registry = Registry([toolset])
    assert await names(registry, context) == ["a"]
    assert await names(registry, context) == []

    output = await registry.run(tool_call("a"), context, ignore_progress)

    assert output.text == "said"


async def test_a_turn_whose_offers_were_forgotten_is_asked_for_them_again(
    context: ToolContext,
) -> None:
    registry = Registry([FakeToolset({"a": say})], limits=RegistryLimits(max_remembered_turns=1))
    other = replace(context, turn=TurnId("other"))
    for one in (context, other, context):
        output = await registry.run(tool_call("a"), one, ignore_progress)
        assert output.text == "said"


async def test_an_unknown_name_is_answered_with_the_nearest(context: ToolContext) -> None:
    registry = Registry([FakeToolset({"mcp__web__search": say, "mcp__web__fetch": say})])
    output = await registry.run(tool_call("mcp__web__serch"), context, ignore_progress)
    assert output.is_error
    assert "Did you mean mcp__web__search" in output.text
    far = await registry.run(tool_call("zzz"), context, ignore_progress)
    assert "There are: mcp__web__search, mcp__web__fetch." in far.text


async def test_the_toolset_alone_decides_which_arguments_fit(context: ToolContext) -> None:
    """What is shown to the model may say less, or other, than what the toolset takes."""

    class Forgiving(FakeToolset):
        async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
            return ToolOutput(text="taken")

    schema: JsonObject = {"type": "object", "required": ["text"]}
    toolset = Forgiving({"a": FakeTool(run=say, input_schema=schema)})
    output = await Registry([toolset]).run(tool_call("a"), context, ignore_progress)
    assert output.text == "taken"


async def test_an_exception_is_a_value_with_a_reference_and_its_insides_are_only_logged(
    context: ToolContext, caplog: pytest.LogCaptureFixture
) -> None:
    registry = Registry([Broken({"a": say})])
    output = await registry.run(tool_call("a"), context, ignore_progress)
    assert output.is_error
    assert "insides" not in output.text
    reference = output.text.split("reference ")[1].rstrip(").")
    assert reference in caplog.text
    assert "insides" in caplog.text


async def test_outputs_are_stamped_by_the_clock(context: ToolContext) -> None:
    times: Iterator[datetime] = (START + timedelta(seconds=n) for n in range(9))
    registry = Registry([FakeToolset({"a": say})], now=lambda: next(times))
    output = await registry.run(tool_call("a"), context, ignore_progress)
    assert (output.started_at, output.finished_at) == (START, START + timedelta(seconds=1))


async def test_a_run_has_only_so_many_calls_at_a_time(context: ToolContext) -> None:
    gate = Gate(awaited=2)
    registry = Registry(
        [FakeToolset({"gate": gate.enter})], limits=RegistryLimits(max_parallel_calls=2)
    )
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for n in range(5):
            call = tool_call("gate", call_id=f"c{n}")
            group.create_task(registry.run(call, context, ignore_progress))
        await gate.reached.wait()
        gate.opened.set()
    assert gate.most == 2


async def test_a_child_run_does_not_wait_for_its_parents_places(context: ToolContext) -> None:
    child = replace(context, run=RunId("root.c1"))

    async def delegate(_: JsonObject, context: ToolContext, progress: Progress) -> str:
        return (await registry.run(tool_call("a", {"text": "below"}), child, progress)).text

    registry = Registry(
        [FakeToolset({"a": say, "delegate": delegate})], limits=RegistryLimits(max_parallel_calls=1)
    )
    async with asyncio.timeout(5):
        output = await registry.run(tool_call("delegate"), context, ignore_progress)
    assert output.text == "below"


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
    registry = Registry(
        [FakeToolset(dict.fromkeys(["mcp__fs__read", "mcp__fs__write", "Task"], say))]
    )
    assert await names(registry.restricted(patterns), context) == expected


async def test_a_restricted_toolset_does_not_run_what_it_does_not_show(
    context: ToolContext,
) -> None:
    toolset = FakeToolset({"read": say, "write": say})
    view = Registry([toolset]).restricted(["*", "!write"])
    output = await view.run(tool_call("write"), context, ignore_progress)
    assert output.is_error
    assert "There is no tool write" in output.text
    assert toolset.calls == []
    assert not (await view.run(tool_call("read"), context, ignore_progress)).is_error
