"""A turn in its thread: progress, answer and files; and where Slack does not take them."""

from dataclasses import replace
from typing import Any

import pytest

from agent_core.events import AnyEvent
from agent_core.ids import ROOT_RUN, ToolCallId, child_run
from bot.clicks import FollowUpClick
from bot.render import limits
from bot.sandbox.slack import Post
from bot.slack_api import PlaceRefused, SlackUnavailable
from tests.bot.presenter.conftest import Stage

NOTICE = "_I could not answer in the thread, so here is the answer._"
GERMAN = "Schreibe mir einen Bericht über die Lage der Batterien"


async def test_a_simple_answer_is_one_post_and_no_progress(stage: Stage) -> None:
    turn = stage.turn()
    await stage.show(turn.started(), turn.routed("SIMPLE"), turn.finished("It is **Paris**."))
    assert stage.texts() == ["It is Paris."]
    assert stage.calls("chat.update") == 0
    posted = [call.args for call in stage.slack.calls if call.method == "chat.postMessage"]
    previews = {str(args[kind]) for args in posted for kind in ("unfurl_links", "unfurl_media")}
    assert previews <= {"False", "0", "false"}
    assert all("link_names" not in args and "parse" not in args for args in posted)


@pytest.mark.proves("thread.progress", "thread.sub_agents", "inbox.silent")
async def test_progress_is_edited_in_peoples_words(stage: Stage) -> None:
    turn, child = stage.turn(), child_run(ROOT_RUN, ToolCallId("t1"))
    presenter = await stage.show(
        turn.started(),
        turn.routed("COMPLEX"),
        turn.call("c1", "mcp__composio__COMPOSIO_SEARCH_NEWS", query="grid"),
    )
    await stage.slack.wait_for(lambda _: "▸ Searching the news for “grid”" in stage.texts()[0])
    for event in (
        turn.returned("c1"),
        turn.taken("also include Poland", "Ben"),
        turn.call("t1", "Task", subagent_type="report-creation-expert"),
        turn.branch(child, "Eels", agent="report-creation-expert"),
        turn.call("w1", "mcp__local_toolkit__write_report", child, title="x"),
    ):
        await presenter.show(event)
    await stage.slack.wait_for(lambda _: "Writing" in stage.texts()[0])
    assert stage.texts()[0].splitlines()[1:] == [
        "✓ Searching the news for “grid”",
        "✓ Ben: “also include Poland” — taken in",
        "▸ Writing the report",
    ]


@pytest.mark.parametrize("is_taken_in", [False, True])
async def test_progress_speaks_the_askers_language(stage: Stage, is_taken_in: bool) -> None:
    turn = stage.turn()
    event: AnyEvent = turn.call("c1", "COMPOSIO_SEARCH_WEB", query="Batterien")
    event = turn.taken("auch Polen", "Ben") if is_taken_in else event
    await stage.show(turn.started(GERMAN), event)
    said = "✓ Ben: „auch Polen“ — aufgenommen"
    assert (said if is_taken_in else "Suche im Web nach “Batterien”") in stage.texts()[0]


@pytest.mark.parametrize(
    ("answer", "outcome", "said"),
    [
        ("The model is away.", "failed", "The model is away.\n\nReference: `ref42`"),
        ("It failed (reference ref42).", "failed", "It failed (reference ref42)."),
        ("  ", "answered", "I have no answer to give."),
        ("", "stopped", ""),
    ],
)
async def test_a_turn_ends_with_a_sentence_unless_it_was_taken_back(
    stage: Stage, answer: str, outcome: Any, said: str
) -> None:
    turn = stage.turn()
    presenter = await stage.show(turn.started(), turn.finished(answer, outcome))
    assert stage.texts() == ([said] if said else [])
    assert presenter.is_finished
    assert stage.status() == "active"


@pytest.mark.parametrize("words", [2_000, 40_000])
async def test_a_long_answer_loses_no_word_and_an_endless_one_is_added_as_a_file(
    stage: Stage, words: int
) -> None:
    answer = " ".join(f"word{number}" for number in range(words))
    turn = stage.turn()
    await stage.show(turn.started(), turn.finished(answer))
    posts = stage.slack.thread("general", stage.thread.root_ts)[1:]
    if words == 2_000:
        assert " ".join(text for post in posts for text in _markdown(post)) == answer
    else:
        assert len(posts) == 2
        [file] = stage.slack.files
        assert (file.name, file.content.decode()) == ("answer.md", answer)


