"""What Slack does not take, or not now, reaches the person in another way."""

import pytest

from tests.bot.presenter.conftest import Stage


@pytest.mark.parametrize(
    ("error", "asked", "why"),
    [
        (
            "file_uploads_disabled",
            "What is new in batteries?",
            "I could not attach Notes: file uploads are switched off in this workspace.",
        ),
        (
            "file_uploads_disabled",
            "Was ist neu bei den Batterien?",
            "Ich konnte Notes nicht anhängen: "
            "In diesem Workspace ist das Hochladen von Dateien abgeschaltet.",
        ),
        (
            "storage_limit_reached",
            "What is new in batteries?",
            "I could not attach Notes: this workspace has no room left for files.",
        ),
        (
            "some_new_error",
            "What is new in batteries?",
            "I could not attach Notes: Slack did not take it.",
        ),
    ],
)
async def test_why_slack_takes_no_file_is_told_in_words(
    stage: Stage, error: str, asked: str, why: str
) -> None:
    stage.slack.fail("files.getUploadURLExternal", error=error, times=9)
    stage.write("work_products/notes.md", "# Notes")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started(asked))
    await presenter.show(turn.saved("work_products/notes.md", "Notes"))
    await presenter.show(turn.finished("Here."))

    assert stage.texts()[1] == why
    assert error not in "".join(stage.texts())


@pytest.mark.proves("posts.refused")
async def test_an_answer_for_a_thread_that_is_closed_reaches_the_asker(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="is_archived")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The answer."))

    assert stage.texts() == []
    assert stage.direct_texts() == [
        "_I could not answer in the thread, so here is the answer._",
        "The answer.",
    ]


@pytest.mark.proves("posts.limits")
async def test_an_answer_outlasts_a_storm_of_limits(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", status=429, retry_after_s=60, times=20)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("Still here."))

    assert stage.texts() == ["Still here."]
    assert [wait for wait in stage.clock.slept if wait >= 59] == [60.0] * 20


@pytest.mark.proves("posts.refused")
async def test_blocks_that_slack_refuses_are_replaced_by_text(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("| a | b |\n|---|---|\n| 1 | 2 |"))

    posts = stage.slack.thread("general", stage.thread.root_ts)[1:]
    assert [post.text for post in posts] == ["```\na | b\n--+--\n1 | 2\n```"]


@pytest.mark.proves("posts.refused")
async def test_text_that_slack_refuses_altogether_comes_as_a_file(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="msg_too_long", times=2)
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The answer."))

    assert [file.content for file in stage.slack.files] == [b"The answer."]


async def test_a_thread_that_closes_during_the_answer_still_reaches_the_asker(
    stage: Stage,
) -> None:
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    stage.slack.fail("chat.postMessage", error="is_archived")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The answer."))

    assert stage.texts() == []
    assert [text.partition("\n")[0] for text in stage.direct_texts()] == [
        "_I could not answer in the thread, so here is the answer._",
        "The answer.",
    ]


@pytest.mark.proves("posts.limits")
async def test_an_answer_is_not_kept_waiting_by_a_limited_progress_post(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("COMPLEX"))
    await presenter.close()
    stage.slack.fail("chat.update", status=429, retry_after_s=60)
    await presenter.show(turn.finished("The answer."))

    methods = [call.method for call in stage.slack.calls]
    refused = next(i for i, call in enumerate(stage.slack.calls) if call.status == 429)
    assert methods[refused + 1] == "chat.postMessage"
    assert stage.texts() == ["Done in 2 s", "The answer."]
