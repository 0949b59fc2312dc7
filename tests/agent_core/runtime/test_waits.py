"""A question ends the workflow; its answer, a week and a deploy later, goes on from there."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_core.events import MessageTaken, QuestionAsked
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.tools import FakeToolset
from tests.agent_core.runtime.threads import (
    ANN,
    begin,
    end_of,
    events_of,
    from_ben,
    look,
    seen,
    told,
    until,
    waiting,
)
from tests.runtimes import inbound, scripted_runtime

SENT = "Saturday, 21 November 2026, 09:02 UTC (the author's time zone is not known)"
ASK = call("ask_user", {"question": "Which year?", "options": ["2025", "2026"]}, id="q")


@pytest.mark.proves("waits.answer")
async def test_the_answer_becomes_the_result_of_the_call(tmp_path: Path) -> None:
    model = ScriptedModel([[call("look", id="a"), ASK], "Then 2026."])
    async with scripted_runtime(
        tmp_path, model=model, tools=FakeToolset({"look": look})
    ) as runtime:
        turn = await begin(runtime, inbound("continue"))
        asked = await seen(runtime, turn, "question_asked")
        assert isinstance(asked, QuestionAsked)
        assert (asked.question, asked.options) == ("Which year?", ("2025", "2026"))
        assert asked.asker == ANN
        await until(runtime, turn, "waiting")
        reply = await begin(runtime, inbound("2", number=2))
        assert (await end_of(runtime, turn)).answer == "Then 2026."
        assert (await end_of(runtime, reply)).outcome == "steered"
        taken = [e for e in await events_of(runtime, turn) if isinstance(e, MessageTaken)]
        assert [event.text for event in taken] == ["2"]
    results = [p for p in model.requests[-1].messages[-1].parts if p.kind == "tool_result"]
    assert [(result.call_id, result.text) for result in results] == [
        ("a", "seen"),
        ("q", f"Ann answered: 2 (2026)\n\n(Sent {SENT}.)"),
    ]


@pytest.mark.proves("waits.deploy")
async def test_a_question_outlives_restarts_and_a_deploy_that_changed_the_workflow(
    tmp_path: Path,
) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([ASK])) as runtime:
        turn = await waiting(runtime, inbound("continue"))
    async with scripted_runtime(tmp_path, model=ScriptedModel([])) as runtime:
        assert (await runtime.turn(turn)).status == "waiting"
    model = ScriptedModel(["In 2025."])
    async with scripted_runtime(tmp_path, model=model, main_name="renamed-agent") as runtime:
        await begin(runtime, inbound("2025", number=2))
        assert (await end_of(runtime, turn)).answer == "In 2025."
    assert "Ann answered: 2025" in told(model.requests[0])


@pytest.mark.proves("waits.week")
async def test_a_question_that_nobody_answers_ends_in_a_week_and_can_still_be_answered(
    tmp_path: Path,
) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([ASK])) as runtime:
        turn = await waiting(runtime, inbound("continue"))

    def in_eight_days() -> datetime:
        return datetime.now(UTC) + timedelta(days=8)

    model = ScriptedModel(["In 2026 then."])
    async with scripted_runtime(tmp_path, model=model, clock=in_eight_days) as runtime:
        end = await end_of(runtime, turn)
        assert end.outcome == "limited"
        assert end.answer.startswith("Nobody answered my question above")
        late = await begin(runtime, inbound("yes, 2026", number=2))
        assert (await end_of(runtime, late)).answer == "In 2026 then."
    assert "Which year?" in str(model.requests[0].messages)


@pytest.mark.proves("waits.answer")
async def test_a_question_is_answered_by_whom_it_was_put_to_and_others_only_inform(
    tmp_path: Path,
) -> None:
    second = call("ask_user", {"question": "And which month?"}, id="q2")
    model = ScriptedModel([ASK, second, "May 2026."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await waiting(runtime, inbound("continue"))
        await begin(runtime, inbound("2026", number=2))
        await until(runtime, turn, "waiting", generation=2)
        remark = await begin(runtime, from_ben("no idea what she wants", number=3))
        assert (await runtime.turn(turn)).status == "waiting"
        await begin(runtime, inbound("May", number=4))
        assert (await end_of(runtime, turn)).answer == "May 2026."
        assert (await end_of(runtime, remark)).outcome == "steered"
    whole = told(model.requests[-1])
    assert whole.index("Ann answered: 2026") < whole.index("Ben wrote in the thread: no idea")
    assert whole.index("Ben wrote in the thread: no idea") < whole.index("Ann answered: May")


async def test_two_questions_at_once_are_one_question(tmp_path: Path) -> None:
    other = call("ask_user", {"question": "And why?"}, id="q2")
    model = ScriptedModel([[ASK, other], "Fine."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await waiting(runtime, inbound("continue"))
        await begin(runtime, inbound("2026", number=2))
        events = await events_of(runtime, turn)
    assert sum(isinstance(event, QuestionAsked) for event in events) == 1
    assert "One question at a time" in told(model.requests[-1])


@pytest.mark.proves("waits.beside")
async def test_what_the_asked_person_says_beside_a_question_leaves_it_open(tmp_path: Path) -> None:
    classifier, fast = ScriptedModel(["ASIDE"]), ScriptedModel(["2026 has newer figures."])
    model = ScriptedModel([ASK, "In 2025."])
    async with scripted_runtime(tmp_path, model=model, classifier=classifier, fast=fast) as runtime:
        turn = await waiting(runtime, inbound("continue"))
        remark = await begin(runtime, inbound("what is the difference between them?", number=2))
        assert (await end_of(runtime, remark)).answer == "2026 has newer figures."
        assert (await runtime.turn(turn)).status == "waiting"
        await begin(runtime, inbound("2025", number=3))  # an option costs no call
        assert (await end_of(runtime, turn)).answer == "In 2025."
    assert "Which year?" in told(classifier.requests[-1])


@pytest.mark.proves("inbox.how_far")
async def test_small_talk_is_no_answer(tmp_path: Path) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([ASK])) as runtime:
        turn = await waiting(runtime, inbound("continue"))
        asked = await begin(runtime, inbound("how far are you?", number=2))
        words = (await end_of(runtime, asked)).answer
        assert words == "I am waiting for an answer to my question above."
        assert (await runtime.turn(turn)).status == "waiting"


async def test_a_question_without_words_is_an_error_that_the_model_sees(tmp_path: Path) -> None:
    model = ScriptedModel([call("ask_user", {"question": "  "}), "Then I decide myself."])
    async with scripted_runtime(tmp_path, model=model) as runtime:
        turn = await begin(runtime, inbound("continue"))
        assert (await end_of(runtime, turn)).answer == "Then I decide myself."
    assert "ask_user needs `question`" in told(model.requests[-1])
