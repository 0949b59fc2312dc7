"""What is written into a busy thread becomes part of its work, in order, by its author's rights."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.events import MessageTaken, TurnFinished
from agent_core.ids import ROOT_RUN
from agent_core.messages import Attachment, JsonObject, ToolCall
from agent_core.models import ModelRequest
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from tests.agent_core.runtime.threads import (
    ANN,
    BEN,
    answer,
    at_work,
    begin,
    end_of,
    events_of,
    from_ben,
    look,
    seen,
    told,
)
from tests.runtimes import inbound, scripted_runtime

TOO_LATE = "This came too late for what I posted above, so I answer it by itself."
INNER = "mcp__local_toolkit__search_corpus"


def task(id: str = "t") -> ToolCall:
    """The call that has a sub-agent work."""
    return call("Task", {"prompt": f"A note {id}.", "subagent_type": EXPERT}, id=id)


EXPERT = "report-creation-expert"


@pytest.mark.proves("inbox.reaches")
async def test_a_message_reaches_the_model_before_its_next_call(tmp_path: Path) -> None:
    held = Held(then=call("look"))
    model = ScriptedModel([held, "With Poland."])
    tools = FakeToolset({"look": look})
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        turn = await begin(runtime, inbound("continue with the list"))
        await held.reached.wait()
        second = await begin(runtime, inbound("also include Poland", number=2))
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "With Poland."
        assert "Ann wrote in the thread:\n\nalso include Poland" in told(model.requests[-1])
        taken = [e for e in await events_of(runtime, turn) if isinstance(e, MessageTaken)]
        assert [(event.taken, event.text) for event in taken] == [(second, "also include Poland")]
        steered = await end_of(runtime, second)
        assert (steered.outcome, steered.answer) == ("steered", "")


@pytest.mark.proves("inbox.order")
async def test_several_messages_arrive_in_their_order_and_each_once(tmp_path: Path) -> None:
    held, again = Held(then=call("look", id="a")), Held(then=call("look", id="b"))
    model = ScriptedModel([held, again, "Done."])
    async with at_work(held.reached, tmp_path, model=model, tools=FakeToolset({"look": look})) as (
        runtime,
        turn,
    ):
        for number, text in enumerate(("first", "second", "third"), start=2):
            await begin(runtime, inbound(text, number=number))
        held.release.set()
        await again.reached.wait()
        await begin(runtime, inbound("fourth", number=5))
        again.release.set()
        assert (await end_of(runtime, turn)).answer == "Done."
    whole = told(model.requests[-1])
    places = [
        whole.index(f"thread:\n\n{text}\n") for text in ("first", "second", "third", "fourth")
    ]
    assert places == sorted(places)
    assert all(whole.count(f"thread:\n\n{text}\n") == 1 for text in ("first", "second", "third"))


@pytest.mark.proves("inbox.author")
async def test_tools_act_for_whoever_wrote_last(tmp_path: Path) -> None:
    first, second = Held(then=call("look", id="a")), Held(then=call("look", id="b"))
    model = ScriptedModel([first, second, call("look", id="c"), "Done."])
    tools = FakeToolset({"look": look})
    async with at_work(first.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        first.release.set()
        await second.reached.wait()
        await begin(runtime, from_ben("and look in my mail, too", number=2))
        second.release.set()
        await end_of(runtime, turn)
    # Ben wrote while the second call was being asked for: that one is still Ann's.
    assert [context.asker for context in tools.contexts] == [ANN, ANN, BEN]
    assert "Ben wrote in the thread" in told(model.requests[-1])


@pytest.mark.proves("inbox.last_word")
async def test_a_message_that_comes_with_the_last_word_gets_an_answer_of_its_own(
    tmp_path: Path,
) -> None:
    held = Held(then="The answer.")
    model = ScriptedModel([held, "And the other."])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        second = await begin(runtime, inbound("continue with the other one", number=2))
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "The answer."
        assert (await end_of(runtime, second)).answer == f"{TOO_LATE}\n\nAnd the other."
        assert "too late" not in await answer(runtime, inbound("thanks", number=3))


@pytest.mark.proves("inbox.how_far")
async def test_how_far_are_you_tells_of_the_work_and_disturbs_nothing_of_it(tmp_path: Path) -> None:
    looking, go_on = asyncio.Event(), asyncio.Event()

    async def look_long(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        looking.set()
        await go_on.wait()
        return "seen"

    model = ScriptedModel([[call("look", id="a"), call("look", id="b")], "Done."])
    tools = FakeToolset({"look": look_long})
    async with at_work(looking, tmp_path, model=model, tools=tools) as (runtime, turn):
        await begin(runtime, inbound("also Poland", number=2))
        asked = await answer(runtime, from_ben("How far are you?", number=3))
        assert "To add something, just write" in asked
        assert "look" not in asked
        go_on.set()
        assert (await end_of(runtime, turn)).answer == "Done."
    assert "How far" not in told(model.requests[-1])


@pytest.mark.proves("inbox.restart")
async def test_what_steered_a_turn_is_not_answered_again_after_a_restart(tmp_path: Path) -> None:
    held = Held(then=call("look"))
    model = ScriptedModel([held, Held(then="unreachable")])
    tools = FakeToolset({"look": look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        second = await begin(runtime, inbound("also Poland", number=2))
        held.release.set()
        await seen(runtime, turn, "message_taken")
    again = ScriptedModel(["With Poland."])
    async with scripted_runtime(tmp_path, model=again, tools=tools) as runtime:
        finished = await end_of(runtime, turn)
        assert isinstance(finished, TurnFinished)
        assert finished.answer == "With Poland."
        assert (await end_of(runtime, second)).outcome == "steered"
    assert told(again.requests[0]).count("also Poland") == 1


async def test_a_question_is_not_asked_of_somebody_who_has_just_written(tmp_path: Path) -> None:
    ask = call("ask_user", {"question": "Feet or metres?"}, id="q")
    held = Held(then=ask)
    model = ScriptedModel([held, "In metres."])
    async with at_work(held.reached, tmp_path, model=model) as (runtime, turn):
        await begin(runtime, from_ben("in metres", number=2))
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "In metres."
        assert "question_asked" not in {e.kind for e in await events_of(runtime, turn)}
    assert "Not asked: somebody wrote" in told(model.requests[-1])
    assert "Ben wrote in the thread:\n\nin metres" in told(model.requests[-1])


async def test_people_read_the_words_of_a_message_and_the_model_all_that_came_with_it(
    tmp_path: Path,
) -> None:
    file = Attachment(name="n.csv", path="downloads/n.csv", mimetype="text/csv", size_bytes=3)
    held = Held(then=call("look"))
    model = ScriptedModel([held, "Done."])
    async with at_work(held.reached, tmp_path, model=model, tools=FakeToolset({"look": look})) as (
        runtime,
        turn,
    ):
        for number, text in ((2, "the figures"), (3, "")):
            message = replace(inbound(text, number=number), attachments=(file,))
            await begin(runtime, message)
        held.release.set()
        taken = [e for e in await events_of(runtime, turn) if isinstance(e, MessageTaken)]
    assert [event.text for event in taken] == ["the figures", "n.csv"]
    assert told(model.requests[-1]).count("downloads/n.csv (text/csv, 3 bytes)") == 2


@pytest.mark.proves("inbox.sub_agents")
async def test_a_message_reaches_the_sub_agent_at_work_and_then_the_agent_that_asked_it(
    tmp_path: Path,
) -> None:
    held = Held(then=call(INNER, id="a"))
    model = ScriptedModel([task(), held, call(INNER, id="b"), "The note.", "Done.", "And on."])
    tools = FakeToolset({INNER: look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        second = await begin(runtime, from_ben("also w2x", number=2))
        held.release.set()
        events = await events_of(runtime, turn)
        assert (await end_of(runtime, second)).outcome == "steered"
        await answer(runtime, inbound("continue", number=3))
    taken = [(e.run == ROOT_RUN, e.taken) for e in events if isinstance(e, MessageTaken)]
    assert taken == [(False, second), (True, second)]
    assert [context.asker for context in tools.contexts] == [ANN, BEN]
    of_child, of_root, of_next = model.requests[2], model.requests[4], model.requests[5]
    assert "Ben wrote in the thread:\n\nalso w2x" in told(of_child)
    assert [told(each).count("w2x") for each in model.requests] == [0, 0, 1, 1, 1, 1]
    assert f"at work ({EXPERT}) got this message, too" in told(of_root)
    assert told(of_next).index("w2x") < told(of_next).index("Done.")


@pytest.mark.proves("inbox.sub_agents")
async def test_all_sub_agents_at_work_get_a_message_each_once(tmp_path: Path) -> None:
    reached, release = asyncio.Event(), asyncio.Event()
    looking = 0

    async def wait(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        nonlocal looking
        looking += 1
        if looking == 2:
            reached.set()
        await release.wait()
        return "seen"

    def decide(request: ModelRequest) -> ScriptLine:
        whole = told(request)
        if "continue" in whole:
            return "Done." if "The note" in whole else [task("one"), task("two")]
        return "The note." if whole.count("seen") == 2 else call(INNER, id=f"{len(whole)}")

    model = ScriptedModel([decide] * 8)
    tools = FakeToolset({INNER: wait})
    async with at_work(reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await begin(runtime, from_ben("also w2x", number=2))
        release.set()
        events = await events_of(runtime, turn)
    heard = [event.run for event in events if isinstance(event, MessageTaken)]
    assert len(heard) == len(set(heard)) == 3
    assert max(told(request).count("w2x") for request in model.requests) == 1
    of_children = [told(r) for r in model.requests if "continue" not in told(r)]
    for note in ("one", "two"):
        assert ["w2x" in each for each in of_children if f"A note {note}" in each][-2:] == [
            True
        ] * 2


@pytest.mark.proves("inbox.restart")
async def test_what_a_sub_agent_had_taken_in_is_neither_lost_nor_doubled_by_a_restart(
    tmp_path: Path,
) -> None:
    held = Held(then=call(INNER, id="a"))
    model = ScriptedModel([task(), held, call(INNER, id="b"), Held(then="unreachable")])
    tools = FakeToolset({INNER: look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await begin(runtime, inbound("also w2x", number=2))
        held.release.set()
        await seen(runtime, turn, "message_taken")
        await seen(runtime, turn, "tool_call_finished", nth=2)
    again = ScriptedModel(["The note.", "Done."])
    async with scripted_runtime(tmp_path, model=again, tools=tools) as runtime:
        events = await events_of(runtime, turn)
    assert [told(request).count("w2x") for request in again.requests] == [1, 1]
    assert sum(isinstance(event, MessageTaken) for event in events) == 2


@pytest.mark.proves("inbox.sub_agents")
async def test_what_only_a_sub_agent_had_when_all_was_stopped_is_known_when_it_goes_on(
    tmp_path: Path,
) -> None:
    held = Held(then=call(INNER, id="a"))
    model = ScriptedModel([task(), held, Held(then="unreachable"), "Both done."])
    tools = FakeToolset({INNER: look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        await begin(runtime, inbound("also w2x", number=2))
        held.release.set()
        await seen(runtime, turn, "message_taken")
        assert await runtime.stop(inbound("").session, "Ann")
        assert (await end_of(runtime, turn)).outcome == "stopped"
        assert await answer(runtime, inbound("continue", number=3)) == "Both done."
    assert told(model.requests[-1]).count("w2x") == 1


@pytest.mark.proves("inbox.sub_agents")
async def test_a_sub_agent_gets_the_newest_words_and_nothing_that_was_taken_back(
    tmp_path: Path,
) -> None:
    held, last = Held(then=call(INNER, id="a")), Held(then="The note.")
    model = ScriptedModel([task(), held, last, "Done."])
    tools = FakeToolset({INNER: look})
    async with at_work(held.reached, tmp_path, model=model, tools=tools) as (runtime, turn):
        for number in (2, 3):
            await begin(runtime, inbound(f"also w{number}x", number=number))
        assert await runtime.revise(inbound("", number=2).key, "rather w2y")
        assert await runtime.withdraw(inbound("", number=3).key)
        held.release.set()
        await last.reached.wait()
        assert not await runtime.revise(inbound("", number=2).key, "no, w2z")
        assert not await runtime.withdraw(inbound("", number=2).key)
        last.release.set()
        await end_of(runtime, turn)
    for request in model.requests[2:]:
        assert "rather w2y" in told(request)
        assert not any(word in told(request) for word in ("w2x", "w2z", "w3x"))
