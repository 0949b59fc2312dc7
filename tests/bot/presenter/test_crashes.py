"""A presenter that dies and begins again: nothing twice, nothing missing."""

import pytest

from bot.slack_api import SlackError
from tests.bot.presenter.conftest import CutState, Stage
from tests.bot.presenter.turns import MemoryState


async def test_a_report_saved_twice_is_uploaded_once(stage: Stage) -> None:
    path = stage.write("work_products/report.html", "<p>final</p>")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.saved(path))
    await presenter.show(turn.saved(path))
    await presenter.show(turn.finished("Here."))

    assert len(stage.slack.files) == 1


async def test_a_presenter_that_starts_again_posts_nothing_twice(stage: Stage) -> None:
    path = stage.write("work_products/report.html", "<p>final</p>")
    turn, state = stage.turn(), MemoryState()
    events = [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.call("c1", "run_python"),
        turn.returned("c1"),
        turn.saved(path),
        turn.finished("The answer."),
    ]
    for stop_after in range(1, len(events)):
        presenter = stage.presenter(state)
        for event in events[:stop_after]:
            await presenter.show(event)
        await presenter.close()
    for _ in range(2):
        presenter = stage.presenter(state)
        for event in events:
            await presenter.show(event)

    assert stage.texts() == ["Done in 5 s · 1 tool call", "The answer.", ""]
    assert [file.title for file in stage.slack.files] == ["The report"]


@pytest.mark.proves("posts.crash", "uploads.once")
@pytest.mark.parametrize("saves", range(12))
async def test_a_crash_at_any_save_leaves_no_duplicate_and_no_gap(stage: Stage, saves: int) -> None:
    path = stage.write("work_products/report.html", "<p>final</p>")
    turn, cut = stage.turn(), CutState(saves)
    events = [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.saved(path),
        turn.finished("The answer."),
    ]
    dying = stage.presenter(cut)
    try:
        for event in events:
            await dying.show(event)
    except ConnectionAbortedError:
        await dying.close()
    survivor = MemoryState()
    survivor.saved = cut.saved
    presenter = stage.presenter(survivor)
    for event in events:
        await presenter.show(event)

    assert stage.texts() == ["Done in 3 s", "The answer.", ""]
    assert [file.title for file in stage.slack.files if file.shares] == ["The report"]


@pytest.mark.proves("posts.read_back")
async def test_a_lost_answer_is_read_back_and_not_posted_again(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", drop_after_accept=True)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("Once."))

    assert stage.texts() == ["Once."]


async def test_an_answer_that_slack_cannot_take_now_is_posted_when_shown_again(
    stage: Stage,
) -> None:
    stage.slack.fail("chat.postMessage", status=500, times=7)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    finished = turn.finished("At last.")
    with pytest.raises(SlackError):
        await presenter.show(finished)
    await presenter.show(finished)

    assert stage.texts() == ["At last."]


@pytest.mark.parametrize("saves", range(9))
async def test_a_crash_does_not_double_a_direct_answer(stage: Stage, saves: int) -> None:
    stage.slack.fail("chat.postMessage", error="is_archived")
    turn, cut = stage.turn(), CutState(saves)
    events = [turn.started(), turn.finished("The answer.")]
    dying = stage.presenter(cut)
    try:
        for event in events:
            await dying.show(event)
    except ConnectionAbortedError:
        await dying.close()
    survivor = MemoryState()
    survivor.saved = cut.saved
    stage.slack.heal()
    stage.slack.fail("chat.postMessage", error="is_archived")
    presenter = stage.presenter(survivor)
    for event in events:
        await presenter.show(event)

    answers = [text for text in [*stage.texts(), *stage.direct_texts()] if "The answer." in text]
    assert answers == ["The answer."]
