"""The newest state of a progress post reaches Slack, and no more edits than are needed."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.presenter.progress import PostEdits
from bot.slack_api import Clock, SlackApi, web_client
from tests.bot.presenter.conftest import Stage


class Counted:
    """A post with a number in it, and its edits."""

    def __init__(self, stage: Stage, ts: str, api: SlackApi, interval_s: float) -> None:
        self.number = 0
        self.asked = asyncio.Event()
        channel = stage.thread.channel
        self.edits = PostEdits(api, channel, ts, self._text, interval_s=interval_s)
        self._stage = stage

    def go_on(self, number: int) -> None:
        self.number = number
        self.edits.touch()

    async def shown(self, number: int) -> None:
        texts = [f"state {number}"]
        await self._stage.slack.wait_for(lambda _: self._stage.texts() == texts)

    def _text(self) -> str:
        self.asked.set()
        return f"state {self.number}"


@pytest.fixture
async def counted(stage: Stage) -> AsyncIterator[Counted]:
    ts = await stage.api.post(stage.thread, "state 0", op_id="progress")
    counted = Counted(stage, ts, stage.api, 0.01)
    yield counted
    await counted.edits.stop()


async def test_the_newest_state_wins_over_those_that_came_meanwhile(
    stage: Stage, counted: Counted
) -> None:
    counted.edits.touch()
    await counted.asked.wait()
    for number in range(51):
        counted.go_on(number)
    await counted.shown(50)
    for _ in range(5):
        counted.edits.touch()  # nothing new
        await asyncio.sleep(0)
    await counted.edits.stop()
    assert stage.calls("chat.update") <= 2


async def test_edits_keep_their_distance(stage: Stage) -> None:
    ts = await stage.api.post(stage.thread, "state 0", op_id="progress")
    client = web_client(stage.slack.bot_token, base_url=stage.slack.api_url)
    counted = Counted(stage, ts, SlackApi(client, clock=Clock()), 0.15)
    for number in (1, 2, 3):
        counted.go_on(number)
        await counted.shown(number)
    await counted.edits.stop()
    moments = [call.at_s for call in stage.slack.calls if call.method == "chat.update"]
    assert len(moments) == 3
    assert min(moments[1] - moments[0], moments[2] - moments[1]) >= 0.15


async def test_an_edit_that_was_left_out_is_made_later(stage: Stage, counted: Counted) -> None:
    stage.slack.fail("chat.update", status=429, retry_after_s=1)
    stage.slack.fail("chat.update", status=500)
    counted.go_on(7)
    await counted.shown(7)


async def test_a_post_that_somebody_deleted_is_left_alone(stage: Stage, counted: Counted) -> None:
    [_, post] = stage.slack.thread("general", stage.thread.root_ts)
    await stage.slack.delete("general", post.ts)
    counted.edits.touch()
    await stage.slack.wait_for(lambda _: stage.calls("chat.update") == 1)
    counted.go_on(1)
    await counted.edits.stop()
    assert stage.calls("chat.update") == 1
