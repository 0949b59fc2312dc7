"""What is found in Slack of a time in which nobody listened."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from agent_core.ids import SessionId
from bot.ingress.backfill import OVERLAP_S, ROOTS_S, Gap, MissedPost, Search
from bot.ingress.backfill_run import MAX_SILENCE_S, STEP_S, Watermark
from tests.bot.ingress.world import MemoryMarks, Outside, bot_in

DAY_S = 86_400.0


async def find_all(outside: Outside, gap: Gap) -> tuple[list[MissedPost], set[str]]:
    """All shares of a search, and the conversations that could not be read."""
    async with bot_in(outside) as bot:
        search = Search(bot.api.channels, bot.identity, outside.sessions, gap)
        posts = [missed async for share in search.everywhere() for missed in share]
    return posts, search.unread


def gap_from(outside: Outside) -> Gap:
    """Everything up to this moment was heard."""
    now_s = outside.clock.now()
    return Gap(began_s=now_s, heard_s=now_s, number=1)


@pytest.mark.proves("catch_up.everywhere")
async def test_mentions_replies_and_direct_messages_are_found_oldest_first(
    outside: Outside,
) -> None:
    slack, mention = outside.slack, outside.slack.mention
    own = await slack.say("ann", "general", f"{mention} long ago")
    others = await slack.say("ann", "news", "among people, long ago")
    outside.clock.advance(DAY_S)
    gap = gap_from(outside)
    outside.clock.advance(60)
    await slack.say("ben", "private", f"{mention} 1")
    await slack.say("ben", "general", "2", thread_ts=own)
    await slack.say("ann", dm=True, text="3")
    await slack.say("ben", "general", "nobody is meant")
    await slack.say("ben", "news", "nobody is meant here either", thread_ts=others)
    await slack.say("cleo", "news", f"{mention} 4", thread_ts=others)
    await slack.say("cleo", "shared", f"{mention} 5", files=[("a.txt", b"x", None)])

    found, _ = await find_all(outside, gap)

    texts = [missed.post.wire_text.removeprefix(f"{mention} ") for missed in found]
    assert texts == ["1", "2", "3", "4", "5"]


@pytest.mark.proves("catch_up.everywhere")
async def test_a_reply_in_a_thread_of_the_bots_is_found_however_old_the_thread_is(
    outside: Outside,
) -> None:
    slack = outside.slack
    root = await slack.say("ann", "general", f"{slack.mention} research")
    unknown = await slack.say("ann", "general", f"{slack.mention} something else")
    outside.clock.advance(ROOTS_S + OVERLAP_S + DAY_S)
    gap = gap_from(outside)
    outside.clock.advance(60)
    for thread in (root, unknown):
        await slack.say("ann", "general", "go on", thread_ts=thread)
    channel = slack.channels["general"]
    outside.sessions.known.append(SessionId(f"{slack.team_id}:{channel}:{root}"))
    found, _ = await find_all(outside, gap)

    assert [missed.post.thread.root_ts for missed in found] == [root]


async def test_a_conversation_that_cannot_be_read_does_not_cost_the_others(
    outside: Outside,
) -> None:
    slack = outside.slack
    gap = gap_from(outside)
    await slack.say("ann", "news", f"{slack.mention} hi")
    slack.fail("conversations.history", error="not_in_channel")
    slack.fail("conversations.history", status=500, times=7)
    found, unread = await find_all(outside, gap)

    assert len(unread) == 1
    assert [missed.post.wire_text for missed in found] == [f"{slack.mention} hi"]


START_S = 1_795_000_000.0


@dataclass(slots=True)
class Ear:
    """One bot after another with the same marks, and a clock that is set by hand."""

    marks: MemoryMarks = field(default_factory=MemoryMarks)
    now_s: float = START_S

    async def opened(self) -> Watermark:
        watermark = Watermark(self.marks, "T1", lambda: datetime.fromtimestamp(self.now_s, UTC))
        await watermark.open()
        return watermark

    async def beat(self, watermark: Watermark, *, is_well: bool = True, after_s: float) -> None:
        self.now_s += after_s
        await watermark.beat(is_well=is_well)


@pytest.mark.proves("catch_up.cursor")
async def test_every_later_start_has_a_gap_that_began_where_slack_was_last_heard() -> None:
    ear = Ear()
    first = await ear.opened()
    await ear.beat(first, after_s=STEP_S)
    await ear.beat(first, after_s=5)
    ear.now_s += 3_600
    second = await ear.opened()

    assert second.has_gap.is_set()
    assert second.gap().heard_s == START_S + STEP_S
    assert second.gap().oldest_s == START_S + STEP_S - OVERLAP_S


async def test_a_gap_that_opens_while_another_is_seen_to_stays_open() -> None:
    ear = Ear()
    await ear.opened()
    watermark = await ear.opened()
    gap = watermark.gap()
    watermark.lose("the socket was not open")
    await watermark.close(gap)
    assert watermark.has_gap.is_set()

    await watermark.close(watermark.gap())
    assert not watermark.has_gap.is_set()


@pytest.mark.parametrize(
    ("is_well", "after_s"),
    [
        pytest.param(False, STEP_S, id="the socket is not open"),
        pytest.param(True, MAX_SILENCE_S + 1, id="the process stood still"),
    ],
)
async def test_a_beat_notices_that_posts_may_be_missing(is_well: bool, after_s: float) -> None:
    ear = Ear()
    watermark = await ear.opened()
    await ear.beat(watermark, is_well=is_well, after_s=after_s)

    assert watermark.has_gap.is_set()
    assert watermark.gap().heard_s == START_S


async def test_a_payload_after_a_standstill_notices_it_before_the_next_beat() -> None:
    ear = Ear()
    watermark = await ear.opened()
    await ear.beat(watermark, after_s=STEP_S)
    ear.now_s += 2 * DAY_S
    watermark.check_silence()

    assert watermark.has_gap.is_set()
    assert watermark.gap().heard_s == START_S + STEP_S
