"""One sign for each post, whoever shows it first, and none left when all are dealt with."""

from typing import Any

import pytest

from bot.presenter import Indicators
from tests.bot.presenter.conftest import Stage

METHODS = ("agents.sessions.setStatus", "reactions.add", "reactions.remove")


def calls(stage: Stage) -> list[str]:
    made = [call for call in stage.slack.calls if call.method in METHODS]
    return [str(call.args.get("status") or call.method) for call in made]


async def another(stage: Stage) -> str:
    return await stage.slack.say("ann", "general", "more", thread_ts=stage.thread.root_ts)


async def test_a_sign_that_is_shown_already_costs_no_further_call(stage: Stage) -> None:
    indicators = Indicators(stage.api)
    await indicators.show(stage.thread, stage.thread.root_ts)
    presenter, turn = stage.presenter(indicators=indicators), stage.turn()
    for event in (turn.started(), turn.routed("SIMPLE"), turn.finished("Paris.")):
        await presenter.show(event)
    assert calls(stage) == ["processing", "active"]


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        ({"error": "feature_disabled"}, 1),
        ({"error": "not_authorized"}, 1),
        ({"error": "unknown_method"}, 1),
        ({"status": 429, "retry_after_s": 30}, 2),
    ],
)
async def test_where_a_status_cannot_be_shown_the_askers_post_gets_a_reaction(
    stage: Stage, fault: dict[str, Any], calls: int
) -> None:
    stage.slack.fail("agents.sessions.setStatus", **fault)
    turn = stage.turn()
    presenter = await stage.show(turn.started())
    assert stage.reactions() == ["eyes"]
    await presenter.show(turn.finished("Paris."))
    assert stage.reactions() == []
    assert stage.calls("agents.sessions.setStatus") == calls


async def test_a_first_sign_is_told_once_a_post_and_not_where_there_is_no_post(
    stage: Stage,
) -> None:
    told: list[str] = []
    indicators, root = Indicators(stage.api, on_sign=told.append), stage.thread.root_ts
    for post in (root, root, ""):
        await indicators.show(stage.thread, post)
    await indicators.show(stage.thread, await another(stage), may_be_left=True)
    assert told == [root]


async def test_the_sign_is_taken_back_even_when_slack_is_busy(stage: Stage) -> None:
    turn = stage.turn()
    presenter = await stage.show(turn.started())
    stage.slack.fail("agents.sessions.setStatus", status=429, retry_after_s=30)
    await presenter.show(turn.finished("Paris."))
    assert stage.status() == "active"
    assert stage.slack.calls[-1].ok


async def test_the_status_stays_while_another_post_waits_and_is_renewed(stage: Stage) -> None:
    indicators, first, second = Indicators(stage.api), stage.thread.root_ts, await another(stage)
    await indicators.show(stage.thread, first)
    await indicators.show(stage.thread, second)
    await indicators.take_back(stage.thread, first)
    assert calls(stage) == ["processing", "reactions.add"]
    stage.clock.advance(1_900)
    await indicators.show(stage.thread, second)
    await indicators.take_back(stage.thread, second)
    assert calls(stage)[2:] == ["processing", "reactions.remove", "active"]


@pytest.mark.proves("posts.left_open")
@pytest.mark.parametrize("is_second", [False, True])
async def test_what_another_process_has_shown_is_taken_back(stage: Stage, is_second: bool) -> None:
    receiving, working = Indicators(stage.api), Indicators(stage.api)
    ts = first = stage.thread.root_ts
    await receiving.show(stage.thread, first)
    if is_second:
        ts = await another(stage)
        await receiving.show(stage.thread, ts)
    await working.show(stage.thread, ts, may_be_left=True)
    await working.take_back(stage.thread, ts)
    assert stage.reactions(ts) == []
    assert calls(stage)[-1] == "active"


async def test_a_sign_that_nobody_here_works_under_is_forgotten_after_a_while(stage: Stage) -> None:
    indicators, first = Indicators(stage.api), stage.thread.root_ts
    await indicators.show(stage.thread, first)
    stage.clock.advance(4_000)
    await indicators.show(stage.thread, await another(stage))
    assert calls(stage) == ["processing", "processing"]


@pytest.mark.parametrize("is_at_work", [False, True])
async def test_a_sign_that_is_being_shown_while_another_is_forgotten_is_not_lost(
    stage: Stage, is_at_work: bool
) -> None:
    indicators, first, second = Indicators(stage.api), stage.thread.root_ts, await another(stage)

    async def forget_first() -> None:
        indicators.forget(stage.thread, first)

    if is_at_work:
        await indicators.show(stage.thread, first)
    await indicators.guarded(forget_first).show(stage.thread, second)
    await indicators.show(stage.thread, second)
    await indicators.take_back(stage.thread, second)
    own = ["reactions.add", "reactions.remove"] if is_at_work else []
    assert calls(stage) == ["processing", *own, "active"]


@pytest.mark.proves("inbox.seen", "inbox.silent")
async def test_a_turn_that_another_took_in_is_silent_and_its_post_stays_marked_as_seen(
    stage: Stage,
) -> None:
    indicators, ts = Indicators(stage.api), await another(stage)
    working, turn = stage.presenter(indicators=indicators), stage.turn()
    await working.show(turn.started())
    await indicators.show(stage.thread, ts)
    steering, steered = stage.presenter(indicators=indicators, asked_ts=ts), stage.turn("turn2")
    await steering.show(steered.started(""))
    await steering.show(steered.finished("", "steered"))
    assert stage.texts() == []
    assert steering.is_finished
    assert stage.reactions(ts) == ["eyes"]
    assert calls(stage) == ["processing", "reactions.add"]
    await working.show(turn.finished("Both are in."))
    assert stage.status() == "active"
    assert stage.texts() == ["Both are in."]


async def test_a_reaction_beyond_the_minutes_is_left_out_so_that_no_answer_waits(
    stage: Stage,
) -> None:
    indicators = Indicators(stage.api)
    began_s = stage.clock.seconds()
    for _ in range(60):
        await indicators.show(stage.thread, await another(stage))
    assert stage.clock.seconds() == began_s
    assert 40 < stage.calls("reactions.add") < 50
