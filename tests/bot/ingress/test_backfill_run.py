"""What was said while the bot was away is answered once, oldest first."""

import asyncio
from typing import Any

import pytest

from agent_core.ids import turn_of
from agent_core.sessions import StoredTurn
from bot.ingress.backfill import FIRST_THREADS, THREADS
from bot.ingress.backfill_run import MAX_AT_ONCE
from bot.words import BOT
from tests.bot.ingress.world import HOUR_S, Outside, bot_in, outside_world, until_given


async def backfill_once(outside: Outside, *, is_done: bool = True) -> None:
    """A bot starts, catches up and stops."""
    async with asyncio.timeout(30), bot_in(outside) as bot:
        assert await bot.backfill.run() == is_done


async def test_the_first_start_ever_answers_nothing_of_old() -> None:
    async with outside_world() as outside:
        await outside.mention("before there was a bot")
        outside.clock.advance(HOUR_S)
        await backfill_once(outside)

        assert outside.front.messages == []


async def test_what_was_heard_is_neither_answered_nor_listed_days_later(outside: Outside) -> None:
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.backfill.run()
        await outside.mention("heard")
        await until_given(outside, 1)
        await bot.handled()
        outside.clock.advance(60)
        bot.backfill.watermark.lose("of a test")
        assert await bot.backfill.run()
    outside.front.messages.clear()
    outside.clock.advance(30 * HOUR_S)
    await backfill_once(outside)

    assert outside.front.messages == []
    assert outside.notices("general") == []


@pytest.mark.proves("catch_up.answered")
async def test_a_post_that_slack_delivers_after_all_is_answered_once(outside: Outside) -> None:
    await outside.mention("late from Slack")
    outside.clock.advance(1)
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        outside.clock.advance(60)
        await outside.slack.wait_for(
            lambda slack: any(delivery.acked_at_s for delivery in slack.deliveries)
        )
        assert await bot.backfill.run()
        await bot.handled()

    assert outside.front.texts == ["late from Slack"]


@pytest.mark.proves("catch_up.in_order")
async def test_a_live_reply_waits_for_what_was_missed_in_its_thread(outside: Outside) -> None:
    slack = outside.slack
    root = await outside.mention("first")
    await slack.say("ann", "general", "second", thread_ts=root)
    outside.clock.advance(HOUR_S)
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        await outside.mention("in another thread", channel="news")
        await slack.say("ann", "general", "third", thread_ts=root)
        await until_given(outside, 4)
        texts = list(outside.front.texts)
        assert await bot.backfill.run()
        await bot.handled()

    texts.remove("in another thread")
    assert texts == ["first", "second", "third"]
    assert len(outside.front.texts) == 4


async def test_a_few_are_worked_on_at_once_and_not_all(outside: Outside) -> None:
    outside.front.may_end.clear()
    for number in range(MAX_AT_ONCE + 5):
        await outside.mention(f"{number}")
    async with asyncio.timeout(30), bot_in(outside, head_start_s=0.01) as bot:
        running = asyncio.create_task(bot.backfill.run())
        await until_given(outside, MAX_AT_ONCE)
        await outside.mention("live", channel="news")
        assert len(outside.front.texts) == MAX_AT_ONCE
        outside.front.may_end.set()
        assert await running

    assert outside.front.texts == [f"{number}" for number in range(MAX_AT_ONCE + 5)]


async def test_what_could_not_be_read_is_read_by_another_run(outside: Outside) -> None:
    await outside.mention("hi")
    async with asyncio.timeout(30), bot_in(outside) as bot:
        outside.slack.fail("conversations.history", status=500, times=7 * 20)
        assert not await bot.backfill.run()
        assert outside.front.texts == []
        outside.slack.heal()
        assert await bot.backfill.run()

    assert outside.front.texts == ["hi"]


@pytest.mark.proves("ledger.disk_full")
async def test_a_payload_that_could_not_be_recorded_is_found_again(outside: Outside) -> None:
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.backfill.run()
        outside.ledger.failures = 2
        await outside.mention("the ledger is away")
        await outside.ledger.failed_enough()
        assert await bot.backfill.run()
        await bot.handled()

    assert outside.front.texts == ["the ledger is away"]


