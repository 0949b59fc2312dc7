"""People step in at one branch of the work: it alone hears of it, ends, or is begun again."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_core.errors import InterventionRefused
from agent_core.events import AnyEvent, Intervened, MessageTaken, RunFinished
from agent_core.ids import ROOT_RUN, AgentId, RunId, TurnId, agent_id
from agent_core.messages import ToolCall
from agent_core.models import ModelRequest
from agent_core.runtime import Runtime
from agent_core.testing.models import Held, Line, ScriptedModel, call
from agent_core.testing.runtimes import inbound, scripted_runtime
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


def by_run(**scripts: Sequence[Line]) -> ScriptedModel:
    """A model that goes on with the script of the run that asks: `root`, or a task's id."""
    lines = {name: iter(script) for name, script in scripts.items()}

    def pick(request: ModelRequest) -> Line:
        opening = request.messages[0].text
        name = next((name for name in lines if opening == f"Note {name}."), "root")
        return next(lines[name])

    return ScriptedModel([pick] * 20)


async def reached(*lines: Held) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        for line in lines:
            await line.reached.wait()


async def step_in(runtime: Runtime, agent: AgentId, kind: str, text: str = "") -> None:
    await runtime.intervene(SESSION, agent, kind, text, BEN, "Ben")  # type: ignore[arg-type]


@pytest.mark.proves("branch.comment")
async def test_a_comment_reaches_one_branch_alone_before_its_next_step(tmp_path: Path) -> None:
    first, other = Held(then=call(LOOK, id="x")), Held(then="The other note.")
    model = by_run(root=[(task("a"), task("b")), "Both."], a=[first, "With Poland."], b=[other])
    tools = FakeToolset({LOOK: look})
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await reached(first, other)
        await step_in(runtime, child(turn, "a"), "comment", "also include Poland")
        first.release.set()
        await seen(runtime, turn, "message_taken")
        other.release.set()
        events = await events_of(runtime, turn)
    heard = [request for request in model.requests if "also include Poland" in told(request)]
    assert [request.messages[0].text for request in heard] == ["Note a."]
    taken = [event for event in events if isinstance(event, MessageTaken)]
    assert [(e.run, e.author, e.text, e.intervention) for e in taken] == [
        ("root.a", BEN, "also include Poland", 1)
    ]
    announced = [event for event in events if isinstance(event, Intervened)]
    assert [(e.run, e.what, e.by_name) for e in announced] == [("root.a", "comment", "Ben")]


@pytest.mark.proves("branch.comment")
async def test_tools_of_the_branch_act_for_whoever_commented(tmp_path: Path) -> None:
    first, second = Held(then=call(LOOK, id="x")), Held(then=call(LOOK, id="y"))
    model = ScriptedModel([task("a"), first, second, call(LOOK, id="z"), "Note.", "Done."])
    tools = FakeToolset({LOOK: look})
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await reached(first)
        await step_in(runtime, child(turn, "a"), "comment", "look there, too")
        first.release.set()
        second.release.set()
        await end_of(runtime, turn)
    assert [context.asker for context in tools.contexts] == ["T1:U1", BEN, BEN]


@pytest.mark.proves("branch.stop")
async def test_a_stop_ends_one_branch_and_its_parent_gets_what_it_had_found(tmp_path: Path) -> None:
    first, other = Held(then="(never said)"), Held(then="The other note.")
    model = by_run(root=[(task("a"), task("b")), "Both."], a=[first], b=[other])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await reached(first, other)
        await step_in(runtime, child(turn, "a"), "stop")
        await seen(runtime, turn, "run_finished")
        other.release.set()
        events = await events_of(runtime, turn)
    assert ends(events)["root.a"] == ("stopped", "This work was stopped by Ben.")
    assert ends(events)["root.b"] == ("answered", "The other note.")
    assert ends(events)[ROOT_RUN] == ("answered", "Both.")
    assert "This work was stopped by Ben." in told(model.requests[-1])


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
async def test_the_root_ends_as_stopped_or_as_done_with_what_it_has_said(tmp_path: Path) -> None:
    for number, (kind, text, outcome, said) in enumerate(
        (
            ("stop", "", "stopped", "Stopped, as Ben asked."),
            ("done", "It is 42.", "answered", "Marked as done by Ben.\n\nIt is 42."),
        ),
        start=1,
    ):
        held = Held(then="(never said)")
        async with scripted_runtime(tmp_path / kind, model=ScriptedModel([held])) as runtime:
            turn = await begin(runtime, inbound("continue", number=number))
            await reached(held)
            await step_in(runtime, agent_id(turn, ROOT_RUN), kind, text)
            end = await end_of(runtime, turn)
        assert end.outcome == outcome
        assert end.answer.startswith(said)
