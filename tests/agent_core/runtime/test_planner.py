"""A new task is planned once: one question at most, then its parts side by side."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent_core.errors import ModelRejected, ModelUnavailable
from agent_core.events import PlanMade, QuestionAsked, RunStarted, TurnFinished
from agent_core.messages import JsonObject
from agent_core.models import ModelRequest
from agent_core.runtime.turn import CLARIFYING_PATIENCE
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call
from tests.agent_core.runtime.threads import (
    TIMEOUT_S,
    begin,
    end_of,
    events_of,
    told,
    until,
    waiting,
)
from tests.runtimes import inbound, scripted_runtime
from tests.scopes import SteppingClock

PARTS = ("What does A cost?", "What does B cost?", "What does C cost?")


def parts(*questions: str) -> list[JsonObject]:
    """Sub-questions as the planner gives them."""
    return [{"title": each.split()[-1], "question": each} for each in questions]


def plan(**told: object) -> ScriptLine:
    empty: JsonObject = {
        "question": "",
        "is_blocking": False,
        "default": "",
        "options": [],
        "sub_questions": [],
    }
    return call("plan", empty | told)


def explorers(*before: ScriptLine, first: ScriptLine = "Combined.") -> ScriptedModel:
    """A main agent that waits for all parts, and explorers that each find theirs."""

    def decide(request: ModelRequest) -> ScriptLine:
        if "one part of a larger task" in told(request):
            return f"Found: {request.messages[0].text.splitlines()[0]}"
        whole = told(request)
        found = sum(f"Found: {part}" in whole for part in PARTS)
        return first if found == len(PARTS) else "I wait for them."

    return ScriptedModel([*before, *[decide] * 20])


@pytest.mark.proves("plan.parts")
async def test_the_parts_of_a_new_task_are_explored_beside_the_main_run(tmp_path: Path) -> None:
    planner, model = ScriptedModel([plan(sub_questions=parts(*PARTS))]), explorers()
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        events = await events_of(runtime, await begin(runtime, inbound("Compare A, B and C")))
    started = [event for event in events if isinstance(event, RunStarted)]
    assert [event.run for event in started] == ["root", "root.part1", "root.part2", "root.part3"]
    assert [event.task for event in started] == ["Compare A, B and C", *PARTS]
    explored = [each for each in model.requests if "one part of a larger task" in told(each)]
    assert all("Compare A, B and C" in each.messages[0].text for each in explored)
    assert [e.answer for e in events if isinstance(e, TurnFinished)] == ["Combined."]
    first = next(r for r in model.requests if "one part of a larger task" not in told(r))
    assert all(part in told(first) for part in PARTS), "the main run knows what is explored"
    assert [event.sub_questions for event in events if isinstance(event, PlanMade)] == [PARTS]
    assert [event.title for event in started] == ["", "cost?", "cost?", "cost?"]


@pytest.mark.proves("plan.harmless")
@pytest.mark.parametrize(
    "line",
    [
        ModelUnavailable("down"),
        "No tool was called.",
        call("plan", {"sub_questions": "many"}),
        plan(question="Which?", default=""),
        plan(sub_questions=parts("Only one?")),
    ],
    ids=["failed", "prose", "bad shape", "no default", "one part"],
)
async def test_a_plan_that_fails_or_is_none_costs_nothing(tmp_path: Path, line: ScriptLine) -> None:
    planner, model = ScriptedModel([line]), ScriptedModel(["Done."])
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        events = await events_of(runtime, await begin(runtime, inbound("Look into it")))
    assert [event.kind for event in events if isinstance(event, RunStarted | QuestionAsked)] == [
        "run_started"
    ]
    assert model.requests[0].messages[0].text.endswith("Look into it")


@pytest.mark.proves("plan.new_only")
async def test_what_surely_goes_on_is_not_planned(tmp_path: Path) -> None:
    planner, model = ScriptedModel([]), ScriptedModel([ModelRejected("no"), "Two.", "Three."])
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        await end_of(runtime, await begin(runtime, inbound("continue", number=1)))
        await end_of(runtime, await begin(runtime, inbound("yes", number=2)))
        digest = replace(inbound("What is new?", number=3), scheduled=True)
        await end_of(runtime, await begin(runtime, digest))
    assert planner.requests == []


@pytest.mark.proves("plan.new_only")
async def test_for_what_the_planner_takes_as_going_on_nothing_is_asked_or_explored(
    tmp_path: Path,
) -> None:
    line = plan(
        is_continuation=True, question="Which?", is_blocking=True, sub_questions=parts(*PARTS)
    )
    planner, model = ScriptedModel([plan(), line]), ScriptedModel(["A report.", "Longer."])
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        await end_of(runtime, await begin(runtime, inbound("Write a report")))
        turn = await begin(runtime, inbound("please carry on with that report", number=2))
        assert (await end_of(runtime, turn)).answer == "Longer."
    assert "A report." in told(planner.requests[-1])


@pytest.mark.proves("plan.parts")
async def test_a_new_task_after_work_that_did_not_end_well_is_planned(tmp_path: Path) -> None:
    planner = ScriptedModel([plan(), plan(sub_questions=parts(*PARTS))])
    model = explorers(ModelRejected("no"))
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        await end_of(runtime, await begin(runtime, inbound("Look into it")))
        turn = await begin(runtime, inbound("Compare A, B and C", number=2))
        assert (await end_of(runtime, turn)).answer == "Combined."


@pytest.mark.proves("plan.ahead")
async def test_a_plan_is_begun_beside_the_classifier_and_made_once(tmp_path: Path) -> None:
    verdict, planned = Held(then="COMPLEX"), Held(then=plan(sub_questions=parts(*PARTS)))
    planner, model = ScriptedModel([planned]), explorers()
    async with scripted_runtime(
        tmp_path, model=model, planner=planner, classifier=ScriptedModel([verdict])
    ) as runtime:
        turn = await begin(runtime, inbound("Compare A, B and C"))
        async with asyncio.timeout(TIMEOUT_S):
            await verdict.reached.wait()
            await planned.reached.wait()
        verdict.release.set()
        planned.release.set()
        assert (await end_of(runtime, turn)).answer == "Combined."
    assert len(planner.requests) == 1


@pytest.mark.proves("plan.ahead")
async def test_a_plan_that_nobody_needs_is_dropped_with_the_first_word_of_the_answer(
    tmp_path: Path,
) -> None:
    planner, model = ScriptedModel([Held(then=plan(sub_questions=parts(*PARTS)))]), explorers()
    async with scripted_runtime(
        tmp_path,
        model=model,
        planner=planner,
        classifier=ScriptedModel(["SIMPLE"]),
        fast=ScriptedModel(["Paris."]),
    ) as runtime:
        events = await events_of(runtime, await begin(runtime, inbound("Capital of France?")))
    assert [event.answer for event in events if isinstance(event, TurnFinished)] == ["Paris."]
    assert not [event for event in events if isinstance(event, PlanMade)]
    assert planner.aborted == len(planner.requests)


ASKED = plan(
    question="Which year?", default="2026", options=["2025", "2027"], sub_questions=parts(*PARTS)
)


@pytest.mark.proves("plan.question")
async def test_an_answer_comes_before_the_work_and_reaches_all_of_it(tmp_path: Path) -> None:
    planner, model = ScriptedModel([ASKED]), explorers()
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        turn = await waiting(runtime, inbound("Compare A, B and C"))
        assert not model.requests
        await begin(runtime, inbound("2024", number=2))
        events = await events_of(runtime, turn)
    [asked] = [event for event in events if isinstance(event, QuestionAsked)]
    assert asked.question.startswith("Which year?\n\nIf nobody answers within 5 minutes")
    assert (asked.default, asked.options) == ("2026", ("2026", "2025", "2027"))
    assert all("2024" in told(request) for request in model.requests)
    assert len(planner.requests) == 1
    assert [e.answer for e in events if isinstance(e, TurnFinished)] == ["Combined."]


@pytest.mark.proves("plan.default")
async def test_without_an_answer_the_default_is_taken_after_some_minutes_and_said(
    tmp_path: Path,
) -> None:
    planner, model, clock = ScriptedModel([ASKED]), explorers(), SteppingClock(step=timedelta())
    async with scripted_runtime(tmp_path, model=model, planner=planner, clock=clock) as runtime:
        turn = await waiting(runtime, inbound("Compare A, B and C"))
        clock.now += CLARIFYING_PATIENCE
        assert (await end_of(runtime, turn)).answer == "Combined."
    first = next(r for r in model.requests if "one part of a larger task" not in told(r))
    assert "say in your answer that you took it: 2026" in told(first)


@pytest.mark.proves("plan.blocking")
async def test_a_blocking_question_waits_for_days_and_through_a_restart(tmp_path: Path) -> None:
    line = plan(
        question="Whose account?", is_blocking=True, default="mine", sub_questions=parts(*PARTS)
    )
    planner, model, clock = ScriptedModel([line]), explorers(), SteppingClock(step=timedelta())
    async with scripted_runtime(tmp_path, model=model, planner=planner, clock=clock) as runtime:
        turn = await waiting(runtime, inbound("Compare A, B and C"))
    clock.now += timedelta(days=3)
    async with scripted_runtime(tmp_path, model=model, planner=planner, clock=clock) as runtime:
        await until(runtime, turn, "waiting")
        await begin(runtime, inbound("Ann's", number=2))
        assert (await end_of(runtime, turn)).answer == "Combined."
    assert "Ann's" in told(model.requests[0])


async def test_a_plan_survives_a_restart_and_is_made_once(tmp_path: Path) -> None:
    held = Held(then="Combined.")
    planner, model = ScriptedModel([plan(sub_questions=parts(*PARTS))]), explorers(first=held)
    async with scripted_runtime(tmp_path, model=model, planner=planner) as runtime:
        turn = await begin(runtime, inbound("Compare A, B and C"))
        async with asyncio.timeout(TIMEOUT_S):
            await held.reached.wait()
    later = explorers()
    async with scripted_runtime(tmp_path, model=later, planner=planner) as runtime:
        assert (await end_of(runtime, turn)).answer == "Combined."
    assert len(planner.requests) == 1
    explored = [r for r in later.requests if "one part of a larger task" in r.messages[0].text]
    assert not explored, "each part was paid once"
