"""A question to a person: asked once, in a post of its own, and nothing moves while it waits."""

from datetime import timedelta

import pytest

from agent_core.events import AnyEvent
from bot.presenter import Signs
from bot.presenter.presenter import ThreadPresenter
from bot.slack_api import SlackError
from tests.bot.presenter.conftest import CutState, Stage
from tests.bot.presenter.turns import MemoryState, Turn


async def show(presenter: ThreadPresenter, *events: AnyEvent) -> None:
    for event in events:
        await presenter.show(event)


def until_asked(turn: Turn) -> list[AnyEvent]:
    return [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.call("c1", "run_python"),
        turn.returned("c1"),
        turn.asked("Which **grid**?", "Germany", "Poland"),
    ]


def status(stage: Stage) -> str:
    [*_, last] = [call for call in stage.slack.calls if call.method == "agents.sessions.setStatus"]
    return str(last.args["status"])


def question(stage: Stage) -> str:
    ann = stage.slack.people["ann"]
    return (
        f"<@{ann}> Which *grid*?\n\n1. Germany\n2. Poland\n\n"
        "_Answer with a number or in your own words._"
    )


async def test_a_question_is_a_post_of_its_own_that_names_who_is_asked(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *until_asked(turn))

    assert stage.texts() == ["Waiting for Ann's answer · 1 tool call", question(stage)]
    assert status(stage) == "active"
    await presenter.close()


async def test_after_the_answer_progress_goes_on_below_it(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *until_asked(turn))
    answer_ts = await stage.slack.say("ann", "general", "2", thread_ts=stage.thread.root_ts)
    await show(presenter, turn.taken("2", "Ann", answer_ts), turn.call("c2", "run_python"))
    assert status(stage) == "processing"
    await show(presenter, turn.returned("c2"), turn.finished("It is Poland."))

    posts = stage.slack.thread("general", stage.thread.root_ts)[1:]
    assert [post.text for post in posts] == [
        "Asked Ann a question after 4 s · 1 tool call",
        question(stage),
        "2",
        "Done in 7 s · 2 tool calls",
        "It is Poland.",
    ]
    assert status(stage) == "active"


