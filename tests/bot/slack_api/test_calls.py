"""Posts, edits and limits against the stand-in, whose faults are those seen on the live service."""

import asyncio
from typing import Any

import pytest

from agent_core.messages import JsonObject
from agent_core.sessions import LeaseLost
from bot.slack_api import (
    ContentRefused,
    Op,
    PlaceRefused,
    SkippingClock,
    SlackApi,
    SlackAuthRefused,
    SlackUnavailable,
    web_client,
)
from bot.slack_api.calls import RateGate
from bot.slack_api.files import Upload
from bot.threads import ThreadRef
from tests.bot.desk import Desk
from tests.faulty_slack import FaultySlack


async def test_a_post_is_given_up_in_the_end(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=500, times=50)
    with pytest.raises(SlackUnavailable):
        await desk.api.post(desk.thread, "never", op=Op("op1"))

    assert desk.calls("chat.postMessage") == 7


@pytest.mark.proves("posts.read_back")
async def test_a_lost_post_is_found_on_a_later_page(desk: Desk) -> None:
    for number in range(510):
        await desk.slack.say("ben", "general", f"{number}", thread_ts=desk.thread.root_ts)
    desk.slack.fail("chat.postMessage", drop_after_accept=True)
    await desk.api.post(desk.thread, "once", op=Op("op1"))

    assert desk.texts().count("once") == 1
    assert desk.calls("conversations.replies") == 2


@pytest.mark.proves("posts.time_limit")
async def test_a_call_that_hangs_ends_at_its_limit(desk: Desk) -> None:
    api = SlackApi(desk.client, clock=desk.clock, limit_s=0.1)
    desk.slack.fail("chat.postEphemeral", hang_s=3.0)
    async with asyncio.timeout(2):
        with pytest.raises(SlackUnavailable):
            await api.post_ephemeral(desk.thread.channel, desk.slack.people["ann"], "psst")


@pytest.mark.proves("posts.limits")
async def test_an_edit_inside_a_pause_is_left_out_without_a_call(desk: Desk) -> None:
    post = await desk.api.post(desk.thread, "one", op=Op("op1"))
    desk.slack.fail("chat.update", status=429, retry_after_s=30)

    assert not await desk.api.update(desk.thread.channel, post.ts, "two", insist=False)
    assert not await desk.api.update(desk.thread.channel, post.ts, "three", insist=False)
    assert desk.calls("chat.update") == 1

    desk.clock.advance(31)
    assert await desk.api.update(desk.thread.channel, post.ts, "four", insist=False)
    assert desk.texts() == ["four"]


@pytest.mark.proves("posts.limits")
async def test_of_many_posts_at_once_none_is_made_inside_a_pause(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=429, retry_after_s=30)
    async with asyncio.TaskGroup() as group:
        for number in range(10):
            post = desk.api.post(desk.thread, f"{number}", op=Op(f"op{number}"))
            group.create_task(post)

    assert sorted(desk.texts()) == [f"{number}" for number in range(10)]
    assert desk.calls("chat.postMessage") == 11


@pytest.mark.proves("posts.limits")
async def test_of_many_uploads_at_once_none_asks_for_an_address_inside_a_pause(desk: Desk) -> None:
    desk.slack.fail("files.getUploadURLExternal", status=429, retry_after_s=30)
    uploads = [Upload(name=f"{n}.txt", read=lambda: b"words", title=f"{n}") for n in range(6)]

    assert await desk.api.files.share(desk.thread, uploads) == []
    assert desk.calls("files.getUploadURLExternal") == 7


@pytest.mark.proves("posts.limits")
async def test_a_write_waits_where_a_pause_begins_while_its_guard_is_asked(desk: Desk) -> None:
    post = await desk.api.post(desk.thread, "one", op=Op("op1"))
    channel = desk.thread.channel
    asked = 0

    async def guard() -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            desk.slack.fail("chat.update", status=429, retry_after_s=30)
            assert not await desk.api.update(channel, post.ts, "refused", insist=False)

    assert await desk.api.guarded(guard).update(channel, post.ts, "two")
    assert asked == 2
    assert max(desk.clock.slept) > 29
    assert desk.calls("chat.update") == 2


