import asyncio

from bot.presenter.progress import PostEdits
from bot.slack_api import SlackApi, SystemClock, web_client
from tests.bot.presenter.conftest import Stage


class Counter:
    """A text that is new each time it is asked for after `add`."""

    def __init__(self) -> None:
        self.number = 0
        self.asked = asyncio.Event()

    def text(self) -> str:
        self.asked.set()
        return f"state {self.number}"


async def _post(stage: Stage) -> str:
    return await stage.api.post(stage.thread, "state 0", op_id="progress")


async def test_the_newest_state_wins_over_those_that_came_meanwhile(stage: Stage) -> None:
    ts, counter = await _post(stage), Counter()
    edits = PostEdits(stage.api, stage.thread.channel, ts, counter.text, interval_s=0.01)
    edits.touch()
    await counter.asked.wait()
    for _ in range(50):
        counter.number += 1
        edits.touch()
    await stage.slack.wait_for(lambda _: stage.texts() == ["state 50"])
    await edits.stop()

    assert stage.calls("chat.update") <= 2


async def test_edits_keep_their_distance(stage: Stage) -> None:
    ts, counter = await _post(stage), Counter()
    client = web_client(stage.slack.bot_token, base_url=stage.slack.api_url)
    real_time = SlackApi(client, clock=SystemClock())
    edits = PostEdits(real_time, stage.thread.channel, ts, counter.text, interval_s=0.15)
    for _ in range(3):
        counter.number += 1
        edits.touch()
        shown = counter.text()
        await stage.slack.wait_for(lambda _, shown=shown: stage.texts() == [shown])
    await edits.stop()

    moments = [call.at_s for call in stage.slack.calls if call.method == "chat.update"]
    assert len(moments) == 3
    assert min(moments[1] - moments[0], moments[2] - moments[1]) >= 0.15


async def test_an_edit_that_was_left_out_is_made_later(stage: Stage) -> None:
    ts, counter = await _post(stage), Counter()
    stage.slack.fail("chat.update", status=429, retry_after_s=1)
    stage.slack.fail("chat.update", status=500)
    edits = PostEdits(stage.api, stage.thread.channel, ts, counter.text, interval_s=0.01)
    counter.number = 7
    edits.touch()
    await stage.slack.wait_for(lambda _: stage.texts() == ["state 7"])
    await edits.stop()


async def test_a_post_that_somebody_deleted_is_left_alone(stage: Stage) -> None:
    ts, counter = await _post(stage), Counter()
    await stage.slack.delete("general", ts)
    edits = PostEdits(stage.api, stage.thread.channel, ts, counter.text, interval_s=0.01)
    edits.touch()
    await stage.slack.wait_for(lambda _: stage.calls("chat.update") == 1)
    counter.number = 1
    edits.touch()
    await edits.stop()

    assert stage.calls("chat.update") == 1


async def test_nothing_new_is_not_sent(stage: Stage) -> None:
    ts, counter = await _post(stage), Counter()
    edits = PostEdits(stage.api, stage.thread.channel, ts, counter.text, interval_s=0.01)
    counter.number = 1
    edits.touch()
    await stage.slack.wait_for(lambda _: stage.texts() == ["state 1"])
    for _ in range(5):
        edits.touch()
        await asyncio.sleep(0)
    await edits.stop()

    assert stage.calls("chat.update") == 1