@pytest.mark.proves("catch_up.answered")
async def test_what_was_missed_is_answered_before_threads_are_read_that_were_heard(
    outside: Outside,
) -> None:
    slack = outside.slack
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.backfill.run()
        for number in range(40):
            root = await slack.say("ann", "general", f"plan {number}")
            await slack.say("ben", "general", "agreed", thread_ts=root)
        await outside.mention("heard")
        await until_given(outside, 1)
        await bot.handled()
        outside.clock.advance(60)
        bot.backfill.watermark.lose("of a test")
        assert await bot.backfill.run()
    outside.front.messages.clear()
    outside.clock.advance(60)
    await outside.mention("missed")
    before = len(slack.calls)
    outside.front.may_end.clear()
    async with asyncio.timeout(30), bot_in(outside) as bot:
        running = asyncio.create_task(bot.backfill.run())
        await until_given(outside, 1)
        assert threads_read(outside, before) == 0
        outside.front.may_end.set()
        assert await running

    assert threads_read(outside, before) == 40
    assert outside.front.texts == ["missed"]


def threads_read(outside: Outside, before: int) -> int:
    return sum(call.method == "conversations.replies" for call in outside.slack.calls[before:])


@pytest.mark.proves("catch_up.answered")
async def test_many_threads_are_answered_once_each_in_its_own_order(outside: Outside) -> None:
    posted: list[list[str]] = []
    for number in range(FIRST_THREADS + THREADS + 5):
        outside.clock.advance(1)
        root = await outside.mention(f"{number}: 0")
        for reply in (1, 2):
            await outside.slack.say("ann", "general", f"{number}: {reply}", thread_ts=root)
        posted.append([f"{number}: {each}" for each in range(3)])
    outside.clock.advance(HOUR_S)
    await backfill_once(outside)
    outside.clock.advance(60)
    await backfill_once(outside)

    texts = outside.front.texts
    assert [[text for text in texts if text in thread] for thread in posted] == posted
    assert len(texts) == 3 * len(posted)


@pytest.mark.proves("catch_up.interrupted")
async def test_a_crash_in_the_middle_loses_nothing(outside: Outside) -> None:
    texts = [f"{number}" for number in range(5)]
    for text in texts:
        await outside.mention(text)
    outside.clock.advance(HOUR_S)
    outside.front.may_end.clear()
    async with asyncio.timeout(30), bot_in(outside) as bot:
        running = asyncio.create_task(bot.backfill.run())
        await until_given(outside, 1)
        await bot.backfill.close()
        await asyncio.wait([running])
    assert 1 <= len(outside.front.texts) < 5

    outside.front.may_end.set()
    await backfill_once(outside)
    assert outside.front.texts == texts


@pytest.mark.proves("catch_up.notice")
async def test_what_is_older_than_a_day_is_listed_in_its_own_conversation(outside: Outside) -> None:
    slack = outside.slack
    public = await outside.mention("What is the price of the harvest?")
    private = await outside.mention("What is our secret?", channel="private", user="ben")
    direct = await slack.say("ann", dm=True, text="When is it due?")
    outside.clock.advance(30 * HOUR_S)
    await outside.mention("of today")
    outside.clock.advance(60)
    await backfill_once(outside)

    assert outside.front.texts == ["of today"]
    for channel, ts, name in (
        ("general", public, "Ann Arbor"),
        ("private", private, "Ben Nevis"),
        (slack.dm_id("ann"), direct, "Ann Arbor"),
    ):
        [notice] = outside.notices(channel)
        first, listed = notice.splitlines()
        assert first.startswith("I was away when these messages came in, more than a day ago")
        assert f"p{ts.replace('.', '')}|20" in listed
        assert listed.endswith(f"> {name}")


async def test_a_notice_is_in_the_language_of_the_posts(outside: Outside) -> None:
    await outside.mention("Was ist der Preis der Ernte und wer hat ihn gezahlt?")
    outside.clock.advance(30 * HOUR_S)
    await backfill_once(outside)

    [notice] = outside.notices("general")
    assert notice.startswith("Ich war weg, als diese Nachrichten")


@pytest.mark.proves("catch_up.notice")
async def test_posts_of_many_threads_are_listed_in_one_notice_oldest_first(
    outside: Outside,
) -> None:
    roots = [await outside.mention(f"{number}") for number in range(FIRST_THREADS + 5)]
    last = [await outside.mention("and", thread_ts=root) for root in reversed(roots)]
    outside.clock.advance(30 * HOUR_S)
    await backfill_once(outside)

    [notice] = outside.notices("general")
    _, *listed, more = notice.splitlines()
    newest = (roots + last)[-len(listed) :]
    assert all(f"p{ts.replace('.', '')}" in line for ts, line in zip(newest, listed, strict=True))
    assert f" {len(roots + last) - len(listed)} " in more


