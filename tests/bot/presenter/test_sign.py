"""One sign for each post, whoever shows it first, and none left when all are dealt with."""

import pytest

from bot.presenter import Signs
from tests.bot.presenter.conftest import Stage

METHODS = ("agents.sessions.setStatus", "reactions.add", "reactions.remove")


def calls(stage: Stage) -> list[str]:
    made = [call for call in stage.slack.calls if call.method in METHODS]
    return [str(call.args.get("status") or call.method) for call in made]


async def test_a_sign_that_is_shown_already_costs_no_further_call(stage: Stage) -> None:
    signs = Signs(stage.api)
    await signs.show(stage.thread, stage.thread.root_ts)
    presenter, turn = stage.presenter(signs=signs), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("SIMPLE"))
    await presenter.show(turn.finished("Paris."))

    assert calls(stage) == ["processing", "active"]


async def test_the_status_stays_while_another_post_of_the_thread_waits(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    second = await stage.slack.say("ann", "general", "more", thread_ts=first)
    await signs.show(stage.thread, first)
    await signs.show(stage.thread, second)
    await signs.take_back(stage.thread, first)
    assert calls(stage) == ["processing", "reactions.add"]

    await signs.take_back(stage.thread, second)
    assert calls(stage)[2:] == ["reactions.remove", "active"]
    assert stage.slack.find("general", second).reactions == ()


async def test_the_status_that_was_handed_on_is_renewed(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    second = await stage.slack.say("ann", "general", "more", thread_ts=first)
    await signs.show(stage.thread, first)
    await signs.show(stage.thread, second)
    await signs.take_back(stage.thread, first)
    stage.clock.advance(1_900)
    await signs.show(stage.thread, second)

    assert calls(stage) == ["processing", "reactions.add", "processing"]


async def test_a_reaction_in_the_place_of_a_limited_status_does_not_stay(
    stage: Stage,
) -> None:
    stage.slack.fail("agents.sessions.setStatus", status=429, retry_after_s=30)
    signs = Signs(stage.api)
    await signs.show(stage.thread, stage.thread.root_ts)
    assert stage.slack.find("general", stage.thread.root_ts).reactions

    await signs.take_back(stage.thread, stage.thread.root_ts)
    assert stage.slack.find("general", stage.thread.root_ts).reactions == ()


@pytest.mark.proves("posts.left_open")
async def test_a_reaction_that_an_earlier_process_left_is_taken_back(stage: Stage) -> None:
    await stage.api.add_reaction(stage.thread.channel, stage.thread.root_ts, "eyes")
    signs = Signs(stage.api)
    await signs.show(stage.thread, stage.thread.root_ts, may_be_left=True)
    await signs.take_back(stage.thread, stage.thread.root_ts)

    assert stage.slack.find("general", stage.thread.root_ts).reactions == ()


@pytest.mark.proves("posts.left_open")
async def test_a_status_that_another_process_set_is_taken_back(stage: Stage) -> None:
    receiving, working = Signs(stage.api), Signs(stage.api)
    await receiving.show(stage.thread, stage.thread.root_ts)
    await working.show(stage.thread, stage.thread.root_ts, may_be_left=True, is_held=True)
    await working.take_back(stage.thread, stage.thread.root_ts)

    assert calls(stage)[-1] == "active"


async def test_a_reaction_that_another_process_put_there_is_taken_back(stage: Stage) -> None:
    receiving, working, first = Signs(stage.api), Signs(stage.api), stage.thread.root_ts
    second = await stage.slack.say("ann", "general", "more", thread_ts=first)
    await receiving.show(stage.thread, first)
    await receiving.show(stage.thread, second)
    await working.show(stage.thread, second, may_be_left=not working.knows(stage.thread, second))
    await working.take_back(stage.thread, second)

    assert stage.slack.find("general", second).reactions == ()
    assert calls(stage)[-1] == "active"


async def test_a_sign_that_nobody_here_works_under_is_forgotten_after_a_while(
    stage: Stage,
) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    stage.clock.advance(1_000)
    second = await stage.slack.say("ann", "general", "more", thread_ts=first)
    await signs.show(stage.thread, second)

    assert not signs.knows(stage.thread, first)
    assert calls(stage) == ["processing", "processing"]


async def test_a_sign_that_somebody_here_works_under_is_kept(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    await signs.show(stage.thread, first, is_held=True)
    stage.clock.advance(1_000)
    second = await stage.slack.say("ann", "general", "more", thread_ts=first)
    await signs.show(stage.thread, second)

    assert calls(stage) == ["processing", "reactions.add"]


async def test_a_turn_that_waits_for_a_person_shows_no_sign_until_it_goes_on(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    await signs.rest(stage.thread, first)
    await signs.show(stage.thread, first)
    await signs.take_back(stage.thread, first)

    assert calls(stage) == ["processing", "active", "processing", "active"]


async def test_small_talk_while_a_turn_waits_has_a_sign_of_its_own(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    await signs.rest(stage.thread, first)
    second = await stage.slack.say("ann", "general", "how far?", thread_ts=first)
    await signs.show(stage.thread, second)
    await signs.take_back(stage.thread, second)

    assert calls(stage) == ["processing", "active", "processing", "active"]


async def test_without_a_status_a_turn_that_goes_on_gets_its_reaction_again(stage: Stage) -> None:
    stage.slack.fail("agents.sessions.setStatus", error="feature_disabled")
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    await signs.rest(stage.thread, first)
    assert stage.slack.find("general", first).reactions == ()

    await signs.show(stage.thread, first)
    assert stage.slack.find("general", first).reactions
    await signs.take_back(stage.thread, first)
    assert stage.slack.find("general", first).reactions == ()


async def test_the_last_message_that_became_part_of_another_leaves_no_status(
    stage: Stage,
) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    await signs.leave(stage.thread, first)

    assert calls(stage) == ["processing", "active"]


async def test_what_is_forgotten_costs_no_call(stage: Stage) -> None:
    signs, first = Signs(stage.api), stage.thread.root_ts
    await signs.show(stage.thread, first)
    signs.forget(stage.thread, first)

    assert calls(stage) == ["processing"]
    assert not signs.knows(stage.thread, first)
