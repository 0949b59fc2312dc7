"""Runs beside their parent: forked, waited for, brought in, and found again after a restart."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_core.errors import ModelRejected
from agent_core.events import (
    AnyEvent,
    ResultTaken,
    RunFinished,
    RunStarted,
    StepFinished,
    ToolCallFinished,
    TurnFinished,
    Usage,
)
from agent_core.loop.agent import Limits
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.subagents.children import MAX_AT_WORK
from agent_core.subagents.task import SubagentSpec
from agent_core.testing.models import Held, Line, ScriptedModel, call, calls_reply, text_reply
from agent_core.testing.runtimes import inbound, scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import Progress, ToolContext
from tests.agent_core.runtime.threads import TIMEOUT_S, begin, end_of, events_of, told, until

EXPLORER = SubagentSpec(
    name="explorer",
    description="Explores.",
    tools=("meet", "fork", "wait"),
    instructions="You EXPLORE. {{today}} {{workspace}}",
)
Decide = Callable[[ModelRequest, int], Line]
"""What an agent says to a request; the number is how often it has spoken."""


def fork(prompt: str, *, id: str) -> ToolCall:
    return call("fork", {"prompt": prompt}, id=id)


def tree(main: Decide, child: Decide, *, lines: int = 60) -> ScriptedModel:
    """One model for all runs, which tells them apart by what they were told."""

    def decide(request: ModelRequest) -> Line:
        spoken = sum(message.role == "assistant" for message in request.messages)
        return (child if "EXPLORE" in request.system else main)(request, spoken)

    return ScriptedModel([decide] * lines)


def task_of(request: ModelRequest) -> str:
    return request.messages[0].text


async def turn_events(
    root: Path, model: ScriptedModel, tools: FakeToolset | None = None, limits: Limits | None = None
) -> list[AnyEvent]:
    async with scripted_runtime(
        root, model=model, tools=tools, specs=[EXPLORER], limits=limits
    ) as runtime:
        return await events_of(runtime, await begin(runtime, inbound("continue")))


def last(events: list[AnyEvent]) -> TurnFinished:
    ended = events[-1]
    assert isinstance(ended, TurnFinished)
    return ended


def children(events: list[AnyEvent]) -> list[RunStarted]:
    return [event for event in events if isinstance(event, RunStarted) and event.parent]


@pytest.mark.proves("tree.fork", "tree.last_words")
async def test_forked_runs_work_beside_their_parent_which_ends_with_all_their_results(
    tmp_path: Path,
) -> None:
    met = asyncio.Barrier(3)

    async def meet(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        async with asyncio.timeout(TIMEOUT_S):
            await met.wait()
        return "met"

    def main(request: ModelRequest, spoken: int) -> Line:
        if spoken == 0:
            return [fork("North", id="n"), fork("South", id="s")]
        return call("meet", id="m") if spoken == 1 else ["I wait.", "All of it."][spoken - 2]

    def child(request: ModelRequest, spoken: int) -> Line:
        return f"Found in the {task_of(request)}." if spoken else call("meet", id="m")

    model = tree(main, child)
    events = await turn_events(tmp_path, model, FakeToolset({"meet": meet}))
    ids = [e.preview for e in events if isinstance(e, ToolCallFinished) and e.tool == "fork"]
    assert ids == [each.run for each in children(events)] == ["root.n", "root.s"]
    assert last(events).answer == "All of it."
    whole = told(model.requests[-1])
    for side, run in (("North", "root.n"), ("South", "root.s")):
        assert whole.count(f"Found in the {side}.") == 1
        assert f"Result of {run}:" in whole


@pytest.mark.proves("tree.arrives")
async def test_a_result_comes_as_soon_as_it_is_there_while_others_are_still_out(
    tmp_path: Path,
) -> None:
    slow = Held(then="Slow.")

    async def meet(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        await asyncio.sleep(0.02)  # work of the main run, until the result is there
        return "worked"

    def main(request: ModelRequest, spoken: int) -> Line:
        if spoken == 0:
            return [fork("quick", id="q"), fork("slow", id="s")]
        if "Result of root.q:\n\nQuick." not in told(request):
            return call("meet", id=f"m{spoken}")
        if not slow.release.is_set():
            slow.release.set()
            return "The quick one is back."
        return "Both."

    def child(request: ModelRequest, spoken: int) -> Line:
        return slow if task_of(request) == "slow" else "Quick."

    model = tree(main, child, lines=1_000)
    tools, limits = FakeToolset({"meet": meet}), Limits(max_steps=900)
    events = await turn_events(tmp_path, model, tools, limits)
    assert last(events).answer == "Both."
    assert told(model.requests[-1]).count("Quick.") == 1
    assert told(model.requests[-1]).count("Slow.") == 1


async def test_what_wait_gave_does_not_come_a_second_time(tmp_path: Path) -> None:
    def main(request: ModelRequest, spoken: int) -> Line:
        lines: list[Line] = [fork("it", id="i"), call("wait", {"id": "root.i"}, id="w"), "Done."]
        return lines[spoken]

    model = tree(main, lambda request, spoken: "Found it.")
    events = await turn_events(tmp_path, model)
    [given] = [e for e in events if isinstance(e, ToolCallFinished) and e.tool == "wait"]
    assert (given.preview, given.is_error) == ("Found it.", False)
    assert told(model.requests[-1]).count("Found it.") == 1
    assert [e.run for e in events if isinstance(e, ResultTaken)] == ["root.i"]


@pytest.mark.parametrize("id", ["root", "root.other", "elsewhere"])
async def test_a_run_waits_for_its_own_children_alone(tmp_path: Path, id: str) -> None:
    def main(request: ModelRequest, spoken: int) -> Line:
        lines: list[Line] = [fork("it", id="i"), call("wait", {"id": id}, id="w"), "Well.", "Done."]
        return lines[spoken]

    events = await turn_events(tmp_path, tree(main, lambda request, spoken: "Found it."))
    [given] = [e for e in events if isinstance(e, ToolCallFinished) and e.tool == "wait"]
    assert given.is_error
    assert "root.i" in given.preview


@pytest.mark.proves("tree.failure")
async def test_a_child_that_fails_is_a_result_and_its_parent_goes_on(tmp_path: Path) -> None:
    def main(request: ModelRequest, spoken: int) -> Line:
        lines: list[Line] = [[fork("good", id="g"), fork("bad", id="b")], "Wait.", "One of two."]
        return lines[spoken]

    def child(request: ModelRequest, spoken: int) -> Line:
        return ModelRejected("no") if task_of(request) == "bad" else "Good."

    model = tree(main, child)
    events = await turn_events(tmp_path, model)
    assert last(events).answer == "One of two."
    assert "root.b, which you started, failed. Its task: bad" in told(model.requests[-1])
    assert "Good." in told(model.requests[-1])


@pytest.mark.proves("tree.at_once")
async def test_so_many_runs_are_at_work_at_once_and_the_others_wait(tmp_path: Path) -> None:
    at_work, most = 0, 0
    full = asyncio.Event()

    async def meet(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        if at_work == MAX_AT_WORK:
            full.set()
        async with asyncio.timeout(TIMEOUT_S):
            await full.wait()
        await asyncio.sleep(0.02)  # whoever is let in too early shows
        at_work -= 1
        return "met"

    def main(request: ModelRequest, spoken: int) -> Line:
        forks = [fork(str(number), id=f"f{number}") for number in range(12)]
        return forks if spoken == 0 else ["I wait.", "All twelve."][spoken - 1]

    def child(request: ModelRequest, spoken: int) -> Line:
        return "Done." if spoken else call("meet", id="m")

    events = await turn_events(tmp_path, tree(main, child), FakeToolset({"meet": meet}))
    assert last(events).answer == "All twelve."
    assert most == MAX_AT_WORK
    assert len(children(events)) == 12


@pytest.mark.proves("tree.depth")
async def test_runs_go_three_levels_deep_and_who_waits_takes_no_place(tmp_path: Path) -> None:
    def grow(request: ModelRequest, spoken: int) -> Line:
        can_fork = "fork" in {tool.name for tool in request.tools}
        if spoken == 0 and can_fork:
            return [fork("deeper", id=str(number)) for number in range(3)]
        return "Leaf." if spoken == 0 else "Branch."

    model = tree(grow, grow, lines=200)
    events = await turn_events(tmp_path, model)
    depths = [event.run.count(".") for event in children(events)]
    assert [depths.count(depth) for depth in (1, 2, 3, 4)] == [3, 9, 27, 0]
    assert last(events).answer == "Branch."


@pytest.mark.proves("tree.limits")
async def test_limits_are_split_and_what_children_use_counts_for_their_parent(
    tmp_path: Path,
) -> None:
    huge = Usage(input_tokens=110_000)

    def main(request: ModelRequest, spoken: int) -> Line:
        if not request.may_call_tools:
            return "That is what there is."
        lines: list[Line] = [[fork("one", id="a"), fork("two", id="b")], "I wait.", call("meet")]
        return lines[spoken]

    def child(request: ModelRequest, spoken: int) -> Line:
        if not request.may_call_tools:
            return text_reply(f"{task_of(request)} came to its limit.", usage=Usage())
        return calls_reply(call("meet", id=f"m{spoken}"), usage=huge)

    async def meet(arguments: JsonObject, context: ToolContext, progress: Progress) -> str:
        return "met"

    model = tree(main, child)
    tools, limits = FakeToolset({"meet": meet}), Limits(max_tokens=300_000)
    events = await turn_events(tmp_path, model, tools, limits)
    ends = {event.run: event for event in events if isinstance(event, RunFinished)}
    assert {run: end.outcome for run, end in ends.items()} == dict.fromkeys(ends, "limited")
    steps = Counter(str(event.run) for event in events if isinstance(event, StepFinished))
    assert steps["root.a"] == 3, "two until half of the tokens is used, and the last words"
    assert steps["root.b"] == 2, "a third was left for it"
    assert "the limit of 300,000 tokens" in told(model.requests[-1]), "330,000 with its children"


async def test_with_too_little_left_nothing_is_started(tmp_path: Path) -> None:
    def main(request: ModelRequest, spoken: int) -> Line:
        return "Alone, then." if spoken else fork("one", id="a")

    model = tree(main, lambda request, spoken: "Never.")
    events = await turn_events(tmp_path, model, limits=Limits(max_tokens=30_000))
    assert children(events) == []
    assert last(events).answer == "Alone, then."


def combined(request: ModelRequest) -> Line:
    """The last words once both results are there, which may be at once or after a wait for them."""
    whole = told(request)
    return "Both." if "Quick." in whole and "Slow." in whole else "I wait."


ASK = call("ask_user", {"question": "Which year?"}, id="ask")


@pytest.mark.proves("tree.question")
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_children_go_on_while_the_turn_waits_for_a_person_and_are_there_afterwards(
    tmp_path: Path, is_restarted: bool
) -> None:
    slow = Held(then="Slow.")

    def main(request: ModelRequest, spoken: int) -> Line:
        lines: list[Line] = [[fork("quick", id="q"), fork("slow", id="s")], ASK]
        return lines[spoken] if spoken < len(lines) else combined(request)

    def child(request: ModelRequest, spoken: int) -> Line:
        if task_of(request) == "quick":
            return "Quick."
        return "Slow." if slow.release.is_set() else slow

    model = tree(main, child)
    async with scripted_runtime(tmp_path, model=model, specs=[EXPLORER]) as runtime:
        turn = await begin(runtime, inbound("continue"))
        async with asyncio.timeout(TIMEOUT_S):
            await slow.reached.wait()
        await until(runtime, turn, "waiting")
        if not is_restarted:
            await answer_question(runtime, slow)
            assert (await end_of(runtime, turn)).answer == "Both."
    if is_restarted:
        async with scripted_runtime(tmp_path, model=model, specs=[EXPLORER]) as runtime:
            await answer_question(runtime, slow)
            assert (await end_of(runtime, turn)).answer == "Both."
    whole = told(model.requests[-1])
    assert (whole.count("Quick."), whole.count("Slow.")) == (1, 1)


async def answer_question(runtime: Runtime, slow: Held) -> None:
    slow.release.set()
    await begin(runtime, inbound("2024", number=2))


@pytest.mark.proves("tree.restart")
@pytest.mark.parametrize("second_name", ["agent", "new"], ids=["replays", "from history"])
async def test_children_at_work_go_on_after_a_restart_and_no_result_is_lost_or_told_twice(
    tmp_path: Path, second_name: str
) -> None:
    slow, again = Held(then="Slow."), asyncio.Event()
    quick_is_known = asyncio.Event()

    def main(request: ModelRequest, spoken: int) -> Line:
        if "Quick." in told(request):
            quick_is_known.set()
        lines: list[Line] = [
            [fork("quick", id="q"), fork("slow", id="s")],
            call("wait", {"id": "root.q"}, id="w"),
        ]
        return lines[spoken] if spoken < len(lines) else combined(request)

    def child(request: ModelRequest, spoken: int) -> Line:
        if task_of(request) == "quick":
            return "Quick."
        return "Slow." if again.is_set() else slow

    model = tree(main, child)
    options: dict[str, Any] = {"model": model, "specs": [EXPLORER]}
    async with scripted_runtime(tmp_path, **options, main_name="agent") as runtime:
        turn = await begin(runtime, inbound("continue"))
        async with asyncio.timeout(TIMEOUT_S):
            await slow.reached.wait()
            await quick_is_known.wait()
    again.set()
    async with scripted_runtime(tmp_path, **options, main_name=second_name) as runtime:
        events = await events_of(runtime, turn)
    assert last(events).answer == "Both."
    whole = told(model.requests[-1])
    assert (whole.count("Quick."), whole.count("Slow.")) == (1, 1)
    assert sum(task_of(r) == "quick" for r in model.requests if "EXPLORE" in r.system) == 1


@pytest.mark.proves("tree.stop")
async def test_a_stop_ends_the_whole_tree(tmp_path: Path) -> None:
    slow = Held(then="Never.")
    model = tree(
        lambda request, spoken: fork("slow", id="s") if not spoken else "Wait.", lambda r, n: slow
    )
    async with scripted_runtime(tmp_path, model=model, specs=[EXPLORER]) as runtime:
        turn = await begin(runtime, inbound("continue"))
        async with asyncio.timeout(TIMEOUT_S):
            await slow.reached.wait()
        assert await runtime.stop(inbound("").session, "Ann")
        events = await events_of(runtime, turn)
    ends = {event.run: event.outcome for event in events if isinstance(event, RunFinished)}
    assert ends == {"root.s": "stopped", "root": "stopped"}
    assert last(events).outcome == "stopped"
