"""Every write against a Slack that fails in every way: what was to be seen is seen once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from bot.slack_api import MonotonicClock, Op, SlackApi, SlackUnavailable, Upload
from bot.slack_api.calls import Calls
from bot.slack_api.records import EVENT_TYPE
from tests.bot.desk import Desk, open_desk
from tests.clocks import ManualClock

Fault = dict[str, Any]
Seen = Callable[[Desk], object]
Write = Callable[[SlackApi, Desk], Awaitable[object]]

FAULTS: dict[str, Fault] = {
    "limited": {"status": 429, "retry_after_s": 1},
    "failing": {"status": 500, "times": 2},
    "page with an error": {"status": 503, "html": True},
    "page instead of JSON": {"html": True},
    "internal error": {"error": "internal_error"},
    "cut after accepting": {"drop_after_accept": True},
    "hanging": {"hang_s": 0.6},
}
LIMIT_S = 0.3
"""Shorter than Slack hangs: it carries out what the bot has given up."""


async def post(api: SlackApi, desk: Desk) -> None:
    await api.post(desk.thread, "said", op=Op("op"))


async def edit(api: SlackApi, desk: Desk) -> None:
    post = await desk.api.find_post(desk.thread, Op("before"))
    assert post is not None
    await api.update(post.channel, post.ts, "said")


async def upload(api: SlackApi, desk: Desk) -> None:
    await api.files.share(desk.thread, [Upload(name="a.txt", read=lambda: b"x", title="A")])


async def react(api: SlackApi, desk: Desk) -> None:
    await api.react(desk.thread.channel, desk.thread.root_ts, "eyes", add=True)


async def take_back(api: SlackApi, desk: Desk) -> None:
    await api.react(desk.thread.channel, desk.thread.root_ts, "wave", add=False)


async def show_status(api: SlackApi, desk: Desk) -> None:
    await api.set_status(desk.thread, "processing", insist=True)


def said(desk: Desk) -> list[str]:
    return [text for text in desk.texts() if text == "said"]


def files(desk: Desk) -> list[str]:
    posts = desk.slack.thread("general", desk.thread.root_ts)
    return [file.name for post in posts for file in post.files]


def reactions(desk: Desk) -> list[tuple[str, int]]:
    root = desk.slack.find("general", desk.thread.root_ts)
    return [(name, len(users)) for name, users in root.reactions.items()]


def status(desk: Desk) -> str:
    [session] = desk.slack.state.sessions.values()
    return session.status


WRITES: dict[str, tuple[str, Write, Seen, object]] = {
    "post": ("chat.postMessage", post, said, ["said"]),
    "edit": ("chat.update", edit, said, ["said"]),
    "upload, its address": ("files.getUploadURLExternal", upload, files, ["a.txt"]),
    "upload, its end": ("files.completeUploadExternal", upload, files, ["a.txt"]),
    "reaction": ("reactions.add", react, reactions, [("wave", 1), ("eyes", 1)]),
    "reaction taken back": ("reactions.remove", take_back, reactions, []),
    "status": ("agents.sessions.setStatus", show_status, status, "processing"),
}


@pytest.mark.proves("posts.every_write")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("write", WRITES)
async def test_a_write_is_seen_once_whatever_slack_does(desk: Desk, write: str, fault: str) -> None:
    method, act, seen, wanted = WRITES[write]
    await desk.api.post(desk.thread, "before", op=Op("before"))
    await desk.api.react(desk.thread.channel, desk.thread.root_ts, "wave", add=True)
    desk.slack.fail(method, **FAULTS[fault])
    clock = MonotonicClock() if fault == "hanging" else desk.clock
    api = SlackApi(desk.client, clock=clock, limit_s=LIMIT_S)
    await act(api, desk)
    assert seen(desk) == wanted


@pytest.mark.parametrize("fault", [{"status": 500, "times": 3}, {"status": 429}])
async def test_bytes_that_were_not_taken_are_sent_again(desk: Desk, fault: Fault) -> None:
    desk.slack.fail("upload", **fault)
    await upload(desk.api, desk)
    assert files(desk) == ["a.txt"]
    [file] = desk.slack.files
    assert file.content == b"x"


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "limited"])
async def test_what_one_person_alone_sees_is_never_repeated(desk: Desk, fault: str) -> None:
    once: Fault = {**FAULTS[fault], "times": 1}
    desk.slack.fail("chat.postEphemeral", **once)
    api = SlackApi(desk.client, clock=desk.clock, limit_s=LIMIT_S)
    with pytest.raises(SlackUnavailable):
        await api.post_ephemeral(desk.thread.channel, desk.slack.people["ann"], "psst")
    assert desk.calls("chat.postEphemeral") <= 1


class SharedTime(MonotonicClock):
    """The stand-in's time, as the bot holds clocks: who sleeps lets it pass for both."""

    def __init__(self, time: ManualClock) -> None:
        self._time = time

    def seconds(self) -> float:
        return self._time.now()

    async def sleep(self, seconds: float) -> None:
        self._time.advance(seconds)
        await asyncio.sleep(0)


@pytest.mark.proves("posts.in_flight")
async def test_a_post_of_a_process_that_died_is_waited_for() -> None:
    """It is still on its way when the next process wants to make it."""
    time = ManualClock()
    async with open_desk(Desk, time=time) as desk:
        desk.slack.fail("chat.postMessage", hang_s=0.6)
        metadata = {"event_type": EVENT_TYPE, "event_payload": {"op_id": "op"}}
        thread = {"channel": desk.thread.channel, "thread_ts": desk.thread.root_ts}
        with pytest.raises(SlackUnavailable):
            await Calls(desk.client, desk.clock, limit_s=LIMIT_S).single(
                "chat.postMessage", {**thread, "text": "said", "metadata": metadata}
            )
        assert said(desk) == []
        next_one = SlackApi(desk.client, clock=SharedTime(time), settle_s=1.0)
        post = await next_one.post(desk.thread, "said", op=Op("op"), may_exist=True)
        time.advance(1.0)
        assert await desk.api.find_post(desk.thread, Op("op")) == post
        assert said(desk) == ["said"]
        assert desk.calls("chat.postMessage") == 1


@pytest.mark.proves("posts.in_flight")
async def test_a_file_of_a_process_that_died_is_waited_for() -> None:
    time = ManualClock()
    async with open_desk(Desk, time=time) as desk:
        calls = Calls(desk.client, desk.clock, limit_s=LIMIT_S)
        ticket = await calls.single(
            "files.getUploadURLExternal", {"filename": "a.txt", "length": 1}
        )
        async with (
            aiohttp.ClientSession() as session,
            session.post(ticket["upload_url"], data=b"x"),
        ):
            desk.slack.fail("files.completeUploadExternal", hang_s=2.5)
        thread = {"channel_id": desk.thread.channel, "thread_ts": desk.thread.root_ts}
        files_given = [{"id": ticket["file_id"], "title": "A"}]
        with pytest.raises(SlackUnavailable):
            await calls.single("files.completeUploadExternal", {**thread, "files": files_given})
        assert files(desk) == []
        next_one = SlackApi(desk.client, clock=SharedTime(time), settle_s=2.5)
        assert await next_one.files.is_shared(ticket["file_id"], desk.thread.channel)