async def test_nothing_but_the_mention_of_who_is_asked_is_live(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    foreign = "<!channel> <@U0EVIL> @here see https://evil.test/?q=1 or [this](https://evil.test)"
    await show(presenter, turn.started(), turn.asked(foreign, foreign))

    [text] = stage.texts()
    assert text.count("<") == 1
    assert text.startswith(f"<@{stage.slack.people['ann']}> ")
    assert "@here" not in text
    assert "https://" not in text


async def test_a_near_deadline_is_told_in_the_readers_own_time(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    near = turn.asked("Which?", patience=timedelta(hours=3))
    await show(presenter, near)

    stamp = int(near.deadline.timestamp())
    assert stage.texts()[0].endswith(
        "\n\n_I wait for your answer until "
        f"<!date^{stamp}^{{date_short_pretty}}, {{time}}|2026-11-21 12:00 UTC>._"
    )


async def test_a_long_question_loses_no_option(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    options = [f"Option {letter} {'long ' * 50}" for letter in "abcdefghij"]
    await show(presenter, turn.started(), turn.asked("Why? " * 600, *options))

    assert all(len(text) <= 3_900 for text in stage.texts())
    assert all(f"Option {letter}" in "".join(stage.texts()) for letter in "abcdefghij")


async def test_while_a_person_thinks_no_post_is_edited(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *until_asked(turn))
    calls = len(stage.slack.calls)
    stage.clock.advance(86_400)
    await show(presenter, turn.returned("c7"), turn.progressed("c1", "3 of 8"))
    await presenter.close()

    assert len(stage.slack.calls) == calls


@pytest.mark.proves("waits.deploy")
async def test_a_restart_while_it_waits_is_not_to_be_seen(stage: Stage) -> None:
    turn, state, before = stage.turn(), MemoryState(), stage.presenter
    events = until_asked(turn)
    await show(before(state), *events)
    calls = len(stage.slack.calls)

    presenter = stage.presenter(state)
    await show(presenter, *events)
    assert len(stage.slack.calls) == calls

    await show(presenter, turn.taken("2", "Ann"), turn.finished("It is Poland."))
    assert stage.texts() == [
        "Asked Ann a question after 4 s · 1 tool call",
        question(stage),
        "Done in 5 s · 1 tool call",
        "It is Poland.",
    ]


async def test_two_questions_make_three_parts(stage: Stage) -> None:
    turn, state = stage.turn(), MemoryState()
    events = [
        *until_asked(turn),
        turn.taken("2", "Ann"),
        turn.thought(),
        turn.asked("And when?", call="q2"),
        turn.taken("now", "Ann"),
        turn.thought(),
        turn.finished("Done."),
    ]
    await show(stage.presenter(state), *events)
    await show(stage.presenter(state), *events)

    ann = stage.slack.people["ann"]
    assert stage.texts() == [
        "Asked Ann a question after 4 s · 1 tool call",
        question(stage),
        "Asked Ann a question after 6 s · 1 tool call",
        f"<@{ann}> And when?",
        "Done in 8 s · 1 tool call",
        "Done.",
    ]


async def test_a_stop_ends_the_wait(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, *until_asked(turn), turn.finished("Nothing was sent.", "stopped"))

    assert stage.texts() == [
        "Stopped after 4 s · 1 tool call",
        question(stage),
        "Nothing was sent.",
    ]
    assert status(stage) == "active"


async def test_a_question_whose_receipt_got_lost_is_not_asked_again(stage: Stage) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    await show(presenter, turn.started())
    stage.slack.fail("chat.postMessage", drop_after_accept=True)
    await show(presenter, turn.asked("Which?"))

    assert len(stage.texts()) == 1


async def test_a_question_that_slack_cannot_take_now_is_asked_when_shown_again(
    stage: Stage,
) -> None:
    presenter, turn = stage.presenter(), stage.turn()
    *before, asked = until_asked(turn)
    await show(presenter, *before)
    stage.slack.fail("chat.postMessage", status=500, times=7)
    with pytest.raises(SlackError):
        await presenter.show(asked)
    await show(presenter, asked, turn.taken("2", "Ann"), turn.finished("Done."))

    assert stage.texts() == [
        "Asked Ann a question after 4 s · 1 tool call",
        question(stage),
        "Done in 5 s · 1 tool call",
        "Done.",
    ]


@pytest.mark.proves("posts.crash")
@pytest.mark.parametrize("saves", range(16))
async def test_a_crash_at_any_save_asks_once_and_leaves_no_gap(stage: Stage, saves: int) -> None:
    turn, cut, survivor = stage.turn(), CutState(saves), MemoryState()
    events = [*until_asked(turn), turn.taken("2", "Ann"), turn.finished("It is Poland.")]
    dying = stage.presenter(cut)
    try:
        await show(dying, *events)
    except ConnectionAbortedError:
        await dying.close()
    survivor.saved = cut.saved
    await show(stage.presenter(survivor), *events)

    assert stage.texts() == [
        "Asked Ann a question after 4 s · 1 tool call",
        question(stage),
        "Done in 5 s · 1 tool call",
        "It is Poland.",
    ]
    assert status(stage) == "active"


async def test_the_answer_and_its_question_show_one_status_between_them(stage: Stage) -> None:
    signs = Signs(stage.api)
    asking, turn = stage.presenter(signs=signs), stage.turn()
    await signs.show(stage.thread, stage.thread.root_ts)
    await show(asking, *until_asked(turn))
    ts = await stage.slack.say("ann", "general", "2", thread_ts=stage.thread.root_ts)
    answering, answer = stage.presenter(signs=signs, asked_ts=ts), stage.turn("turn2")
    await signs.show(stage.thread, ts)
    assert status(stage) == "processing"

    await show(answering, answer.started(""), answer.finished("", "steered"))
    await show(asking, turn.taken("2", "Ann", ts))
    assert status(stage) == "processing"
    await show(asking, turn.finished("It is Poland."))

    assert status(stage) == "active"
    reacted = [call.args for call in stage.slack.calls if call.method.startswith("reactions.")]
    assert reacted == []