@pytest.mark.proves("catch_up.notice")
async def test_a_bot_that_died_after_its_notice_posts_it_once(outside: Outside) -> None:
    await outside.mention("of old")
    await outside.mention("of old, too")
    outside.clock.advance(23.5 * HOUR_S)
    await outside.mention("nearly of old")
    outside.clock.advance(HOUR_S)
    before = dict(outside.marks.saved)
    await backfill_once(outside)
    outside.marks.saved.clear()
    outside.marks.saved.update(before)
    outside.front.messages.clear()
    outside.ledger.rows.clear()
    outside.clock.advance(24 * HOUR_S)
    await backfill_once(outside)

    first, second = outside.notices("general")
    assert len(first.splitlines()) == 1 + 2
    assert len(second.splitlines()) == 1 + 1


async def test_what_had_its_answer_and_what_is_not_served_is_not_listed(outside: Outside) -> None:
    """The last marks before a crash are lost; the turns are not."""
    ts = await outside.mention("answered before the crash")
    outside.front.of_old.add(outside.key("general", ts))
    await outside.mention("please", user="guest")
    await outside.slack.say("ben", "general", "not for the bot")
    outside.clock.advance(30 * HOUR_S)
    await backfill_once(outside)

    assert outside.notices("general") == []


async def test_a_notice_that_fails_is_posted_by_another_run(outside: Outside) -> None:
    await outside.mention("of old")
    outside.clock.advance(30 * HOUR_S)
    async with asyncio.timeout(30), bot_in(outside) as bot:
        outside.slack.fail("chat.postMessage", status=500, times=7)
        assert not await bot.backfill.run()
        assert await bot.backfill.run()

    assert len(outside.notices("general")) == 1


async def ask(outside: Outside, text: str, *, begun: bool = True, **more: Any) -> str:
    """A request that a bot has taken before it went away; its `ts`."""
    ts = await outside.mention(text, **more)
    await backfill_once(outside)
    key = outside.key("general", ts)
    [message] = [each for each in outside.front.messages if each.key == key]
    turn = StoredTurn(
        id=turn_of(key),
        session=message.session,
        seq=1,
        status="running" if begun else "queued",
        generation=1,
        inbound=message,
        outcome=None,
        answer=None,
    )
    outside.sessions.turns.append(turn)
    if begun:
        outside.front.begun.add(key)
    outside.clock.advance(HOUR_S)
    return ts


def told_privately(outside: Outside) -> list[str]:
    """What only one person sees."""
    return [post.text for post in outside.slack.posts("general") if post.ephemeral_to is not None]


@pytest.mark.proves("edits.deleted")
@pytest.mark.parametrize("place", ["alone", "root", "reply"])
@pytest.mark.parametrize("begun", [True, False])
async def test_a_request_that_is_gone_is_withdrawn_once(
    outside: Outside, place: str, begun: bool
) -> None:
    root = await ask(outside, "what is newest?") if place == "reply" else None
    ts = await ask(outside, "what is new?", begun=begun, thread_ts=root)
    if place != "alone":
        await outside.slack.say("ben", "general", "Well?", thread_ts=root or ts)
    await outside.slack.delete("general", ts)
    await backfill_once(outside)
    await backfill_once(outside)

    assert outside.front.withdrawn == [outside.key("general", ts)]
    assert outside.ledger.unfinished == set()


@pytest.mark.proves("edits.before")
async def test_a_request_that_was_edited_before_it_began_has_its_new_text(outside: Outside) -> None:
    ts = await ask(outside, "what is new?", begun=False)
    await outside.slack.edit("ann", "general", ts, f"{outside.slack.mention} what is newer?")
    await backfill_once(outside)

    assert outside.front.texts == ["what is newer?"]
    assert told_privately(outside) == []


@pytest.mark.proves("edits.running")
async def test_the_author_of_a_request_that_was_edited_too_late_is_told_once(
    outside: Outside,
) -> None:
    ts = await ask(outside, "what is new?")
    await outside.slack.edit("ann", "general", ts, "what is newer?")
    await backfill_once(outside)
    await backfill_once(outside)

    assert outside.front.texts == ["what is new?"]
    assert told_privately(outside) == [BOT.say("en", "ingress-begun")]


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found", "missing_scope"])
async def test_a_post_that_may_not_be_read_is_not_taken_for_a_deleted_one(
    outside: Outside, error: str
) -> None:
    await ask(outside, "what is new?")
    outside.slack.fail("conversations.replies", error=error)
    await backfill_once(outside)

    assert outside.front.withdrawn == []
