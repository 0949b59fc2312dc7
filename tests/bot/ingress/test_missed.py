"""What is found in Slack of a time in which nobody listened."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import aiohttp
import pytest

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.inbound import read_post
from bot.ingress.heard import MAX_SILENCE_S, OVERLAP_S, Gap, Heard
from bot.ingress.missed import ROOTS_S, Missed, Search, Seen
from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.slack_api import (
    Identity,
    SkippingClock,
    SlackApi,
    web_client,
)
from tests.bot.ingress.world import MemoryMarks, MemorySessions

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    slack: SlackStandIn
    clock: ManualClock
    api: SlackApi
    identity: Identity
    sessions: MemorySessions
    search: Search

    def gap_from_now(self) -> Gap:
        """Everything up to this moment was heard."""
        return Gap(began_s=self.clock.now(), marks={"*": f"{self.clock.now():.6f}"}, number=1)

    async def find(self, gap: Gap) -> list[str]:
        return texts_of(await find_all(self.search, gap))


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All shares of a search, and what became of the conversations."""

    posts: list[Missed]
    unread: set[str]


async def find_all(search: Search, gap: Gap) -> Findings:
    seen = Seen()
    posts = [missed async for share in search.everywhere(gap, seen) for missed in share]
    return Findings(posts=posts, unread=seen.unread)


def texts_of(found: Findings) -> list[str]:
    return [missed.post.wire_text for missed in found.posts]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    clock = ManualClock()
    async with (
        SlackStandIn(clock=clock, rate_limits=False) as slack,
        aiohttp.ClientSession() as session,
    ):
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        identity, sessions = await api.identify(), MemorySessions()
        search = Search(api, identity, sessions)
        yield Desk(
            slack=slack, clock=clock, api=api, identity=identity, sessions=sessions, search=search
        )


@pytest.mark.proves("catch_up.everywhere")
async def test_mentions_replies_and_direct_messages_are_found_oldest_first(desk: Desk) -> None:
    slack, mention = desk.slack, desk.slack.mention
    own = await slack.say("ann", "general", f"{mention} long ago")
    others = await slack.say("ann", "news", "among people, long ago")
    desk.clock.advance(DAY_S)
    gap = desk.gap_from_now()
    desk.clock.advance(60)
    await slack.say("ben", "private", f"{mention} 1")
    await slack.say("ben", "general", "2", thread_ts=own)
    await slack.say("ann", dm=True, text="3")
    await slack.say("ben", "general", "nobody is meant")
    await slack.say("ben", "news", "nobody is meant here either", thread_ts=others)
    await slack.say("cleo", "news", f"{mention} 4", thread_ts=others)
    await slack.say("cleo", "shared", f"{mention} 5", files=[("a.txt", b"x", None)])

    found = await desk.find(gap)

    assert [text.removeprefix(f"{mention} ") for text in found] == ["1", "2", "3", "4", "5"]


async def test_a_found_post_is_the_payload_that_slack_would_have_delivered(desk: Desk) -> None:
    slack = desk.slack
    root = await slack.say("ann", "general", f"{slack.mention} root")
    gap = desk.gap_from_now()
    await slack.say("ben", "general", "a reply", thread_ts=root, files=[("a.txt", b"x", None)])
    await slack.say("ann", dm=True, text="direct")
    ts = await slack.say("ann", "private", f"{slack.mention} teh words")
    await slack.edit("ann", "private", ts, f"{slack.mention} the words")
    gap = Gap(began_s=gap.began_s, marks={"*": f"{gap.began_s - 1:.6f}"}, number=1)
    found = await find_all(desk.search, gap)
    delivered = [delivery.payload for delivery in slack.deliveries]

    assert len(found.posts) == 4
    for missed in found.posts:
        live = next(body for body in delivered if is_message_of(body, missed.body))
        assert said_in(missed.body, live) == said_in(live, live)
        assert read_post(missed.body, bot_user=slack.bot_user_id) == missed.post
    assert found.posts[-1].post.wire_text == f"{slack.mention} the words"
    assert found.posts[-1].body["event"]["edited"]


def is_message_of(live: JsonObject, found: JsonObject) -> bool:
    event, wanted = live["event"], found["event"]
    same = (event.get("type"), event.get("subtype")) == ("message", wanted.get("subtype"))
    return same and event["ts"] == wanted["ts"]


def said_in(body: JsonObject, live: JsonObject) -> JsonObject:
    """What the live payload says as well, except for what an edit changes."""
    event = {
        name: body["event"].get(name)
        for name in live["event"]
        if name not in {"assistant_thread", "blocks", "text"}
    }
    wrapper = {name: body[name] for name in ("type", "team_id", "api_app_id")}
    return {**wrapper, "event": event}


