"""Posts, edits and limits against the stand-in, whose faults are those seen on the live service."""

import asyncio

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.slack import SlackStandIn
from bot.slack_api import (
    ContentRefused,
    PlaceRefused,
    SkippingClock,
    SlackApi,
    SlackAuthRefused,
    SlackLimited,
    SlackUnavailable,
    SystemClock,
    web_client,
)
from bot.slack_api.calls import Budget
from bot.threads import ThreadRef
from tests.bot.slack_api.conftest import Desk


async def test_a_post_lands_in_its_thread_with_its_op_id(desk: Desk) -> None:
    ts = await desk.api.post(desk.thread, "hello", op_id="turn1/answer")

    assert desk.texts() == ["hello"]
    assert await desk.api.find_post(desk.thread, "turn1/answer") == ts
    assert await desk.api.find_post(desk.thread, "turn1/other") is None


@pytest.mark.proves("posts.read_back")
async def test_a_connection_that_is_cut_after_the_post_makes_no_second_one(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    ts = await desk.api.post(desk.thread, "once", op_id="op1")

    assert desk.texts() == ["once"]
    assert desk.calls("chat.postMessage") == 1
    assert await desk.api.find_post(desk.thread, "op1") == ts


async def test_the_sdks_own_client_would_have_posted_twice(desk: Desk) -> None:
    """M1: why the client is made without its default retry."""
    default = AsyncWebClient(token=desk.slack.bot_token, base_url=desk.slack.api_url)
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    arguments = {
        "channel": desk.thread.channel,
        "thread_ts": desk.thread.root_ts,
        "text": "twice",
    }
    await default.api_call("chat.postMessage", json=arguments)  # pyright: ignore[reportUnknownMemberType]

    assert desk.texts() == ["twice", "twice"]


async def test_a_post_that_was_not_taken_is_made_again(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=503, times=3)
    desk.slack.fail("chat.postMessage", status=500, html=True)
    desk.slack.fail("chat.postMessage", error="fatal_error")
    await desk.api.post(desk.thread, "at last", op_id="op1")

    assert desk.texts() == ["at last"]


async def test_a_post_is_given_up_in_the_end(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=500, times=50)
    with pytest.raises(SlackUnavailable):
        await desk.api.post(desk.thread, "never", op_id="op1")

    assert desk.calls("chat.postMessage") == 7


async def test_a_post_that_may_exist_is_looked_for_first(desk: Desk) -> None:
    first = await desk.api.post(desk.thread, "once", op_id="op1")
    second = await desk.api.post(desk.thread, "once", op_id="op1", may_exist=True)

    assert first == second
    assert desk.texts() == ["once"]


@pytest.mark.proves("posts.read_back")
async def test_a_lost_post_is_found_on_a_later_page(desk: Desk) -> None:
    for number in range(230):
        await desk.slack.say("ben", "general", f"{number}", thread_ts=desk.thread.root_ts)
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    await desk.api.post(desk.thread, "once", op_id="op1")

    assert desk.texts().count("once") == 1
    assert desk.calls("conversations.replies") == 2


@pytest.mark.proves("posts.time_limit")
async def test_a_call_that_hangs_ends_at_its_limit(desk: Desk) -> None:
    api = SlackApi(desk.client, clock=desk.clock, limit_s=0.1)
    desk.slack.fail("chat.postEphemeral", hang_s=3.0)
    async with asyncio.timeout(2):
        with pytest.raises(SlackUnavailable):
            await api.post_ephemeral(desk.thread.channel, desk.slack.people["ann"], "psst")


async def test_a_pause_is_kept_and_the_post_is_not_lost(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=429, retry_after_s=17, times=2)
    await desk.api.post(desk.thread, "patient", op_id="op1")

    assert desk.texts() == ["patient"]
    assert desk.clock.slept == [17.0, 17.0]


@pytest.mark.proves("posts.limits")
async def test_an_edit_inside_a_pause_is_left_out_without_a_call(desk: Desk) -> None:
    ts = await desk.api.post(desk.thread, "one", op_id="op1")
    desk.slack.fail("chat.update", status=429, retry_after_s=30)

    assert not await desk.api.try_update(desk.thread.channel, ts, "two")
    assert not await desk.api.try_update(desk.thread.channel, ts, "three")
    assert desk.calls("chat.update") == 1

    desk.clock.advance(31)
    assert await desk.api.try_update(desk.thread.channel, ts, "four")
    assert desk.texts() == ["four"]


async def test_a_pause_in_one_channel_does_not_hold_up_another(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=429, retry_after_s=30)
    news_ts = await desk.slack.say("ann", "news", "root")
    news = ThreadRef(team=desk.thread.team, channel=desk.slack.channels["news"], root_ts=news_ts)
    waiting = asyncio.create_task(desk.api.post(desk.thread, "late", op_id="op1"))
    await desk.slack.wait_for(lambda slack: any(call.status == 429 for call in slack.calls))
    await desk.api.post(news, "now", op_id="op2")
    await waiting

    assert desk.texts() == ["late"]


async def test_callers_that_waited_leave_one_by_one() -> None:
    clock = SkippingClock()
    budget = Budget(clock)
    budget.close("chat.postMessage", "C1", retry_after_s=30)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(budget.admit("chat.postMessage", "C1"))

    assert clock.slept == [30.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("channel_not_found", PlaceRefused),
        ("restricted_action_thread_locked", PlaceRefused),
        ("msg_too_long", ContentRefused),
        ("invalid_blocks", ContentRefused),
        ("token_revoked", SlackAuthRefused),
    ],
)
async def test_a_refusal_is_told_by_its_kind_and_not_repeated(
    desk: Desk, code: str, kind: type[Exception]
) -> None:
    desk.slack.fail("chat.postMessage", error=code, times=2)
    with pytest.raises(kind, match=code):
        await desk.api.post(desk.thread, "no", op_id="op1")

    assert desk.calls("chat.postMessage") == 1


