"""The guarded view of the API, and direct messages that are sent once."""

import pytest

from agent_core.sessions.leases import LeaseLost
from bot.slack_api import SlackAuthRefused, SlackUnavailable
from tests.bot.slack_api.conftest import Desk


@pytest.mark.proves("processes.writes")
async def test_a_guard_is_asked_again_after_a_pause(desk: Desk) -> None:
    asked: list[float] = []

    async def guard() -> None:
        asked.append(desk.clock.seconds())
        if len(asked) == 2:
            raise LeaseLost

    desk.slack.fail("chat.postMessage", status=429, retry_after_s=60)
    with pytest.raises(LeaseLost):
        await desk.api.guarded(guard).post(desk.thread, "hello", op_id="a")

    assert asked[1] - asked[0] >= 60
    assert desk.texts() == []


async def test_reading_needs_no_guard(desk: Desk) -> None:
    async def guard() -> None:
        raise LeaseLost

    view = desk.api.guarded(guard)
    assert await view.find_post(desk.thread, "a") is None
    await desk.api.post(desk.thread, "hello", op_id="a")
    assert await view.find_post(desk.thread, "a") is not None


async def test_a_guarded_view_keeps_the_pauses_of_the_others(desk: Desk) -> None:
    async def guard() -> None:
        return

    ts = await desk.api.post(desk.thread, "hello", op_id="a")
    desk.slack.fail("chat.update", status=429, retry_after_s=60)
    assert not await desk.api.try_update(desk.thread.channel, ts, "hello again")
    calls = desk.calls("chat.update")
    assert not await desk.api.guarded(guard).try_update(desk.thread.channel, ts, "hello again")
    assert desk.calls("chat.update") == calls


async def test_a_direct_message_that_may_exist_is_looked_for_first(desk: Desk) -> None:
    team, ann, since = desk.thread.team, desk.slack.people["ann"], desk.thread.root_ts
    first = await desk.api.post_direct(team, ann, "hello", op_id="a", since=since)
    again = await desk.api.post_direct(team, ann, "hello", op_id="a", since=since, may_exist=True)

    assert again == first
    assert desk.calls("chat.postMessage") == 1
    assert desk.clock.slept[0] >= 10


async def test_a_direct_message_whose_receipt_got_lost_is_adopted(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    team, ann, since = desk.thread.team, desk.slack.people["ann"], desk.thread.root_ts
    place = await desk.api.post_direct(team, ann, "hello", op_id="a", since=since)

    [post] = desk.slack.posts(desk.slack.dm_id("ann"))
    assert (place.channel, place.root_ts) == (desk.slack.dm_id("ann"), post.ts)


async def test_a_direct_conversation_that_cannot_be_opened_is_told_by_its_kind(
    desk: Desk,
) -> None:
    desk.slack.fail("conversations.open", error="missing_scope")
    desk.slack.fail("conversations.open", status=503, times=7)
    team, ann, since = desk.thread.team, desk.slack.people["ann"], desk.thread.root_ts
    with pytest.raises(SlackAuthRefused):
        await desk.api.post_direct(team, ann, "hello", op_id="a", since=since)
    with pytest.raises(SlackUnavailable):
        await desk.api.post_direct(team, ann, "hello", op_id="a", since=since)
