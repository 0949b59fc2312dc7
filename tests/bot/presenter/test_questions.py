"""A question to a person: asked once, in a post of its own, and nothing moves while it waits."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agent_core.events import AnyEvent
from bot.presenter import Indicators
from bot.sandbox.slack import Post
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.turns import MemoryState, Turn

WAITING = "Waiting for Ann\n✓ Working with the data"


def until_asked(turn: Turn) -> list[AnyEvent]:
    return [
        turn.started(),
        turn.routed("COMPLEX"),
        turn.call("c1", "run_python"),
        turn.returned("c1"),
        turn.asked("Which **grid**?", "Germany", "Poland"),
    ]


def posts(stage: Stage) -> list[Post]:
    asked = stage.slack.thread("general", stage.thread.root_ts)
    return [post for post in asked if post.user == stage.slack.bot_user_id]


def buttons(stage: Stage) -> list[str]:
    rows = [each for block in posts(stage)[-1].blocks for each in block.get("elements", ())]
    return [each["text"]["text"] for each in rows if each["type"] == "button"]


def question(stage: Stage) -> str:
    ann = stage.slack.people["ann"]
    return f"<@{ann}> Which grid?\n\n1. Germany\n2. Poland\n\n_Pick one or type your answer._"


async def test_a_question_is_a_post_of_its_own_and_nothing_moves_while_it_waits(
    stage: Stage,
) -> None:
    turn = stage.turn()
    presenter = await stage.show(*until_asked(turn))
    assert stage.texts() == [WAITING, question(stage)]
    assert stage.status() == "active"
    calls = len(stage.slack.calls)
    stage.clock.advance(86_400)
    for event in (turn.returned("c7"), turn.progressed("c1", "3 of 8")):
        await presenter.show(event)
    await presenter.close()
    assert len(stage.slack.calls) == calls


async def test_nothing_but_the_mention_of_who_is_asked_is_live(stage: Stage) -> None:
    turn = stage.turn()
    foreign = "<!channel> <@U0EVIL> @here see https://evil.test/?q=1 or [this](https://evil.test)"
    await stage.show(turn.started(), turn.asked(foreign, foreign))
    [text] = stage.texts()
    assert text.count("<") == 1
    assert text.startswith(f"<@{stage.slack.people['ann']}> ")
    assert "@here" not in text
    assert "https://" not in text


async def test_a_near_deadline_is_told_in_the_readers_own_time(stage: Stage) -> None:
    near = stage.turn().asked("Which?", patience=timedelta(hours=3))
    await stage.show(near)
    stamp = int(near.deadline.timestamp())
    assert stage.texts()[0].endswith(
        "\n\n_I wait for your answer until "
        f"<!date^{stamp}^{{date_short_pretty}}, {{time}}|2026-11-21 12:00 UTC>._"
    )


async def test_a_long_question_loses_no_option(stage: Stage) -> None:
    turn = stage.turn()
    options = [f"Option {letter} {'long ' * 50}" for letter in "abcdefghij"]
    await stage.show(turn.started(), turn.asked("Why? " * 600, *options))
    assert all(len(text) <= 3_900 for text in stage.texts())
    assert all(f"Option {letter}" in "".join(stage.texts()) for letter in "abcdefghij")


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        (("Germany", "Poland"), ["Germany", "Poland (my pick)", "Other…"]),
        (("Poland", "long " * 20), ["1", "2", "Other…"]),
    ],
)
async def test_each_option_has_a_button_and_long_ones_are_numbered(
    stage: Stage, options: tuple[str, ...], labels: list[str]
) -> None:
    turn = stage.turn()
    asked = replace(turn.asked("Which?", *options), default="Poland")
    await stage.show(turn.started(), asked)
    assert buttons(stage) == labels
    assert ("1. Poland (my pick)" in str(posts(stage)[0].blocks)) == (labels[0] == "1")


@pytest.mark.parametrize("is_answered", [True, False])
async def test_an_ended_question_says_how_and_has_no_buttons(
    stage: Stage, is_answered: bool
) -> None:
    turn, state = stage.turn(), MemoryState()
    asked = replace(turn.asked("Which?", "Germany", "Poland"), default="Poland")
    events = [turn.started(), asked]
    events += [turn.taken("Germany", "Ann")] if is_answered else []
    for _ in range(2):
        await stage.show(*events, turn.thought(), state=state)
    post = posts(stage)[0]
    ann = stage.slack.people["ann"]
    said = f"<@{ann}> answered: Germany" if is_answered else "I went on with: Poland"
    assert said in post.text
    assert "button" not in str(post.blocks)


async def test_a_question_whose_buttons_slack_refuses_is_asked_in_words(stage: Stage) -> None:
    turn = stage.turn()
    await stage.show(turn.started())
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    await stage.show(turn.asked("Which?", "Germany", "Poland"))
    assert "1. Germany\n2. Poland" in stage.texts()[-1]


async def test_two_questions_make_no_second_progress_post(stage: Stage) -> None:
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
    for _ in range(2):
        await stage.show(*events, state=state)
    ann = stage.slack.people["ann"]
    assert stage.texts() == [
        "Done in 8 s\n✓ Working with the data",
        f"<@{ann}> Which grid?\n\n<@{ann}> answered: 2",
        f"<@{ann}> And when?\n\n<@{ann}> answered: now",
        "Done.",
    ]


async def test_a_stop_ends_the_wait(stage: Stage) -> None:
    turn = stage.turn()
    await stage.show(*until_asked(turn), turn.finished("Nothing was sent.", "stopped"))
    stopped = "Worked for 4 s\n✓ Working with the data"
    ended = f"<@{stage.slack.people['ann']}> Which grid?\n\nNo answer came."
    assert stage.texts() == [stopped, ended, "Nothing was sent."]
    assert stage.status() == "active"


async def test_the_answer_and_its_question_show_one_status_between_them(stage: Stage) -> None:
    indicators = Indicators(stage.api)
    asking, turn = stage.presenter(indicators=indicators), stage.turn()
    await indicators.show(stage.thread, stage.thread.root_ts)
    for event in until_asked(turn):
        await asking.show(event)
    ts = await stage.slack.say("ann", "general", "2", thread_ts=stage.thread.root_ts)
    answering, answer = stage.presenter(indicators=indicators, asked_ts=ts), stage.turn("turn2")
    await indicators.show(stage.thread, ts)
    assert stage.status() == "processing"
    await answering.show(answer.started(""))
    await answering.show(answer.finished("", "steered"))
    await asking.show(turn.taken("2", "Ann", ts))
    assert stage.status() == "processing"
    await asking.show(turn.finished("It is Poland."))
    assert stage.status() == "active"
    assert stage.calls("reactions.add") == 0
