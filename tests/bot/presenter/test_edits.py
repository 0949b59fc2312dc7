"""The newest state of a progress post reaches Slack, and no more edits than are needed."""

import asyncio
from itertools import pairwise

import pytest

from bot.presenter import Signs, ThreadPresenter
from bot.slack_api import Clock, SlackApi, web_client
from tests.bot.presenter.conftest import Stage, no_link
from tests.bot.presenter.turns import MemoryState, Turn


@pytest.fixture
async def turn(stage: Stage) -> Turn:
    """One with a progress post."""
    turn = stage.turn()
    await stage.show(turn.started(), turn.call("c0", "run_python"))
    return turn


async def go_on(stage: Stage, turn: Turn, *numbers: int) -> None:
    for number in numbers:
        await stage.presenters[-1].show(turn.progressed("c0", f"{number} of 60"))


async def shown(stage: Stage, number: int) -> None:
    await stage.slack.wait_for(lambda _: f"({number} of 60)" in stage.texts()[0])


async def test_the_newest_state_wins_over_those_that_came_meanwhile(
    stage: Stage, turn: Turn
) -> None:
    await go_on(stage, turn, *range(51))
    await shown(stage, 50)
    for _ in range(5):
        await go_on(stage, turn, 50)  # nothing new but the time
        await asyncio.sleep(0)
    await stage.presenters[-1].close()
    assert stage.calls("chat.update") <= 3


async def test_edits_keep_their_distance(stage: Stage) -> None:
    client = web_client(stage.slack.bot_token, base_url=stage.slack.api_url)
    api, turn = SlackApi(client, clock=Clock()), stage.turn()
    presenter = ThreadPresenter(
        api,
        stage.thread,
        MemoryState(),
        stage.workspace,
        asked_ts=stage.thread.root_ts,
        signs=Signs(api),
        connect_link=no_link,
        edit_interval_s=0.15,
    )
    stage.presenters.append(presenter)
    for event in (turn.started(), turn.call("c0", "run_python")):
        await presenter.show(event)
    for number in (1, 2, 3):
        await go_on(stage, turn, number)
        await shown(stage, number)
    await presenter.close()
    moments = [call.at_s for call in stage.slack.calls if call.method == "chat.update"]
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert len(gaps) >= 2
    assert min(gaps) >= 0.15


async def test_an_edit_that_was_left_out_is_made_later(stage: Stage, turn: Turn) -> None:
    stage.slack.fail("chat.update", status=429, retry_after_s=1)
    stage.slack.fail("chat.update", status=500)
    await go_on(stage, turn, 7)
    await shown(stage, 7)


async def test_a_post_that_somebody_deleted_is_left_alone(stage: Stage, turn: Turn) -> None:
    [_, post] = stage.slack.thread("general", stage.thread.root_ts)
    await stage.slack.delete("general", post.ts)
    await go_on(stage, turn, 1)
    await stage.slack.wait_for(lambda _: stage.calls("chat.update") == 1)
    await go_on(stage, turn, 2)
    await stage.presenters[-1].close()
    assert stage.calls("chat.update") == 1