@pytest.mark.proves("posts.limits")
async def test_progress_in_fifty_threads_leaves_answers_their_share_of_the_minute() -> None:
    async with FaultySlack() as slack, asyncio.timeout(30):
        clock = SkippingClock()
        api = SlackApi(web_client(slack.bot_token, base_url=slack.api_url), clock=clock)
        ts = await slack.say("ann", "general", "hello")
        channel = slack.channels["general"]
        thread = ThreadRef(team=slack.team_id, channel=channel, root_ts=ts)
        post = await api.post(thread, "working", op=Op("progress"))
        edits = [
            await api.update(channel, post.ts, f"{number}", insist=False) for number in range(200)
        ]
        lines = [await api.say_status(thread, f"{number}") for number in range(500)]
        assert 0 < sum(edits) < 50
        assert 0 < sum(lines) < 500
        for number in range(15):
            await api.update(channel, post.ts, f"answer {number}")
        assert clock.slept == []
        assert [call.method for call in slack.calls if call.status == 429] == []
        clock.advance(61)
        slack.heal()
        assert await api.update(channel, post.ts, "a minute later", insist=False)


async def test_a_pause_in_one_channel_does_not_hold_up_another(desk: Desk) -> None:
    desk.slack.fail("chat.postMessage", status=429, retry_after_s=30)
    news_ts = await desk.slack.say("ann", "news", "root")
    news = ThreadRef(team=desk.thread.team, channel=desk.slack.channels["news"], root_ts=news_ts)
    waiting = asyncio.create_task(desk.api.post(desk.thread, "late", op=Op("op1")))
    await desk.slack.wait_for(lambda slack: any(call.status == 429 for call in slack.calls))
    await desk.api.post(news, "now", op=Op("op2"))
    await waiting

    assert desk.texts() == ["late"]


async def test_callers_that_waited_leave_one_by_one() -> None:
    clock = SkippingClock()
    gate = RateGate(clock)
    gate.close(30)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(gate.admit())

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
        await desk.api.post(desk.thread, "no", op=Op("op1"))

    assert desk.calls("chat.postMessage") == 1


async def test_an_edit_replaces_blocks_too(desk: Desk) -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "old"}}
    post = await desk.api.post(desk.thread, "old", op=Op("op1"), blocks=[block])
    await desk.api.update(desk.thread.channel, post.ts, "new")

    (post,) = desk.slack.thread("general", desk.thread.root_ts)[1:]
    assert (post.text, [block["type"] for block in post.blocks if block["type"] == "section"]) == (
        "new",
        [],
    )


@pytest.mark.proves("processes.writes")
async def test_a_guard_is_asked_again_after_a_pause(desk: Desk) -> None:
    asked: list[float] = []

    async def guard() -> None:
        asked.append(desk.clock.seconds())
        if len(asked) == 2:
            raise LeaseLost

    desk.slack.fail("chat.postMessage", status=429, retry_after_s=60)
    with pytest.raises(LeaseLost):
        await desk.api.guarded(guard).post(desk.thread, "hello", op=Op("a"))

    assert asked[1] - asked[0] >= 60
    assert desk.texts() == []


async def test_a_direct_message_that_may_exist_is_looked_for_first(desk: Desk) -> None:
    team, ann, since = desk.thread.team, desk.slack.people["ann"], desk.thread.root_ts
    first = await desk.api.post_direct(team, ann, "hello", op=Op("a"), since=since)
    again = await desk.api.post_direct(team, ann, "hello", op=Op("a"), since=since, may_exist=True)

    assert again == first
    assert desk.calls("chat.postMessage") == 1
    assert desk.clock.slept[0] >= 10


MODAL: JsonObject = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Form"},
    "blocks": [{"type": "divider"}],
}