async def test_below_the_last_report_stand_the_questions_that_its_reader_may_ask_next(
    stage: Stage,
) -> None:
    turn, paths = stage.turn(), ("work_products/a.html", "work_products/a_v2.html")
    asked = ("Of the draft?",), ("Is <!channel> *old*?", "And then?", "Why?", "One too many?")
    saved = [
        turn.saved(stage.write(path, "<p>Report</p>"), follow_ups=questions)
        for path, questions in zip(paths, asked, strict=True)
    ]
    await stage.show(turn.started(), *saved, turn.finished("The answer."))
    posts = stage.slack.thread("general", stage.thread.root_ts)
    [row] = [block for post in posts for block in post.blocks if block["type"] == "actions"]
    shown = [(it["action_id"], it["text"]["text"], it["value"]) for it in row["elements"]]
    questions = ("Is <\u2060!channel> *old*?", "And then?", "Why?")
    clicked = [FollowUpClick(question=text).encoded() for text in questions]
    assert [value for _, _, value in shown] == clicked
    assert [label for _, label, _ in shown] == [*questions]
    assert [name for name, _, _ in shown] == ["follow.ask.0", "follow.ask.1", "follow.ask.2"]


@pytest.mark.parametrize("path", ["notes.txt", "work_products/../secret.txt", "/etc/passwd"])
async def test_a_file_outside_the_work_products_is_not_handed_out(stage: Stage, path: str) -> None:
    stage.write("notes.txt", "private")
    stage.write("secret.txt", "private")
    turn = stage.turn()
    await stage.show(turn.started(), turn.saved(path, "Notes"), turn.finished("Here."))
    assert stage.texts()[1] == "I could not attach Notes."
    assert stage.slack.files == []


@pytest.mark.proves("files_out.bounds")
async def test_a_post_has_a_bounded_number_of_files_and_the_others_are_named(stage: Stage) -> None:
    turn = stage.turn()
    count = limits.POST_FILES + limits.NAMED_FILES + 2
    paths = [stage.write(f"work_products/{n:02}.csv", "a;b") for n in range(count)]
    saved = [turn.saved(path, f"File {n:02}", mimetype="text/csv") for n, path in enumerate(paths)]
    await stage.show(turn.started(), *saved, turn.finished("Here."))
    assert len(stage.slack.files) == limits.POST_FILES
    named = [f"I could not attach File {n}." for n in range(20, 24)]
    assert stage.texts()[1:] == [*named, "I could not attach File 24 (+2)."]


async def test_a_file_that_slack_does_not_take_is_named(stage: Stage) -> None:
    stage.slack.fail("files.getUploadURLExternal", error="file_uploads_disabled", times=9)
    turn, path = stage.turn(), stage.write("work_products/notes.md", "# Notes")
    await stage.show(turn.started(GERMAN), turn.saved(path, "Notes"), turn.finished("Hier."))
    assert stage.texts() == ["Hier.", "Ich konnte Notes nicht anhängen."]


@pytest.mark.proves("posts.limits")
async def test_an_answer_is_not_kept_waiting_by_a_limited_progress_post(stage: Stage) -> None:
    turn = stage.turn()
    presenter = await stage.show(turn.started(), turn.call("c1", "run_python"))
    await presenter.close()
    stage.slack.fail("chat.update", status=429, retry_after_s=60)
    await presenter.show(turn.finished("The answer."))
    refused = next(i for i, call in enumerate(stage.slack.calls) if call.status == 429)
    assert stage.slack.calls[refused + 1].method == "chat.postMessage"
    assert stage.texts() == ["Done in 2 s\n✓ Working with the data", "The answer."]