async def test_a_missing_scope_is_named() -> None:
    async with SlackStandIn(scopes=("chat:write",)) as slack:
        api = SlackApi(web_client(slack.bot_token, base_url=slack.api_url))
        with pytest.raises(SlackAuthRefused) as refused:
            await api.person(slack.people["ann"])

    assert refused.value.needed == "users:read"


async def test_an_edit_replaces_blocks_too(desk: Desk) -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "old"}}
    ts = await desk.api.post(desk.thread, "old", op_id="op1", blocks=[block])
    await desk.api.update(desk.thread.channel, ts, "new")

    (post,) = desk.slack.thread("general", desk.thread.root_ts)[1:]
    assert (post.text, [block["type"] for block in post.blocks if block["type"] == "section"]) == (
        "new",
        [],
    )


async def test_a_status_is_set_and_ended(desk: Desk) -> None:
    assert await desk.api.set_status(desk.thread, "processing")
    assert await desk.api.set_status(desk.thread, "active")


@pytest.mark.parametrize("code", ["feature_disabled", "unknown_method"])
async def test_a_workspace_without_sessions_is_asked_once(desk: Desk, code: str) -> None:
    desk.slack.fail("agents.sessions.setStatus", error=code)

    assert not await desk.api.set_status(desk.thread, "processing")
    assert not await desk.api.set_status(desk.thread, "active")
    assert desk.calls("agents.sessions.setStatus") == 1


async def test_a_status_that_fails_in_passing_is_tried_the_next_time(desk: Desk) -> None:
    desk.slack.fail("agents.sessions.setStatus", status=500)

    assert not await desk.api.set_status(desk.thread, "processing")
    assert await desk.api.set_status(desk.thread, "processing")


async def test_reactions_come_and_go_and_may_be_repeated(desk: Desk) -> None:
    place = desk.thread.channel, desk.thread.root_ts, "eyes"
    for _ in range(2):
        await desk.api.add_reaction(*place)
    assert [r.name for r in desk.slack.find("general", desk.thread.root_ts).reactions] == ["eyes"]
    for _ in range(2):
        await desk.api.remove_reaction(*place)
    assert desk.slack.find("general", desk.thread.root_ts).reactions == ()


async def test_an_outage_is_told_by_the_kind_of_error(desk: Desk) -> None:
    desk.slack.fail("users.info", status=429, retry_after_s=1, times=1_000)
    with pytest.raises(SlackLimited):
        await desk.api.person(desk.slack.people["ann"])


async def test_the_systems_clock_moves_on() -> None:
    clock = SystemClock()
    before = clock.seconds()
    await clock.sleep(0.001)

    assert clock.seconds() > before
