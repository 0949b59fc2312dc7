import pytest

from agent_core.ids import ROOT_RUN, ToolCallId, child_run
from bot.sandbox.slack.records import Post
from tests.bot.presenter.conftest import Stage


async def test_the_first_event_shows_that_the_bot_is_at_work(stage: Stage) -> None:
    await stage.presenter().show(stage.turn().started())

    assert stage.slack.calls[0].method == "agents.sessions.setStatus"
    assert stage.slack.calls[0].args["status"] == "processing"


async def test_without_agent_sessions_the_askers_post_gets_a_reaction(stage: Stage) -> None:
    stage.slack.fail("agents.sessions.setStatus", error="feature_disabled")
    presenter, turn = stage.presenter(), stage.turn()

    await presenter.show(turn.started())
    assert [reaction.name for reaction in _root(stage).reactions] == ["eyes"]

    await presenter.show(turn.finished("Paris."))
    assert _root(stage).reactions == ()


async def test_the_sign_is_renewed_before_slack_takes_it_back(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("SIMPLE"))
    assert stage.calls("agents.sessions.setStatus") == 1

    stage.clock.advance(1_900)
    await presenter.show(turn.retried(1))
    assert stage.calls("agents.sessions.setStatus") == 2


async def test_the_sign_is_taken_back_even_when_slack_is_busy(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    stage.slack.fail("agents.sessions.setStatus", status=429, retry_after_s=30)
    await presenter.show(turn.finished("Paris."))

    assert stage.slack.calls[-1].args["status"] == "active"
    assert stage.slack.calls[-1].ok


async def test_a_simple_answer_is_one_post_and_no_progress(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    for event in [turn.started(), turn.routed("SIMPLE"), turn.finished("It is **Paris**.")]:
        await presenter.show(event)

    assert stage.texts() == ["It is *Paris*."]
    assert stage.calls("chat.update") == 0
    assert stage.slack.calls[-1].args["status"] == "active"


async def test_a_complex_turn_shows_progress_then_answer_then_file(stage: Stage) -> None:
    report = stage.write("work_products/report.html", "<h1>Batteries</h1>")
    presenter, turn = stage.presenter(), stage.turn()
    for event in [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.call("c1", "COMPOSIO_SEARCH_WEB", query="solid state"),
        turn.returned("c1"),
        turn.call("c2", "mcp__local_toolkit__crawl_parallel", urls=["https://a.test/1"] * 8),
        turn.returned("c2", display="7 of 8 pages read"),
        turn.saved(report, "Batteries in 2026"),
        turn.finished("Three sentences."),
    ]:
        await presenter.show(event)

    posts = stage.slack.thread("general", stage.thread.root_ts)[1:]
    assert [post.text for post in posts] == [
        "Done in 7 s · 2 tool calls · 7 pages read",
        "Three sentences.",
        "",
    ]
    [file] = posts[-1].files
    assert (file.name, file.title) == ("report.html", "Batteries in 2026")
    assert stage.slack.files[0].content == b"<h1>Batteries</h1>"


@pytest.mark.proves("thread.progress")
async def test_progress_is_edited_in_peoples_words(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("COMPLEX"))
    await presenter.show(turn.call("c1", "mcp__composio__COMPOSIO_SEARCH_NEWS", query="grid"))

    await stage.slack.wait_for(lambda _: "▸ Searching the news for “grid”" in stage.texts()[0])
    await presenter.show(turn.returned("c1"))
    await stage.slack.wait_for(lambda _: "✓ Searching the news for “grid”" in stage.texts()[0])
    await presenter.close()
    assert len(stage.texts()) == 1


async def test_no_edit_reaches_the_post_after_its_closing_line(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.routed("COMPLEX"))
    for number in range(30):
        await presenter.show(turn.call(f"c{number}", "run_python"))
    await presenter.show(turn.finished("Done."))

    updates = [call for call in stage.slack.calls if call.method == "chat.update"]
    assert updates[-1].args["text"].startswith("Done in")
    assert stage.texts()[0].startswith("Done in")


@pytest.mark.proves("thread.sub_agents")
async def test_sub_agents_steps_stand_below_the_call_that_started_them(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    child = child_run(ROOT_RUN, ToolCallId("t1"))
    await presenter.show(turn.started())
    await presenter.show(turn.call("t1", "Task", subagent_type="report-creation-expert"))
    await presenter.show(turn.call("w1", "mcp__local_toolkit__write_report", child, title="x"))

    await stage.slack.wait_for(lambda _: "Writing" in stage.texts()[0])
    await presenter.close()
    assert stage.texts()[0].splitlines()[1:] == [
        "▸ Asking the report expert",
        "      ▸ Writing the report",
    ]


async def test_progress_speaks_the_askers_language(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started("Schreibe mir einen Bericht über die Lage der Batterien"))
    await presenter.show(turn.call("c1", "COMPOSIO_SEARCH_WEB", query="Batterien"))
    await presenter.close()

    assert "Suche im Web nach “Batterien”" in stage.texts()[0]


async def test_a_failure_is_a_sentence_with_its_reference(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("The model could not be reached.", "failed", "ref42"))

    assert stage.texts() == ["The model could not be reached.\n\nReference: `ref42`"]


async def test_a_reference_that_the_sentence_names_is_not_repeated(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("It failed (reference ref42).", "failed", "ref42"))

    assert stage.texts() == ["It failed (reference ref42)."]


async def test_an_empty_answer_is_never_silence(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished("  "))

    assert stage.texts() == ["I have no answer to give."]


async def test_a_long_answer_comes_in_parts_that_lose_no_word(stage: Stage) -> None:
    words = [f"word{number}" for number in range(2_000)]
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished(" ".join(words)))

    assert " ".join(stage.texts()).split() == words
    assert all(len(text) <= 3_900 for text in stage.texts())


async def test_an_endless_answer_is_cut_and_added_as_a_file(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    answer = "\n\n".join(f"Paragraph {number}. " + "word " * 150 for number in range(250))
    await presenter.show(turn.started())
    await presenter.show(turn.finished(answer))

    assert len(stage.texts()) == 11
    assert [file.name for file in stage.slack.files] == ["answer.md"]
    assert stage.slack.files[0].content.decode() == answer.strip()


@pytest.mark.parametrize("path", ["notes.txt", "work_products/../secret.txt", "/etc/passwd"])
async def test_a_file_outside_the_work_products_is_not_handed_out(stage: Stage, path: str) -> None:
    stage.write("notes.txt", "private")
    stage.write("secret.txt", "private")
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.saved(path, "Notes"))
    await presenter.show(turn.finished("Here."))

    assert stage.texts()[1] == "I could not attach Notes: it is not a file for handing out."
    assert stage.slack.files == []


async def test_no_post_makes_slack_fetch_a_preview(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    for event in [turn.started(), turn.routed("COMPLEX"), turn.finished("See https://a.test/x")]:
        await presenter.show(event)

    posted = [call.args for call in stage.slack.calls if call.method == "chat.postMessage"]
    assert all(args["unfurl_links"] is False and args["unfurl_media"] is False for args in posted)
    assert all("link_names" not in args and "parse" not in args for args in posted)


def _root(stage: Stage) -> Post:
    return stage.slack.find("general", stage.thread.root_ts)
