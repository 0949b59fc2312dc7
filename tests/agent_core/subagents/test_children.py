"""Runs beside their parent: delegated, forked, waited for, brought in, found after a restart."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_core.durable import Steps
from agent_core.errors import ChildRefused, ModelRejected
from agent_core.events import (
    AnyEvent,
    ResultTaken,
    RunFinished,
    RunStarted,
    StepFinished,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    Usage,
)
from agent_core.ids import ROOT_RUN
from agent_core.loop.agent import ChildResult, RunLimits, RunScope
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.programs.run_python import first_answers
from agent_core.sessions import Database, EventLog, Inbox, WriteBehind
from agent_core.subagents.children import CHILD_REQUEST, CHILD_RESULT, MAX_AT_WORK, ChildRuns
from agent_core.subagents.task import SubagentSpec
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call, calls_reply, text_reply
from agent_core.testing.steps import RecordedSteps
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.agent_core.runtime.threads import (
    TIMEOUT_S,
    at_work,
    begin,
    end_of,
    events_of,
    look,
    told,
    until,
)
from tests.agent_core.sessions.databases import opened
from tests.runtimes import inbound, scripted_runtime
from tests.scopes import SteppingClock, Surroundings

EXPLORER = SubagentSpec(
    name="explorer",
    description="Explores.",
    tools=("meet", "look", "fork", "wait"),
    instructions="You EXPLORE. {{today}} {{workspace}}",
)


class Beside(NamedTuple):
    scope: RunScope
    granted: list[RunLimits]


Decide = Callable[[ModelRequest, int], ScriptLine]
"""What an agent says to a request; the number is how often it has spoken."""


def task(prompt: str, *, id: str = "task_1", **more: object) -> ToolCall:
    return call("Task", {"prompt": prompt, "subagent_type": "explorer", **more}, id=id)


def fork(prompt: str, *, id: str) -> ToolCall:
    return call("fork", {"prompt": prompt}, id=id)


def wait(run: str) -> ToolCall:
    return call("wait", {"id": run}, id="w")


def scripted(*lines: ScriptLine) -> Decide:
    """Says these, one after the other."""
    return lambda request, spoken: lines[spoken]


def tree(main: Decide, child: Decide, *, lines: int = 60) -> ScriptedModel:
    """One model for all runs, which tells them apart by what they were told."""

    def decide(request: ModelRequest) -> ScriptLine:
        spoken = sum(message.role == "assistant" for message in request.messages)
        return (child if "EXPLORE" in request.system else main)(request, spoken)

    return ScriptedModel([decide] * lines)


def task_of(request: ModelRequest) -> str:
    return request.messages[0].text


async def turn_events(
    root: Path,
    model: ScriptedModel,
    tools: FakeToolset | None = None,
    limits: RunLimits | None = None,
) -> list[AnyEvent]:
    async with scripted_runtime(
        root, model=model, tools=tools, specs=[EXPLORER], limits=limits
    ) as runtime:
        return await events_of(runtime, await begin(runtime, inbound("continue")))


def last(events: Sequence[AnyEvent]) -> TurnFinished:
    ended = events[-1]
    assert isinstance(ended, TurnFinished)
    return ended


def children(events: Sequence[AnyEvent]) -> list[RunStarted]:
    return [event for event in events if isinstance(event, RunStarted) and event.parent]


def ends_of(events: Sequence[AnyEvent], tool: str) -> list[ToolCallFinished]:
    return [e for e in events if isinstance(e, ToolCallFinished) and e.tool == tool]


NEEDED = "`prompt` and `subagent_type`"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, NEEDED),
        ({"prompt": "Help."}, NEEDED),
        ({"prompt": ["Help."], "subagent_type": "explorer"}, NEEDED),
        ({"prompt": "  \n", "subagent_type": "explorer"}, NEEDED),
        ({"prompt": "x" * 20_001, "subagent_type": "explorer"}, NEEDED),
        ({"prompt": "Help.", "subagent_type": "butler"}, "'butler'; there are ['explorer']"),
    ],
)
async def test_bad_arguments_are_a_result_that_the_model_sees(
    tmp_path: Path, arguments: JsonObject, said: str
) -> None:
    model = ScriptedModel([call("Task", arguments), "I could not delegate."])
    events = await turn_events(tmp_path, model)
    [end] = ends_of(events, "Task")
    assert end.is_error
    assert said in end.preview
    assert children(events) == []
    assert last(events).answer == "I could not delegate."


@pytest.mark.proves("events.child_run", "loop.delegates")
async def test_a_delegated_run_sees_its_prompt_alone_and_its_events_carry_run_and_parent(
    tmp_path: Path,
) -> None:
    delegation = task("Help with this.", id="t1", model="x", resume=True)
    model = ScriptedModel([delegation, call("look"), "Helped.", "Thanks."])
    events = await turn_events(tmp_path, model, FakeToolset({"look": look}))
    first = model.requests[1]
    assert first.system.startswith("You EXPLORE. Saturday, 21 November 2026 ")
    assert [message.text for message in first.messages] == ["Help with this."]
    [child] = children(events)
    assert (child.run, child.parent, child.agent) == ("root.t1", ROOT_RUN, "explorer")
    assert child.task == "Help with this."
    of_child = [event for event in events if event.run == child.run]
    assert of_child[0] == child
    assert [event.kind for event in of_child[-2:]] == ["run_finished", "result_taken"]
    assert [event.tool for event in of_child if isinstance(event, ToolCallStarted)] == ["look"]
    assert [end.is_error for end in ends_of(events, "Task")] == [False]
    assert last(events).answer == "Thanks."


async def test_a_child_that_uses_its_parents_ids_keeps_its_long_results_apart(
    tmp_path: Path,
) -> None:
    async def flood(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        return f"of {context.run} " * 6_000

    first, again = call("look", id="c0"), call("look", id="c0")
    model = ScriptedModel([first, task("Help.", id="c1"), again, "Helped.", "Thanks."])
    await turn_events(tmp_path, model, FakeToolset({"look": flood}))
    assert long_results(tmp_path) == ["of root " * 6_000, "of root.c1 " * 6_000]


def long_results(root: Path) -> list[str]:
    return sorted(path.read_text(encoding="utf-8") for path in root.glob("*/tool_results/*"))


def meeting(runs: int) -> FakeToolset:
    """A tool that ends once so many runs use it at the same time."""
    met = asyncio.Barrier(runs)

    async def meet(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        async with asyncio.timeout(TIMEOUT_S):
            await met.wait()
        return "met"

    return FakeToolset({"meet": meet})


@pytest.mark.proves("tree.fork", "tree.last_words")
async def test_forked_runs_work_beside_their_parent_which_ends_with_all_their_results(
    tmp_path: Path,
) -> None:
    def child(request: ModelRequest, spoken: int) -> ScriptLine:
        return f"Found in the {task_of(request)}." if spoken else call("meet", id="m")

    forks = [fork("North", id="n"), fork("South", id="s")]
    main = scripted(forks, call("meet", id="m"), "I wait.", "All of it.")
    model = tree(main, child)
    events = await turn_events(tmp_path, model, meeting(3))
    ids = [end.preview for end in ends_of(events, "fork")]
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
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")

    async def work(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        for _ in range(2_000):
            if await Inbox(database).rows(context.turn, "result"):
                return "worked"
            await asyncio.sleep(0.01)
        raise AssertionError("the quick one's result never came")

    def main(request: ModelRequest, spoken: int) -> ScriptLine:
        if spoken == 0:
            return [fork("quick", id="q"), fork("slow", id="s")]
        if spoken == 1:
            return call("meet", id="m")
        if spoken == 2:
            assert "Result of root.q:\n\nQuick." in told(request)
            slow.release.set()
            return "The quick one is back."
        return "Both."

    def child(request: ModelRequest, spoken: int) -> ScriptLine:
        return slow if task_of(request) == "slow" else "Quick."

    model = tree(main, child)
    events = await turn_events(tmp_path, model, FakeToolset({"meet": work}))
    await database.close()
    assert last(events).answer == "Both."
    assert told(model.requests[-1]).count("Quick.") == 1
    assert told(model.requests[-1]).count("Slow.") == 1


async def test_what_wait_gave_does_not_come_a_second_time(tmp_path: Path) -> None:
    model = tree(scripted(fork("it", id="i"), wait("root.i"), "Done."), scripted("Found it."))
    events = await turn_events(tmp_path, model)
    [given] = ends_of(events, "wait")
    assert (given.preview, given.is_error) == ("Found it.", False)
    assert told(model.requests[-1]).count("Found it.") == 1
    assert [e.run for e in events if isinstance(e, ResultTaken)] == ["root.i"]


@pytest.mark.parametrize("id", ["root", "root.other", "elsewhere"])
async def test_a_run_waits_for_its_own_children_alone(tmp_path: Path, id: str) -> None:
    main = scripted(fork("it", id="i"), wait(id), "Well.", "Done.")
    events = await turn_events(tmp_path, tree(main, scripted("Found it.")))
    [given] = ends_of(events, "wait")
    assert given.is_error
    assert "root.i" in given.preview


@pytest.mark.proves("tree.failure")
async def test_a_child_that_fails_is_a_result_and_its_parent_goes_on(tmp_path: Path) -> None:
    def child(request: ModelRequest, spoken: int) -> ScriptLine:
        return ModelRejected("no") if task_of(request) == "bad" else "Good."

    forks = [fork("good", id="g"), fork("bad", id="b")]
    model = tree(scripted(forks, task("bad"), "One of two.", "One of two."), child)
    events = await turn_events(tmp_path, model)
    assert last(events).answer == "One of two."
    assert [end.is_error for end in ends_of(events, "Task")] == [True]
    assert "root.b, which you started, failed. Its task: bad" in told(model.requests[-1])
    assert "Good." in told(model.requests[-1])


STEPS_BESIDE = 5
"""Steps of the main run, as long as which a run that was let in too early would have to show."""


@pytest.mark.proves("tree.at_once")
async def test_so_many_runs_are_at_work_at_once_and_the_others_wait(tmp_path: Path) -> None:
    at_work = most = 1  # the main run, until it waits
    full, may_end = asyncio.Event(), asyncio.Event()

    async def meet(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        if at_work == MAX_AT_WORK:
            full.set()
        async with asyncio.timeout(TIMEOUT_S):
            await may_end.wait()
        at_work -= 1
        return "met"

    async def step(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        nonlocal at_work
        async with asyncio.timeout(TIMEOUT_S):
            await full.wait()
        if arguments["number"] == STEPS_BESIDE:
            at_work -= 1
            may_end.set()
        return "done"

    def main(request: ModelRequest, spoken: int) -> ScriptLine:
        if spoken == 0:
            return [fork(str(number), id=f"f{number}") for number in range(12)]
        if spoken <= STEPS_BESIDE:
            return call("step", {"number": spoken}, id=f"s{spoken}")
        return "All twelve." if told(request).count("Done.") == 12 else "I wait."

    model = tree(main, scripted(call("meet", id="m"), "Done."))
    events = await turn_events(tmp_path, model, FakeToolset({"meet": meet, "step": step}))
    assert last(events).answer == "All twelve."
    assert most == MAX_AT_WORK
    assert len(children(events)) == 12


@pytest.mark.proves("tree.depth")
async def test_runs_go_three_levels_deep_and_who_waits_takes_no_place(tmp_path: Path) -> None:
    def grow(request: ModelRequest, spoken: int) -> ScriptLine:
        can_fork = "fork" in {tool.name for tool in request.tools}
        if spoken == 0 and can_fork:
            return [fork("deeper", id=str(number)) for number in range(3)]
        return "Leaf." if spoken == 0 else "Branch."

    limits = RunLimits(max_tokens=30_000_000)
    events = await turn_events(tmp_path, tree(grow, grow, lines=200), limits=limits)
    depths = [event.run.count(".") for event in children(events)]
    assert [depths.count(depth) for depth in (1, 2, 3, 4)] == [3, 9, 27, 0]
    assert last(events).answer == "Branch."


@pytest.mark.proves("tree.limits")
async def test_limits_are_split_and_what_children_use_counts_for_their_parent(
    tmp_path: Path,
) -> None:
    huge = Usage(input_tokens=60_000)

    def main(request: ModelRequest, spoken: int) -> ScriptLine:
        if not request.may_call_tools:
            return "That is what there is."
        waits = text_reply("I wait.", usage=Usage(input_tokens=130_000))
        lines: list[ScriptLine] = [[fork("one", id="a"), fork("two", id="b")], waits, call("look")]
        return lines[spoken]

    def child(request: ModelRequest, spoken: int) -> ScriptLine:
        if not request.may_call_tools:
            return text_reply(f"{task_of(request)} came to its limit.", usage=Usage())
        return calls_reply(call("look", id=f"m{spoken}"), usage=huge)

    model = tree(main, child)
    tools, limits = FakeToolset({"look": look}), RunLimits(max_tokens=300_000)
    events = await turn_events(tmp_path, model, tools, limits)
    ends = {event.run: event for event in events if isinstance(event, RunFinished)}
    assert {run: end.outcome for run, end in ends.items()} == dict.fromkeys(ends, "limited")
    steps = Counter(str(event.run) for event in events if isinstance(event, StepFinished))
    assert steps["root.a"] == 3, "two until a quarter of the tokens is used, and the last words"
    assert steps["root.b"] == 2, "a quarter of the rest was left for it"
    assert not model.requests[-1].may_call_tools, "310,000 tokens with its children"


@asynccontextmanager
async def running(root: Path, seats: asyncio.Semaphore) -> AsyncGenerator[Beside]:
    """A run at work with children that use all that they are granted."""
    granted: list[RunLimits] = []

    async def child(_: Steps, payload: object) -> JsonObject:
        started, limits, _generation = CHILD_REQUEST.validate_python(payload)
        granted.append(limits)
        run, task, tokens = started.run, started.task, limits.max_tokens
        if task == "endless":
            await asyncio.Event().wait()
        result = ChildResult(run=run, task=task, text="Found.", tokens=tokens)
        return CHILD_RESULT.dump_python(result, mode="json")

    around = Surroundings(workspace=root, clock=SteppingClock(step=timedelta(minutes=1)))
    scope = around.scope()
    async with opened(f"sqlite:///{root}/state.sqlite") as database:
        behind = WriteBehind(database)
        behind.start()
        children = ChildRuns(
            scope.context,
            scope.left,
            steps=RecordedSteps(child=child),
            log=EventLog(database, behind),
            inbox=Inbox(database),
            clock=around.clock,
            seats=seats,
        )
        async with asyncio.timeout(TIMEOUT_S), children.at_work():
            yield Beside(replace(scope, children=children), granted)
        await behind.close()


@pytest.mark.proves("tree.limits")
async def test_what_is_granted_within_one_step_is_never_more_than_there_is(tmp_path: Path) -> None:
    async with running(tmp_path, asyncio.Semaphore(MAX_AT_WORK)) as beside:
        await fork_and_wait(beside.scope, 50)
        all_of_it = beside.scope.left
    assert 4 < len(beside.granted) < 50, "then too few tokens are left"
    assert sum(each.max_tokens for each in beside.granted) <= all_of_it.max_tokens
    times = [each.max_duration_s for each in beside.granted]
    assert times == sorted(times, reverse=True)
    assert times[-1] < times[0] / 2, "waiting takes of the run's own time"


async def fork_and_wait(scope: RunScope, times: int) -> None:
    with suppress(ChildRefused):
        for number in range(times):
            await scope.children.wait(await scope.fork(f"f{number}", "quick"))


@pytest.mark.proves("tree.at_once")
async def test_a_run_that_goes_on_at_the_first_of_several_results_has_its_place_again(
    tmp_path: Path,
) -> None:
    places = asyncio.Semaphore(1)
    async with running(tmp_path, places) as beside:
        runs = [await beside.scope.fork(task, task) for task in ("quick", "endless")]
        answers = await first_answers(dict(enumerate(runs)), beside.scope)
        assert answers == {0: {"return_value": "Found."}}
        assert places.locked()
    assert not places.locked()


async def test_with_too_little_left_nothing_is_started(tmp_path: Path) -> None:
    model = tree(scripted(fork("one", id="a"), "Alone, then."), scripted("Never."))
    events = await turn_events(tmp_path, model, limits=RunLimits(max_tokens=30_000))
    assert children(events) == []
    assert last(events).answer == "Alone, then."


QUICK_AND_SLOW = [fork("quick", id="q"), fork("slow", id="s")]


def both(second: ScriptLine, slow: Held, quick_is_known: asyncio.Event) -> ScriptedModel:
    """A run that forks two, does something, and ends when both results are there."""

    def main(request: ModelRequest, spoken: int) -> ScriptLine:
        whole = told(request)
        if "Quick." in whole:
            quick_is_known.set()
        lines: list[ScriptLine] = [QUICK_AND_SLOW, second]
        if spoken < len(lines):
            return lines[spoken]
        return "Both." if "Quick." in whole and "Slow." in whole else "I wait."

    def child(request: ModelRequest, spoken: int) -> ScriptLine:
        if task_of(request).startswith("quick"):  # the answer may have come along
            return "Quick."
        return "Slow." if slow.release.is_set() else slow

    return tree(main, child)


@pytest.mark.proves("tree.question")
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_children_go_on_while_the_turn_waits_for_a_person_and_are_there_afterwards(
    tmp_path: Path, is_restarted: bool
) -> None:
    slow = Held(then="Slow.")
    ask = call("ask_user", {"question": "Which year?"}, id="ask")
    options: dict[str, Any] = {"model": both(ask, slow, asyncio.Event()), "specs": [EXPLORER]}
    async with at_work(slow.reached, tmp_path, **options) as (runtime, turn):
        await until(runtime, turn, "waiting")
        if not is_restarted:
            slow.release.set()
            await begin(runtime, inbound("2024", number=2))
            assert (await end_of(runtime, turn)).answer == "Both."
    if is_restarted:
        slow.release.set()
        async with scripted_runtime(tmp_path, **options) as runtime:
            await begin(runtime, inbound("2024", number=2))
            assert (await end_of(runtime, turn)).answer == "Both."
    whole = told(options["model"].requests[-1])
    assert (whole.count("Quick."), whole.count("Slow.")) == (1, 1)


@pytest.mark.proves("tree.restart")
@pytest.mark.parametrize("second_name", ["agent", "new"], ids=["replays", "from history"])
async def test_children_at_work_go_on_after_a_restart_and_no_result_is_lost_or_told_twice(
    tmp_path: Path, second_name: str
) -> None:
    slow, quick_is_known = Held(then="Slow."), asyncio.Event()
    model = both(wait("root.q"), slow, quick_is_known)
    options: dict[str, Any] = {"model": model, "specs": [EXPLORER]}
    async with at_work(slow.reached, tmp_path, **options, main_name="agent") as (_, turn):
        async with asyncio.timeout(TIMEOUT_S):
            await quick_is_known.wait()
    slow.release.set()
    async with scripted_runtime(tmp_path, **options, main_name=second_name) as runtime:
        assert (await end_of(runtime, turn)).answer == "Both."
    whole = told(model.requests[-1])
    assert (whole.count("Quick."), whole.count("Slow.")) == (1, 1)
    assert sum(task_of(r) == "quick" for r in model.requests if "EXPLORE" in r.system) == 1


@pytest.mark.proves("tree.stop")
async def test_a_stop_ends_the_whole_tree(tmp_path: Path) -> None:
    slow = Held(then="Never.")
    model = tree(scripted(fork("slow", id="s"), "Wait."), scripted(slow))
    options: dict[str, Any] = {"model": model, "specs": [EXPLORER]}
    async with at_work(slow.reached, tmp_path, **options) as (runtime, turn):
        assert await runtime.stop(inbound("").session, "Ann")
        events = await events_of(runtime, turn)
    ends = {event.run: event.outcome for event in events if isinstance(event, RunFinished)}
    assert ends == {"root.s": "stopped", "root": "stopped"}
    assert last(events).outcome == "stopped"
