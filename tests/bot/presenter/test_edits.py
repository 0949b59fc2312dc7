"""The newest plan reaches Slack with few edits, and the status line never falls silent."""

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from agent_core.ids import RunId, agent_id
from bot.clicks import BranchStop, decode
from bot.slack_api import MonotonicClock, SlackApi, web_client
from tests.bot.desk import open_desk
from tests.bot.presenter.conftest import Stage
from tests.bot.presenter.turns import START, Turn
from tests.bot.socket.world import SharedClock
from tests.clocks import ManualClock

LINE = "assistant.threads.setStatus"


class IdleClock(SharedClock):
    """Its time can be passed to the next moment for which the bot waits."""

    def __init__(self, time: ManualClock) -> None:
        super().__init__(time)
        self._time = time
        self._until_s = time.now()
        self._idle = asyncio.Event()

    async def pass_idle_time(self) -> None:
        """As soon as the bot waits for a moment, this comes."""
        async with asyncio.timeout(30):
            await self._idle.wait()
        self._idle.clear()
        self._time.advance(self._until_s - self._time.now())

    async def sleep(self, seconds: float) -> None:
        self._until_s = self._time.now() + seconds
        self._idle.set()
        await super().sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self.sleep(seconds))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()


def lines(stage: Stage) -> list[Any]:
    return [call for call in stage.slack.calls if call.method == LINE]


@pytest.fixture
async def turn(stage: Stage) -> Turn:
    """One with a progress post."""
    turn = stage.turn()
    await stage.show(turn.started(), turn.call("c0", "run_python"))
    return turn


async def go_on(stage: Stage, turn: Turn, *numbers: int) -> None:
    for number in numbers:
        await stage.presenters[-1].show(turn.call(f"c{number}", "search_web", query=f"q{number}"))


async def shown(stage: Stage, number: int) -> None:
    await stage.slack.wait_for(lambda _: f"“q{number}”" in stage.texts()[0])


async def test_the_plan_is_one_post_with_a_card_for_each_step(stage: Stage) -> None:
    turn, run = stage.turn(), RunId("root.part1")
    await stage.show(
        turn.started(),
        turn.branch(run, "Storage prices <!channel>"),
        turn.call("c1", "crawl_parallel", run, urls=["https://iea.org/a"]),
        turn.read("c1", ("https://iea.org/a", "Grid storage"), run=run),
        turn.call("c2", "run_python"),
    )
    await stage.slack.wait_for(lambda _: "Working with" in stage.texts()[0])
    [_, post] = stage.slack.thread("general", stage.thread.root_ts)
    plan, below = post.blocks
    assert plan["title"] == "Working on it · 1 page read"
    first, second = plan["tasks"]
    assert first["title"] == "Storage prices <\u2060!channel>"
    assert first["status"] == second["status"] == "in_progress"
    assert first["sources"] == [{"type": "url", "url": "https://iea.org/a", "text": "Grid storage"}]
    [menu] = below["elements"]
    assert menu["action_id"] == "branch.stop"
    [option] = menu["options"]
    assert decode(menu["action_id"], option["value"]) == BranchStop(agent=agent_id(turn.turn, run))
    assert post.text.splitlines()[2] == "▸ Working with the data"
    assert "<!channel>" not in post.text
    await stage.presenters[-1].show(turn.returned("c2", is_error=True))
    await stage.presenters[-1].show(turn.finished("Done."))
    [_, post, answer] = stage.slack.thread("general", stage.thread.root_ts)
    failed = post.blocks[0]["tasks"][1]["title"]
    assert failed == "Working with the data · That did not work; I go on without it"
    assert [block["type"] for block in post.blocks] == ["plan"], "there is nothing to stop any more"
    assert answer.text == "Done."


async def test_where_cards_are_refused_the_same_is_told_in_text(stage: Stage) -> None:
    stage.slack.fail("chat.postMessage", error="invalid_blocks")
    turn = stage.turn()
    await stage.show(turn.started(), turn.call("c0", "run_python"))
    await go_on(stage, turn, 1)
    await shown(stage, 1)
    assert stage.texts()[0].startswith("Working on it\n▸ Working with the data")
    [_, post] = stage.slack.thread("general", stage.thread.root_ts)
    assert not [block for block in post.blocks if block["type"] == "plan"]


async def test_the_newest_state_wins_over_those_that_came_meanwhile(
    stage: Stage, turn: Turn
) -> None:
    await go_on(stage, turn, *range(1, 51))
    await stage.slack.wait_for(lambda _: "46 earlier steps" in stage.texts()[0])
    for _ in range(5):
        await stage.presenters[-1].show(turn.thought())  # nothing new in the plan
        await asyncio.sleep(0)
    await stage.presenters[-1].close()
    assert stage.calls("chat.update") <= 3


async def test_edits_keep_their_distance(stage: Stage) -> None:
    client = web_client(stage.slack.bot_token, base_url=stage.slack.api_url)
    api, turn = SlackApi(client, clock=MonotonicClock()), stage.turn()
    presenter = stage.presenter(api=api, edit_interval_s=0.15)
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


async def test_in_a_long_quiet_call_the_line_is_never_silent_for_five_seconds(stage: Stage) -> None:
    time = ManualClock()
    async with open_desk(Stage, time=time, workspace=stage.workspace) as quiet:
        client = web_client(quiet.slack.bot_token, base_url=quiet.slack.api_url)
        clock, turn = IdleClock(time), quiet.turn()
        begun_s = time.now()
        presenter = quiet.presenter(
            api=SlackApi(client, clock=clock),
            edit_interval_s=2.0,
            now=lambda: START + timedelta(seconds=time.now() - begun_s),
        )
        await presenter.show(turn.started("What is <!channel> new?"))
        await quiet.slack.wait_for(lambda _: len(lines(quiet)) == 1)
        assert lines(quiet)[0].args["status"] == "is looking at it"
        while time.now() < lines(quiet)[0].at_s + 60:  # the router takes its time
            await clock.pass_idle_time()
        assert lines(quiet)[1].args["status"].startswith("is looking at it · ")
        assert len({call.args["status"] for call in lines(quiet)}) == len(lines(quiet))
        await presenter.show(turn.call("c1", "run_python"))
        [session] = quiet.slack.state.sessions.values()
        assert session.status_text, "the plan's post has taken the line away"
        while time.now() < lines(quiet)[0].at_s + 300:
            await clock.pass_idle_time()
        await presenter.close()
        moments = [call.at_s for call in lines(quiet)]
        assert max(later - earlier for earlier, later in pairwise([*moments, time.now()])) <= 5
        assert "Working with the data" in str(lines(quiet)[-1].args["loading_messages"])


async def test_without_a_status_line_nothing_else_is_lost(stage: Stage) -> None:
    stage.slack.fail(LINE, error="method_not_supported_for_channel_type")
    turn = stage.turn()
    await stage.show(turn.started(), turn.call("c0", "run_python"))
    await go_on(stage, turn, 1)
    await shown(stage, 1)
    await stage.presenters[-1].show(turn.finished("Done."))
    assert stage.texts()[1] == "Done."
    assert len(lines(stage)) == 1