@pytest.mark.proves("posts.refused")
async def test_blocks_that_slack_refuses_are_replaced_by_text(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    turn = stage.turn()
    await stage.show(turn.started(), turn.finished("| a | b |\n|---|---|\n| 1 | 2 |"))
    assert stage.texts() == ["```\na | b\n--+--\n1 | 2\n```"]


@pytest.mark.proves("posts.refused")
async def test_where_slack_refuses_a_chart_its_table_is_shown_all_the_same(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    turn = stage.turn()
    answer = "| Year | GW |\n|---|---|\n| 2021 | 1 |\n| 2022 | 2 |\n| 2023 | 3 |"
    await stage.show(turn.started(), turn.finished(answer))
    _, post = stage.slack.thread("general", stage.thread.root_ts)
    assert [block["type"] for block in post.blocks] == ["table", "context_actions"]


@pytest.mark.proves("posts.refused")
async def test_text_that_slack_refuses_altogether_comes_as_a_file(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="msg_too_long", times=2)
    turn = stage.turn()
    await stage.show(turn.started(), turn.finished("The answer."))
    assert [file.content for file in stage.slack.files] == [b"The answer."]


@pytest.mark.proves("posts.refused")
@pytest.mark.parametrize("is_refused_first", [False, True])
async def test_an_answer_and_its_report_for_a_closed_thread_reach_the_asker(
    stage: Stage, is_refused_first: bool
) -> None:
    path, turn = stage.write("work_products/report.html", "<p>Report</p>"), stage.turn()
    if is_refused_first:
        stage.slack.fail("files.completeUploadExternal", error="invalid_blocks")
        stage.slack.fail("chat.postMessage", error="is_archived")
    else:
        stage.slack.fail("files.completeUploadExternal", error="is_archived")
    await stage.show(turn.started(), turn.saved(path), turn.finished("The answer."))
    assert stage.texts() == []
    assert stage.direct_texts()[:2] == [NOTICE, "The answer."]
    [file] = stage.slack.files
    assert [share.channel for share in file.shares] == [stage.slack.dm_id("ann")]


@pytest.mark.proves("posts.twin")
@pytest.mark.parametrize("apart_s", [0.0005, -0.0005, 2.0, -30.0])
async def test_a_post_of_another_ts_than_slack_has_is_answered_in_the_thread_there_is(
    stage: Stage, apart_s: float
) -> None:
    """Slack delivers one post under two `ts`, and the one that it does not have comes first."""
    await stage.slack.say("ben", "general", "What is new in batteries?")
    said = f"{stage.slack.mention} What is new   in batteries?"
    real_ts = await stage.slack.say("ann", "general", said)
    await stage.slack.say("ann", "general", "Something else.")
    there = replace(stage.thread, root_ts=real_ts)
    lost = replace(stage.thread, root_ts=f"{float(real_ts) + apart_s:.6f}")
    twin = replace(stage, thread=lost)
    turn = twin.turn()
    stage.slack.fail("chat.postMessage", error="thread_not_found")
    await twin.show(turn.started(), turn.finished("The answer."))
    assert replace(stage, thread=there).texts() == ["The answer."]
    assert stage.direct_texts() == []


@pytest.mark.parametrize("text", ["What is new in batteries?", ""])
async def test_without_a_post_of_the_same_words_the_asker_is_told_directly(
    stage: Stage, text: str
) -> None:
    await stage.slack.say("ann", "general", stage.slack.mention)
    await stage.slack.say("ben", "general", "What is new in batteries?")
    turn = stage.turn()
    stage.slack.fail("chat.postMessage", error="thread_not_found")
    await stage.show(turn.started(text), turn.finished("The answer."))
    assert stage.direct_texts() == [NOTICE, "The answer."]


async def test_an_answer_does_not_wait_for_files_that_slack_cannot_take_now(stage: Stage) -> None:
    stage.slack.fail("files.getUploadURLExternal", error="internal_error", times=50)
    path, turn = stage.write("work_products/report.html", "<p>Report</p>"), stage.turn()
    presenter = await stage.show(turn.started(), turn.saved(path))
    for _ in range(2):
        with pytest.raises(SlackUnavailable):
            await presenter.show(turn.finished("The answer."))
        assert stage.texts() == ["The answer."]
    stage.slack.heal()
    await presenter.show(turn.finished("The answer."))
    assert stage.texts() == ["The answer.", ""]
    assert [len(file.shares) for file in stage.slack.files] == [1]


async def test_progress_that_the_thread_refuses_is_not_tried_again(stage: Stage) -> None:
    await stage.slack.remove_from_channel("general", "bot")
    turn = stage.turn()
    calls = [turn.call(f"c{number}", "run_python") for number in range(5)]
    await stage.show(turn.started(), *calls)
    assert stage.calls("chat.postMessage") == 1
    assert max(stage.clock.slept, default=0) < 5


async def test_where_slack_takes_nothing_anywhere_the_turn_ends(stage: Stage) -> None:
    methods = ("chat.postMessage", "chat.postEphemeral", "chat.update")
    for method in (*methods, "files.completeUploadExternal"):
        stage.slack.fail(method, error="not_in_channel", times=50)
    path, turn = stage.write("work_products/report.html", "<p>Report</p>"), stage.turn()
    presenter = await stage.show(turn.started(), turn.routed("COMPLEX"), turn.saved(path))
    with pytest.raises(PlaceRefused):
        await presenter.show(turn.finished("The answer."))
    await presenter.give_up()
    assert stage.texts() == []
    assert presenter.is_finished
    assert len(stage.slack.calls) < 30


def _markdown(post: Post) -> list[str]:
    return [block["text"] for block in post.blocks if block["type"] == "markdown"]
