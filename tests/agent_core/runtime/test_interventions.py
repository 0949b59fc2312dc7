"""People step in at one branch of the work: it alone hears of it, ends, or is begun again."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from agent_core.errors import InterventionRefused
from agent_core.events import (
    AnyEvent,
    Intervened,
    InterventionKind,
    MessageTaken,
    RunFinished,
    TurnFinished,
)
from agent_core.ids import ROOT_RUN, AgentId, RunId, TurnId, agent_id
from agent_core.messages import ToolCall
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.sessions import EventLog, WriteBehind
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call, calls_reply
from agent_core.testing.tools import FakeToolset
from tests.agent_core.runtime.threads import (
    BEN,
    TIMEOUT_S,
    at_work,
    begin,
    end_of,
    events_of,
    look,
    seen,
    told,
)
from tests.agent_core.sessions.databases import opened
from tests.runtimes import inbound, scripted_runtime
from tests.scopes import START

EXPERT = "report-creation-expert"
LOOK = "mcp__local_toolkit__search_corpus"
SESSION = inbound("").session


def task(id: str) -> ToolCall:
    """The call that has a sub-agent work."""
    return call("Task", {"prompt": f"Note {id}.", "subagent_type": EXPERT}, id=id)


def child(turn: TurnId, call_id: str) -> AgentId:
    return agent_id(turn, RunId(f"{ROOT_RUN}.{call_id}"))


def ends(events: list[AnyEvent]) -> dict[str, tuple[str, str]]:
    """How each run ended."""
    return {e.run: (e.outcome, e.text) for e in events if isinstance(e, RunFinished)}


def again_of(events: list[AnyEvent]) -> str:
    """The run that the last intervention has begun again."""
    wished = [event.n for event in events if isinstance(event, Intervened)]
    return f"root.again-{wished[-1]}"


def by_run(**scripts: Sequence[ScriptLine]) -> ScriptedModel:
    """A model that goes on with the script of the run that asks: `root`, or a task's id."""
    lines = {name: iter(script) for name, script in scripts.items()}

    def pick(request: ModelRequest) -> ScriptLine:
        opening = request.messages[0].text
        name = next((name for name in lines if opening == f"Note {name}."), "root")
        return next(lines[name])

    return ScriptedModel([pick] * 20)


async def reached(*lines: Held) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        for line in lines:
            await line.reached.wait()


async def next_answer(runtime: Runtime, *, after: TurnId, nth: int = 1) -> str:
    """What the nth turn behind `after` is answered."""
    async with asyncio.timeout(TIMEOUT_S), aclosing(runtime.events(SESSION)) as events:
        async for _, event in events:
            if isinstance(event, TurnFinished) and event.turn != after:
                nth -= 1
                if nth == 0:
                    return event.answer
    raise AssertionError("no turn")


async def step_in(runtime: Runtime, agent: AgentId, kind: str, text: str = "") -> None:
    await runtime.intervene(SESSION, agent, kind, text, BEN, "Ben")  # type: ignore[arg-type]


async def elsewhere(
    root: Path, turn: TurnId, run: RunId, what: InterventionKind = "stop", text: str = ""
) -> None:
    """What another process does that is told to step in at a branch."""
    at: dict[str, Any] = {"session": SESSION, "turn": turn, "run": run, "at": START}
    at |= {"step": 0, "attempt": 1, "n": 100_001, "key": "of another process"}
    async with opened(f"sqlite:///{root}/state.sqlite") as database:
        behind = WriteBehind(database)
        behind.start()
        event = Intervened(**at, what=what, text=text, by=BEN, by_name="Ben")
        await EventLog(database, behind).append(event)
        await behind.close()


