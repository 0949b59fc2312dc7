"""Stop ends the work in whatever state it is; what was done is said, and it can go on later."""

import asyncio
from pathlib import Path

import pytest

from agent_core.events import RunFinished, TurnFinished
from agent_core.loop.agent import RunLimits
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime
from agent_core.sessions import Database, Stop, TurnQueue
from agent_core.testing.models import Held, ScriptedModel, call
from agent_core.testing.tools import FakeTool, FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.agent_core.runtime.threads import (
    at_work,
    begin,
    end_of,
    events_of,
    from_ben,
    look,
    told,
    waiting,
)
from tests.runtimes import inbound, scripted_runtime


class Gate:
    """A tool that is reached, and ends only when it is let through or cancelled."""

    def __init__(self) -> None:
        self.reached, self.release = asyncio.Event(), asyncio.Event()
        self.passed, self.cancelled = 0, 0

    async def run(self, arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        self.reached.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.passed += 1
        return "done"


async def stop(runtime: Runtime, number: int = 9) -> None:
    """Ben says stop; his message needs no answer of its own."""
    turn = await begin(runtime, from_ben("stop", number=number))
    end = await end_of(runtime, turn)
    assert (end.outcome, end.answer) == ("steered", "")


@pytest.mark.proves("stop.any_state", "stop.unsure")
async def test_stop_while_a_tool_works_ends_the_call_and_says_that_it_is_unsure(
    tmp_path: Path,
) -> None:
    gate = Gate()
    model = ScriptedModel([call("send")])
    tools = FakeToolset({"send": FakeTool(run=gate.run, is_repeatable=False)})
    async with at_work(gate.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await stop(runtime)
        end = await end_of(runtime, turn)
    assert (gate.passed, gate.cancelled) == (0, 1)
    assert "I cannot tell whether this was done: “send”." in end.answer


@pytest.mark.proves("stop.sub_agents", "stop.unsure")
async def test_stop_reaches_the_sub_agents_whose_reading_is_nothing_unsure(tmp_path: Path) -> None:
    gate = Gate()
    inner = "mcp__local_toolkit__search_corpus"
    tasks = [
        call("Task", {"prompt": p, "subagent_type": "report-creation-expert"}, id=p)
        for p in ("one", "two")
    ]
    model = ScriptedModel([tasks, call(inner, id="x"), call(inner, id="y")])
    tools = FakeToolset({inner: gate.run})
    async with at_work(gate.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await stop(runtime)
        events = await events_of(runtime, turn)
    outcomes = {e.run: e.outcome for e in events if isinstance(e, RunFinished)}
    assert set(outcomes.values()) == {"stopped"}
    assert gate.passed == 0
    [end] = [event for event in events if isinstance(event, TurnFinished)]
    assert end.answer.startswith("Ben stopped this.")
    assert "whether this was done" not in end.answer


@pytest.mark.proves("stop.behind")
async def test_stop_ends_what_waits_behind_it_and_continue_knows_of_it(tmp_path: Path) -> None:
    held = Held(then="unheard")
    model = ScriptedModel([held, "all of it"])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        queued = await begin(runtime, inbound("and Poland", number=2))
        spain = inbound("and Spain", number=3)
        await begin(runtime, spain)
        assert await runtime.withdraw(spain.key)
        await stop(runtime)
        end = await end_of(runtime, turn)
        assert end.outcome == "stopped"
        assert "Not looked at yet: “and Poland”." in end.answer
        assert (await end_of(runtime, queued)).outcome == "stopped"
        going_on = await begin(runtime, inbound("continue", number=10))
        assert (await end_of(runtime, going_on)).answer == "all of it"
    assert "and Poland" in told(model.requests[-1])
    assert "and Spain" not in told(model.requests[-1])


@pytest.mark.proves("stop.any_state")
async def test_stop_while_a_question_waits_for_its_answer(tmp_path: Path) -> None:
    model = ScriptedModel([call("ask_user", {"question": "Which one?"})])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await waiting(runtime, inbound("continue"))
        await stop(runtime)
        end = await end_of(runtime, turn)
    assert end.outcome == "stopped"
    assert end.answer.startswith("Ben stopped this.")


@pytest.mark.proves("stop.continue")
async def test_continue_after_a_stop_goes_on_with_what_was_done(tmp_path: Path) -> None:
    held = Held(then="unheard")
    model = ScriptedModel([call("look"), held, "All of it."])
    tools = FakeToolset({"look": look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await stop(runtime)
        await end_of(runtime, turn)
        more = await begin(runtime, inbound("continue", number=10))
        assert (await end_of(runtime, more)).answer == "All of it."
    assert "seen" in told(model.requests[-1])


@pytest.mark.proves("stop.surface")
@pytest.mark.parametrize("why", ["a word of the surface", "called off", "deleted"])
async def test_a_turn_can_be_stopped_without_a_message(tmp_path: Path, why: str) -> None:
    held, message = Held(then="unheard"), inbound("continue")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        if why == "a word of the surface":
            assert await runtime.stop(message.session, by="Cleo")
        else:
            assert await runtime.withdraw(message.key, by="Cleo" if why == "called off" else "")
        end = await end_of(runtime, turn)
        assert end.outcome == "stopped"
        assert ("deleted" in end.answer) == (why == "deleted")
        assert end.answer.startswith("Cleo stopped this.") == (why != "deleted")
        assert not await runtime.withdraw(message.key)
        assert not await runtime.stop(message.session, by="Cleo")


@pytest.mark.proves("stop.crash")
async def test_a_stop_that_was_ordered_before_a_crash_holds_after_it(tmp_path: Path) -> None:
    held = Held(then="unheard")
    async with at_work(held.reached, tmp_path, model=ScriptedModel([held])) as (runtime, turn):
        pass
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")
    await TurnQueue(database).stop(inbound("").session, Stop(by="Ann", why="asked"))
    await database.close()
    async with scripted_runtime(tmp_path, model=ScriptedModel([])) as runtime:
        end = await end_of(runtime, turn)
    assert end.outcome == "stopped"
    assert end.answer.startswith("Ann stopped this.")


@pytest.mark.proves("stop.any_state")
@pytest.mark.parametrize(
    "words", ["stop", "can you cancel this please", "das reicht, hör bitte auf damit"]
)
async def test_a_wish_to_stop_is_understood_in_whatever_words(tmp_path: Path, words: str) -> None:
    held = Held(then="unheard")
    classifier = ScriptedModel(["STOP"])
    model = ScriptedModel([held])
    async with at_work(held.reached, tmp_path, model=model, classifier=classifier) as (
        runtime,
        turn,
    ):
        wish = await begin(runtime, from_ben(words, number=9))
        end = await end_of(runtime, turn)
        assert (await end_of(runtime, wish)).answer == ""
    assert end.outcome == "stopped"
    assert end.answer.startswith("Ben stopped this.")
    assert "Reply “continue”" in end.answer
    assert model.aborted == 1


async def test_a_wish_to_stop_where_nothing_runs_says_so(tmp_path: Path) -> None:
    classifier = ScriptedModel(["STOP"])
    async with scripted_runtime(
        tmp_path, model=ScriptedModel([]), classifier=classifier
    ) as runtime:
        turn = await begin(runtime, inbound("can you cancel this please"))
        end = await end_of(runtime, turn)
    assert end.answer.startswith("I'm not working on anything here.")


async def crawl(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    page = '{"url": "https://a.test/", "status": "success", "title": "A page"}'
    return f'{{"successful": 1, "results": [{page}]}}'


READER = "mcp__local_toolkit__crawl_parallel"


@pytest.mark.proves("stop.answer_now")
async def test_after_a_stop_an_answer_can_be_had_of_what_was_found(tmp_path: Path) -> None:
    reading = Held(then="Never said.")
    model = ScriptedModel([call(READER), reading, "A page says so."])
    async with scripted_runtime(
        tmp_path, model=model, tools=FakeToolset({READER: crawl})
    ) as runtime:
        turn = await begin(runtime, inbound("continue"))
        await reading.reached.wait()
        await begin(runtime, inbound("stop", number=2))
        stopped = await end_of(runtime, turn)
        assert (stopped.outcome, stopped.has_findings) == ("stopped", True)
        now = await begin(runtime, inbound("Answer with what you have", number=3))
        end = await end_of(runtime, now)
    assert (end.outcome, end.answer.split("\n")[0]) == ("limited", "A page says so.")
    assert not model.requests[-1].may_call_tools
    assert "The work was stopped. Until then this was found" in told(model.requests[-1])
    assert "[A page](<https://a.test/>)" in told(model.requests[-1])


@pytest.mark.parametrize(
    ("said", "is_added"),
    [("Two of five are cheap.", True), ("They are: [A](https://a.test/).", False)],
)
async def test_a_limit_names_the_pages_that_were_read_unless_the_answer_does(
    tmp_path: Path, said: str, is_added: bool
) -> None:
    model, tools = ScriptedModel([call(READER), said]), FakeToolset({READER: crawl})
    async with scripted_runtime(
        tmp_path, model=model, tools=tools, limits=RunLimits(max_steps=1)
    ) as runtime:
        end = await end_of(runtime, await begin(runtime, inbound("continue")))
    pages = "\n\nFrom the pages I have read:\n\n- [A page](<https://a.test/>)"
    assert (end.outcome, end.answer) == ("limited", f"{said}{pages if is_added else ''}")
