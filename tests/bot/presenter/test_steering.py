"""A message that another turn takes in: seen, answered there, and silent itself."""

import pytest

from bot.presenter import Signs
from tests.bot.presenter.conftest import Stage


@pytest.mark.proves("inbox.silent")
async def test_a_message_that_was_taken_in_is_told_of_in_the_progress(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("COMPLEX"))
    await presenter.show(turn.taken("also include Poland", "Ben"))

    line = "+ Took in Ben's message: “also include Poland”"
    await stage.slack.wait_for(lambda _: line in stage.texts()[0])
    await presenter.close()


async def test_a_message_that_was_taken_in_is_told_of_in_the_askers_language(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started("Schreibe mir einen Bericht über die Lage der Batterien"))
    await presenter.show(turn.taken("auch Polen", "Ben"))
    await presenter.close()

    assert stage.texts()[0].endswith("+ Nachricht von Ben aufgenommen: “auch Polen”")


@pytest.mark.proves("inbox.seen", "inbox.silent")
async def test_a_turn_that_another_took_in_is_silent_and_its_post_stays_marked_as_seen(
    stage: Stage,
) -> None:
    signs, root_ts = Signs(stage.api), stage.thread.root_ts
    working, turn = stage.presenter(signs=signs), stage.turn()
    await working.show(turn.started())
    ts = await stage.slack.say("ben", "general", "also Poland", thread_ts=root_ts)
    steering, steered = stage.presenter(signs=signs, asked_ts=ts), stage.turn("turn2")
    await steering.show_queued()
    await steering.show(steered.started(""))
    await steering.show(steered.finished("", "steered"))

    assert stage.texts() == []
    assert await steering.is_finished()
    assert [reaction.name for reaction in stage.slack.find("general", ts).reactions] == ["eyes"]
    methods = [call.method for call in stage.slack.calls]
    assert methods == ["agents.sessions.setStatus", "reactions.add"]

    await working.show(turn.finished("Both are in."))
    assert stage.slack.calls[-1].args["status"] == "active"
    assert stage.texts() == ["Both are in."]
