"""Places that take nothing, and deleted posts: the answer finds its asker, and the turn ends."""

import pytest

from bot.slack_api import PlaceRefused
from tests.bot.presenter.conftest import CutState, Stage
from tests.bot.presenter.turns import MemoryState

CLOSED = (
    "not_in_channel",
    "is_archived",
    "restricted_action",
    "restricted_action_thread_locked",
    "channel_not_found",
)


async def test_a_turn_that_was_taken_back_ends_in_silence(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("", outcome="stopped", reference=""))

    assert stage.texts() == []
    assert await presenter.is_finished()
    assert stage.slack.calls[-1].args["status"] == "active"


@pytest.mark.parametrize("error", CLOSED)
async def test_where_thread_and_direct_message_are_closed_the_asker_is_told_alone(
    stage: Stage, error: str
) -> None:
    stage.slack.fail("chat.postMessage", error=error, times=50)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The answer."))

    posts = stage.slack.thread("general", stage.thread.root_ts)
    whispers = [post for post in posts if post.ephemeral_to]
    assert [(post.text, post.ephemeral_to) for post in whispers] == [
        ("The answer.", stage.slack.people["ann"])
    ]
    assert await presenter.is_finished()
    assert stage.calls("chat.postMessage") == 2


@pytest.mark.proves("posts.crash")
@pytest.mark.parametrize("saves", range(9))
async def test_a_crash_does_not_double_what_the_asker_is_told_directly(
    stage: Stage, saves: int
) -> None:
    turn, cut, survivor = stage.turn(), CutState(saves), MemoryState()
    events = [turn.started(), turn.finished("The answer.")]
    await stage.slack.remove_from_channel("general", "bot")
    dying = stage.presenter(cut)
    try:
        for event in events:
            await dying.show(event)
    except ConnectionAbortedError:
        await dying.close()
    survivor.saved = cut.saved
    presenter = stage.presenter(survivor)
    for event in events:
        await presenter.show(event)

    assert stage.direct_texts() == [
        "_I could not answer in the thread, so here is the answer._",
        "The answer.",
    ]


async def test_a_direct_message_whose_receipt_got_lost_is_not_sent_again(stage: Stage) -> None:
    await stage.slack.remove_from_channel("general", "bot")
    stage.slack.fail("chat.postMessage", error="not_in_channel")
    stage.slack.fail("chat.postMessage", drop_after_accept=True, times=2)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The answer."))

    assert len(stage.direct_texts()) == 2


async def test_what_began_directly_goes_on_there_when_the_thread_opens_again(
    stage: Stage,
) -> None:
    turn, cut, survivor = stage.turn(), CutState(4), MemoryState()
    events = [turn.started(), turn.finished("The answer.")]
    stage.slack.fail("chat.postMessage", error="is_archived")
    dying = stage.presenter(cut)
    await dying.show(events[0])
    with pytest.raises(ConnectionAbortedError):
        await dying.show(events[1])
    survivor.saved = cut.saved
    presenter = stage.presenter(survivor)
    for event in events:
        await presenter.show(event)

    assert stage.texts() == []
    assert stage.direct_texts()[1:] == ["The answer."]


async def test_progress_that_the_thread_refuses_is_not_tried_again(stage: Stage) -> None:
    await stage.slack.remove_from_channel("general", "bot")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    for number in range(5):
        await presenter.show(turn.call(f"c{number}", "run_python"))

    assert stage.calls("chat.postMessage") == 1
    assert max(stage.clock.slept, default=0) < 5


async def test_where_slack_takes_nothing_anywhere_the_turn_ends(stage: Stage) -> None:
    for method in ("chat.postMessage", "chat.postEphemeral", "chat.update"):
        stage.slack.fail(method, error="not_in_channel", times=50)
    stage.slack.fail("files.completeUploadExternal", error="not_in_channel", times=50)
    stage.write("work_products/report.html", "<p>Report</p>")
    presenter, turn = stage.presenter(), stage.turn()
    for event in [turn.started(), turn.routed("COMPLEX"), turn.saved("work_products/report.html")]:
        await presenter.show(event)
    with pytest.raises(PlaceRefused):
        await presenter.show(turn.finished("The answer."))
    await presenter.give_up()

    assert stage.texts() == []
    assert await presenter.is_finished()
    assert len(stage.slack.calls) < 30


async def test_a_report_for_a_closed_thread_follows_the_answer_to_the_asker(stage: Stage) -> None:
    stage.write("work_products/report.html", "<p>Report</p>")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.saved("work_products/report.html"))
    await stage.slack.remove_from_channel("general", "bot")
    await presenter.show(turn.finished("The answer."))

    assert stage.texts() == []
    assert stage.direct_texts()[1] == "The answer."
    [file] = stage.slack.files
    assert [share.channel for share in file.shares] == [stage.slack.dm_id("ann")]


async def test_a_report_that_the_thread_does_not_take_goes_to_the_asker(stage: Stage) -> None:
    stage.write("work_products/report.html", "<p>Report</p>")
    stage.slack.fail("files.completeUploadExternal", error="not_in_channel")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.saved("work_products/report.html"))
    await presenter.show(turn.finished("The answer."))

    assert stage.texts() == ["The answer."]
    assert [share.channel for file in stage.slack.files for share in file.shares] == [
        stage.slack.dm_id("ann")
    ]


async def test_deleted_posts_of_the_bot_do_not_cost_the_answer(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("COMPLEX"))
    [_, progress] = stage.slack.thread("general", stage.thread.root_ts)
    await stage.slack.delete("general", progress.ts)
    await presenter.show(turn.call("c1", "mcp__local_toolkit__list_local_files"))
    await presenter.show(turn.returned("c1"))
    await presenter.show(turn.finished("The answer."))

    assert stage.texts() == ["The answer."]
    assert await presenter.is_finished()


async def test_a_deleted_question_does_not_cost_the_answer(stage: Stage) -> None:
    stage.slack.fail("agents.sessions.setStatus", error="feature_disabled")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await stage.slack.delete("general", stage.thread.root_ts)
    await presenter.show(turn.finished("The answer."))

    said = [*stage.texts(), *stage.direct_texts()]
    assert "The answer." in said
    assert await presenter.is_finished()