def trigger_of(slack: FaultySlack, user: str = "ann") -> str:
    return slack.backend.views.trigger(slack.people[user])


@pytest.mark.parametrize(
    "fault",
    [
        {"error": "expired_trigger_id"},
        {"error": "exchanged_trigger_id"},
        {"error": "trigger_expired"},
        {"error": "trigger_exchanged"},
        {"status": 429, "retry_after_s": 60},
    ],
)
async def test_a_trigger_that_is_too_late_or_meets_a_pause_opens_none(
    desk: Desk, fault: dict[str, Any]
) -> None:
    desk.slack.fail("views.open", **fault)

    assert not await desk.api.open_view(trigger_of(desk.slack), MODAL)
    assert desk.calls("views.open") == 1
    assert desk.clock.slept == []


async def test_a_lost_answer_is_told_and_a_second_call_opens_no_second_modal(desk: Desk) -> None:
    trigger_id = trigger_of(desk.slack)
    desk.slack.fail("views.open", drop_after_accept=True)
    with pytest.raises(SlackUnavailable):
        await desk.api.open_view(trigger_id, MODAL)

    assert not await desk.api.open_view(trigger_id, MODAL)
    assert len(desk.slack.state.views) == 1


PROXY = "http://proxy.invalid:3128"


@pytest.mark.parametrize(
    ("address", "proxy"),
    [
        *((f"http://{host}/api/", None) for host in ("localhost:80", "127.0.0.9", "[::1]:80")),
        *((f"https://{host}/api/", PROXY) for host in ("slack.com", "localhost.example.com")),
    ],
)
def test_calls_to_this_machine_alone_leave_the_proxy_out(
    monkeypatch: pytest.MonkeyPatch, address: str, proxy: str | None
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, PROXY)
    assert web_client("xoxb-1", base_url=address).proxy == proxy


UNTOLD = [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


@pytest.mark.proves("posts.untold_pause")
@pytest.mark.parametrize(
    "fault",
    [
        {"error": "ratelimited"},
        {"error": "rate_limited"},
        {"error": "ratelimited", "retry_after_s": "soon"},
        {"status": 429, "retry_after_s": ""},
        {"status": 429, "retry_after_s": "soon"},
        {"status": 429, "retry_after_s": "²"},
        {"status": 429, "retry_after_s": "-5"},
        {"status": 429, "retry_after_s": "0"},
        {"status": 429, "retry_after_s": "nan"},
        {"status": 429, "retry_after_s": "Wed, 21 Oct 2026 07:28:00 GMT"},
        {"status": 429, "retry_after_s": "", "html": True},
    ],
    ids=str,
)
async def test_pauses_of_no_said_length_grow_from_a_second_on(
    desk: Desk, fault: dict[str, Any]
) -> None:
    desk.slack.fail("chat.postMessage", times=len(UNTOLD), **fault)
    await desk.api.post(desk.thread, "patient", op=Op("op1"))
    assert desk.clock.slept == UNTOLD

    desk.clock.advance(60)
    desk.slack.fail("chat.postMessage", **fault)
    await desk.api.post(desk.thread, "again", op=Op("op2"))
    assert desk.clock.slept == [*UNTOLD, UNTOLD[0]]
    assert desk.texts() == ["patient", "again"]


@pytest.mark.parametrize(
    ("asked", "waited"), [("2.5", 2.5), ("0.2", 1.0), ("999999999", 300.0), ("inf", 300.0)]
)
@pytest.mark.parametrize("fault", [{"status": 429}, {"error": "ratelimited"}])
async def test_a_pause_is_waited_for_as_long_as_asked_within_reason(
    desk: Desk, fault: dict[str, Any], asked: str, waited: float
) -> None:
    desk.slack.fail("chat.postMessage", retry_after_s=asked, **fault)
    await desk.api.post(desk.thread, "patient", op=Op("op1"))
    assert desk.clock.slept == [waited]