@pytest.mark.proves("catch_up.cursor")
async def test_each_conversation_is_read_from_its_own_mark(desk: Desk) -> None:
    slack = desk.slack
    start_s = desk.clock.now()
    for _ in range(2):
        desk.clock.advance(3_600)
        for channel in ("general", "news"):
            await slack.say("ann", channel, f"{slack.mention} {channel}")
    marks = {"*": f"{start_s:.6f}", slack.channels["general"]: f"{desk.clock.now():.6f}"}
    gap = Gap(began_s=desk.clock.now(), marks=marks, number=1)
    found = await find_all(desk.search, gap)

    new = [
        missed.post.wire_text.split()[-1]
        for missed in found.posts
        if gap.is_new(missed.post.thread.channel, missed.post.ts)
    ]
    assert new == ["news", "news"]


@pytest.mark.proves("catch_up.everywhere")
async def test_a_reply_in_a_thread_of_the_bots_is_found_however_old_the_thread_is(
    desk: Desk,
) -> None:
    slack = desk.slack
    root = await slack.say("ann", "general", f"{slack.mention} research")
    unknown = await slack.say("ann", "general", f"{slack.mention} something else")
    desk.clock.advance(ROOTS_S + OVERLAP_S + DAY_S)
    gap = desk.gap_from_now()
    desk.clock.advance(60)
    for thread in (root, unknown):
        await slack.say("ann", "general", "go on", thread_ts=thread)
    channel = slack.channels["general"]
    desk.sessions.known.append(SessionId(f"{slack.team_id}:{channel}:{root}"))
    found = await find_all(desk.search, gap)

    assert [missed.post.thread.root_ts for missed in found.posts] == [root]


async def test_a_conversation_that_cannot_be_read_does_not_cost_the_others(desk: Desk) -> None:
    slack = desk.slack
    gap = desk.gap_from_now()
    await slack.say("ann", "news", f"{slack.mention} hi")
    slack.fail("conversations.history", error="not_in_channel")
    slack.fail("conversations.history", status=500, times=7)
    found = await find_all(desk.search, gap)

    assert len(found.unread) == 1
    assert texts_of(found) == [f"{slack.mention} hi"]


START_S = 1_795_000_000.0


@dataclass(slots=True)
class Ear:
    """One bot after another with the same marks, and a clock that is set by hand."""

    marks: MemoryMarks = field(default_factory=MemoryMarks)
    now_s: float = START_S

    async def opened(self) -> Heard:
        heard = Heard(self.marks, team="T1", now_s=lambda: self.now_s)
        await heard.open()
        return heard

    async def beat(self, heard: Heard, *, is_well: bool = True, after_s: float = 5.0) -> None:
        self.now_s += after_s
        await heard.beat(is_well=is_well)


def payload(channel: str, ts_s: float) -> JsonObject:
    return {"event": {"type": "message", "channel": channel, "ts": f"{ts_s:.6f}"}}


@pytest.mark.proves("catch_up.cursor")
async def test_every_later_start_has_a_gap_that_began_where_each_conversation_was_heard() -> None:
    ear = Ear()
    first = await ear.opened()
    first.note(payload("C1", START_S + 2))
    await ear.beat(first)
    ear.now_s += 3_600
    gap = (second := await ear.opened()).gap()

    assert second.has_gap.is_set()
    assert gap.since_s("C1") == START_S + 2
    assert gap.since_s("C2") == START_S
    assert gap.oldest_s("C1") == START_S + 2 - OVERLAP_S


async def test_a_gap_that_opens_while_another_is_seen_to_stays_open() -> None:
    ear = Ear()
    await ear.opened()
    heard = await ear.opened()
    gap = heard.gap()
    heard.lose("the socket was not open")
    await heard.close(gap)
    assert heard.has_gap.is_set()

    await heard.close(heard.gap())
    assert not heard.has_gap.is_set()


@pytest.mark.parametrize(
    ("is_well", "after_s"),
    [
        pytest.param(False, 5.0, id="the socket is not open"),
        pytest.param(True, MAX_SILENCE_S + 1, id="the process stood still"),
    ],
)
async def test_a_beat_notices_that_posts_may_be_missing(is_well: bool, after_s: float) -> None:
    ear = Ear()
    heard = await ear.opened()
    await ear.beat(heard)
    heard.note(payload("C1", ear.now_s))
    await ear.beat(heard, is_well=is_well, after_s=after_s)

    assert heard.has_gap.is_set()
    assert "slack:T1:C1" not in ear.marks.saved


async def test_what_was_heard_before_a_standstill_was_not_missed_though_never_written() -> None:
    ear = Ear()
    heard = await ear.opened()
    await ear.beat(heard)
    heard.note(payload("C1", ear.now_s))
    heard_s = ear.now_s
    ear.now_s += 2 * 86_400
    heard.note(payload("C1", ear.now_s))  # before the next beat

    assert heard.has_gap.is_set()
    assert heard.gap().since_s("C1") == heard_s