@pytest.mark.proves("branch.comment")
async def test_a_comment_reaches_one_branch_alone_before_its_next_step(tmp_path: Path) -> None:
    first, other = Held(then=call(LOOK, id="x")), Held(then="The other note.")
    model = by_run(root=[(task("a"), task("b")), "Both."], a=[first, "With Poland."], b=[other])
    tools = FakeToolset({LOOK: look})
    async with at_work(first.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await reached(other)
        await step_in(runtime, child(turn, "a"), "comment", "also include Poland")
        first.release.set()
        await seen(runtime, turn, "message_taken")
        other.release.set()
        events = await events_of(runtime, turn)
    heard = [request for request in model.requests if "also include Poland" in told(request)]
    assert [request.messages[0].text for request in heard] == ["Note a."]
    announced = [event for event in events if isinstance(event, Intervened)]
    assert [(e.run, e.what, e.by_name) for e in announced] == [("root.a", "comment", "Ben")]
    taken = [event for event in events if isinstance(event, MessageTaken)]
    assert [(e.run, e.author, e.text, e.intervention) for e in taken] == [
        ("root.a", BEN, "also include Poland", announced[0].n)
    ]


@pytest.mark.proves("branch.stop")
async def test_a_stop_ends_one_branch_and_its_parent_gets_what_it_had_found(tmp_path: Path) -> None:
    first, other = Held(then="(never said)"), Held(then="The other note.")
    model = by_run(root=[(task("a"), task("b")), "Both."], a=[first], b=[other])
    async with at_work(first.reached, tmp_path, model=model) as (runtime, turn):
        await reached(other)
        await step_in(runtime, child(turn, "a"), "stop")
        await seen(runtime, turn, "run_finished")
        other.release.set()
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("stopped", "This work was stopped by Ben.")
    assert ends(events)["root.b"] == ("answered", "The other note.")
    assert ends(events)[ROOT_RUN] == ("answered", "Both.")
    assert "This work was stopped by Ben." in told(model.requests[-1])


@pytest.mark.proves("branch.done")
@pytest.mark.parametrize(("given", "result"), [("It is 42.", "It is 42."), ("", "So far: 41.")])
async def test_a_branch_that_is_done_ends_as_answered_with_what_is_given_or_was_said(
    tmp_path: Path, given: str, result: str
) -> None:
    looks = calls_reply(call(LOOK, id="x"), text="So far: 41.")
    held = Held(then="(never said)")
    model = by_run(root=[task("a"), "Done."], a=[looks, held])
    tools = FakeToolset({LOOK: look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "done", given)
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("answered", f"(Ben marked this as done.)\n\n{result}")
    assert result in told(model.requests[-1])


@pytest.mark.proves("branch.retry")
async def test_a_branch_at_work_is_begun_again_with_its_changed_task_and_that_result_counts(
    tmp_path: Path,
) -> None:
    first = Held(then="(never said)")
    model = by_run(root=[task("a"), "I wait.", "Done."], a=[first], c=[call(LOOK, id="x"), "Of c."])
    tools = FakeToolset({LOOK: look})
    async with at_work(first.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "content", "Note c.")
        await step_in(runtime, child(turn, "a"), "retry")
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"][0] == "stopped"
    assert ends(events)[again_of(events)] == ("answered", "Of c.")
    assert ends(events)[ROOT_RUN] == ("answered", "Done.")
    assert "Of c." in told(model.requests[-1])
    assert [context.asker for context in tools.contexts] == [BEN], "it is his task now"


@pytest.mark.proves("branch.retry")
async def test_a_branch_that_has_ended_is_begun_again_while_its_parent_is_at_work(
    tmp_path: Path,
) -> None:
    held = Held(then=call("look"))
    model = by_run(root=[task("a"), held, "I wait.", "Done."], a=["First try.", "Second try."])
    tools = FakeToolset({"look": look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "retry")
        held.release.set()
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("answered", "First try.")
    assert ends(events)[again_of(events)] == ("answered", "Second try.")
    assert ends(events)[ROOT_RUN] == ("answered", "Done.")
    whole = told(model.requests[-1])
    assert "Ben, who watches your work, wants one part of it done again: root.a" in whole
    assert "Second try." in whole


@pytest.mark.proves("branch.late")
async def test_a_comment_that_came_with_the_last_word_of_a_branch_reaches_its_parent(
    tmp_path: Path,
) -> None:
    held = Held(then="Without Poland.")
    model = by_run(root=[task("a"), "With Poland."], a=[held])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "comment", "also include Poland")
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "With Poland."
    assert "Ben, who watches your work, said this to root.a" in told(model.requests[-1])
    assert "also include Poland" in told(model.requests[-1])


@pytest.mark.proves("branch.late", "branch.retry")
async def test_what_comes_too_late_for_the_whole_turn_begins_another_one(tmp_path: Path) -> None:
    held = Held(then="The end.")
    model = by_run(root=[task("a"), held, "Anew."], a=["Of a."])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "retry")
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "The end."
        assert await next_answer(runtime, after=turn) == "Anew."
        assert "Do this part of the work again: Note a." in told(model.requests[-1])


@pytest.mark.proves("branch.retry")
async def test_a_branch_of_a_turn_that_has_ended_and_a_whole_turn_are_begun_again(
    tmp_path: Path,
) -> None:
    model = by_run(root=[task("a"), "One.", "Two.", "Three."], a=["Of a."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await begin(runtime, inbound("continue with the list"))
        assert (await end_of(runtime, turn)).answer == "One."
        await step_in(runtime, child(turn, "a"), "retry")
        assert await next_answer(runtime, after=turn) == "Two."
        assert "Do this part of the work again: Note a." in told(model.requests[-1])
        await step_in(runtime, agent_id(turn, ROOT_RUN), "retry")
        assert await next_answer(runtime, after=turn, nth=2) == "Three."
        assert told(model.requests[-1]).endswith("continue with the list")


@pytest.mark.proves("branch.stop")
async def test_a_branch_ends_once_in_whatever_process_it_was_stopped(tmp_path: Path) -> None:
    held = Held(then="(never said)")
    model = by_run(root=[task("a"), "Done."], a=[held])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        await elsewhere(tmp_path, turn, RunId("root.a"))
        with pytest.raises(InterventionRefused, match="being ended"):
            await step_in(runtime, child(turn, "a"), "stop")
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("stopped", "This work was stopped by Ben.")


@pytest.mark.proves("branch.stop", "branch.late")
@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize(("name", "wish"), [("a", "comment"), ("b", "retry")])
async def test_only_what_comes_after_the_end_of_stopped_work_begins_a_turn(
    tmp_path: Path, name: str, wish: str, is_deleted: bool
) -> None:
    first = Held(then="(never said)")
    model = by_run(root=[(task("a"), task("b")), "With Malta."], a=[first], b=["Of b."])
    async with at_work(first.reached, tmp_path, model=model) as (runtime, turn):
        await seen(runtime, turn, "run_finished")
        await step_in(runtime, child(turn, name), wish, "include Poland")
        if is_deleted:
            await runtime.withdraw(inbound("continue").key)
        else:
            await runtime.stop(SESSION, "Ann")
        assert (await end_of(runtime, turn)).outcome == "stopped"
        await elsewhere(tmp_path, turn, RunId("root.a"), "comment", "and Malta")
        assert await next_answer(runtime, after=turn) == "With Malta."
    assert "and Malta" in told(model.requests[-1])
    for request in model.requests:
        assert "include Poland" not in told(request)
        assert "Do this part of the work again" not in told(request)


@pytest.mark.proves("branch.stop")
async def test_what_was_asked_of_a_branch_before_it_was_stopped_is_not_done_above(
    tmp_path: Path,
) -> None:
    first, other = Held(then="(never said)"), Held(then="Of b.")
    model = by_run(root=[(task("a"), task("b")), "Of b alone."], a=[first], b=[other])
    async with at_work(first.reached, tmp_path, model=model) as (runtime, turn):
        await reached(other)
        await step_in(runtime, child(turn, "a"), "comment", "include Poland")
        await step_in(runtime, child(turn, "a"), "stop")
        await seen(runtime, turn, "run_finished")
        other.release.set()
        assert (await end_of(runtime, turn)).answer == "Of b alone."
    assert "include Poland" not in told(model.requests[-1])


@pytest.mark.proves("branch.retry")
async def test_a_branch_whose_retry_is_pressed_twice_is_done_again_once(tmp_path: Path) -> None:
    held, again = Held(then=call("look")), Held(then="Second try.")
    model = by_run(
        root=[task("a"), held, "I wait.", "Done."], a=["First try.", again, "Third try."]
    )
    tools = FakeToolset({"look": look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        with pytest.RaisesGroup(pytest.RaisesExc(InterventionRefused, match="being done again")):
            async with asyncio.TaskGroup() as both:
                for _ in range(2):
                    both.create_task(step_in(runtime, child(turn, "a"), "retry"))
        await elsewhere(tmp_path, turn, RunId("root.a"), "retry")
        held.release.set()
        await reached(again)
        with pytest.raises(InterventionRefused, match="being done again"):
            await step_in(runtime, child(turn, "a"), "retry")
        again.release.set()
        events = await events_of(runtime, turn)
    assert [text for run, (_, text) in ends(events).items() if "again-" in run] == ["Second try."]


@pytest.mark.proves("branch.retry")
@pytest.mark.parametrize("run", ["root", "root.a"])
async def test_what_another_turn_does_again_is_done_once_at_a_time(
    tmp_path: Path, run: str
) -> None:
    held = Held(then="Two.")
    model = by_run(root=[task("a"), "One.", held, "Three."], a=["Of a."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await begin(runtime, inbound("continue with the list"))
        await end_of(runtime, turn)
        await step_in(runtime, agent_id(turn, RunId(run)), "retry")
        await reached(held)
        with pytest.raises(InterventionRefused, match="being done again"):
            await step_in(runtime, agent_id(turn, RunId(run)), "retry")
        held.release.set()
        assert await next_answer(runtime, after=turn) == "Two."
        await step_in(runtime, agent_id(turn, RunId(run)), "retry")
        assert await next_answer(runtime, after=turn, nth=2) == "Three."


@pytest.mark.proves("branch.restart", "branch.comment")
async def test_a_comment_survives_a_restart_and_so_does_whom_the_branch_acts_for(
    tmp_path: Path,
) -> None:
    tools = FakeToolset({LOOK: look})
    first, held = Held(then=call(LOOK, id="x")), Held(then="(never said)")
    model = by_run(root=[task("a")], a=[first, call(LOOK, id="y"), held])
    async with at_work(first.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await step_in(runtime, child(turn, "a"), "comment", "also include Poland")
        first.release.set()
        await reached(held)
        await step_in(runtime, child(turn, "a"), "comment", "and Malta")
    model = by_run(root=["Done."], a=[call(LOOK, id="z"), "With both."])
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        events = await events_of(runtime, turn)
    assert [context.asker for context in tools.contexts] == ["T1:U1", BEN, BEN]
    taken = [event.text for event in events if isinstance(event, MessageTaken)]
    assert taken == ["also include Poland", "and Malta"]
    last = next(r for r in reversed(model.requests) if r.messages[0].text == "Note a.")
    assert told(last).count("also include Poland") == told(last).count("and Malta") == 1


@pytest.mark.proves("branch.restart")
async def test_a_branch_that_was_to_end_when_the_process_died_does_not_go_on(
    tmp_path: Path,
) -> None:
    held = Held(then="(never said)")
    model = by_run(root=[task("a")], a=[held])
    async with at_work(held.reached, tmp_path, model=model) as (_, turn):
        pass
    await elsewhere(tmp_path, turn, RunId("root.a"))
    model = by_run(root=["Done."], a=[])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("stopped", "This work was stopped by Ben.")
    assert ends(events)[ROOT_RUN] == ("answered", "Done.")


@pytest.mark.proves("branch.unknown")
async def test_what_is_not_there_or_has_ended_cannot_be_stepped_in_at(tmp_path: Path) -> None:
    held = Held(then="Done.")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        for agent in (child(turn, "a"), AgentId("turn:none/root"), AgentId("nothing")):
            with pytest.raises(InterventionRefused, match="There is no such"):
                await step_in(runtime, agent, "stop")
        held.release.set()
        await end_of(runtime, turn)
        with pytest.raises(InterventionRefused, match="has ended"):
            await step_in(runtime, agent_id(turn, ROOT_RUN), "stop")


@pytest.mark.proves("branch.root")
async def test_a_comment_on_the_root_is_a_message_of_the_thread(tmp_path: Path) -> None:
    held = Held(then=call("look"))
    model = ScriptedModel([held, "With Poland."])
    tools = FakeToolset({"look": look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await step_in(runtime, agent_id(turn, ROOT_RUN), "comment", "also include Poland")
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "With Poland."
    assert "Ben wrote in the thread:\n\nalso include Poland" in told(model.requests[-1])


@pytest.mark.proves("branch.root")
@pytest.mark.parametrize(
    ("kind", "text", "outcome", "said"),
    [
        ("stop", "", "stopped", "Ben stopped this."),
        ("done", "It is 42.", "answered", "Marked as done by Ben.\n\nIt is 42."),
    ],
)
async def test_the_root_ends_as_stopped_or_as_done_with_what_it_has_said(
    tmp_path: Path, kind: str, text: str, outcome: str, said: str
) -> None:
    held = Held(then="(never said)")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        await step_in(runtime, agent_id(turn, ROOT_RUN), kind, text)
        end = await end_of(runtime, turn)
    assert end.outcome == outcome
    assert end.answer.startswith(said)
