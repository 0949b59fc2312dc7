"""What was said while the bot was away is answered once, oldest first."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.ingress.catch_up import MAX_AT_ONCE
from bot.ingress.missed import FIRST_THREADS, THREADS
from bot.slack_api import SlackAuthRefused
from tests.bot.ingress.world import HOUR_S, Bot, Outside, bot_in, outside_world


@pytest.fixture
async def outside() -> AsyncIterator[Outside]:
    """A team whose bot was started once, so that there are marks, and has stopped."""
    async with outside_world() as outside:
        async with bot_in(outside):
            pass
        yield outside


async def catch_up_once(outside: Outside, *, is_done: bool = True) -> None:
    """A bot starts, catches up and stops."""
    async with asyncio.timeout(30), bot_in(outside) as bot:
        assert await bot.catch_up.run(is_last_try=False) == is_done


async def test_the_first_start_ever_answers_nothing_of_old() -> None:
    async with outside_world() as outside:
        await outside.mention("before there was a bot")
        outside.clock.advance(HOUR_S)
        await catch_up_once(outside)

        assert outside.front.messages == []


@pytest.mark.proves("catch_up.answered")
async def test_what_was_missed_is_handed_over_once_oldest_first(outside: Outside) -> None:
    said: list[str] = []
    for number in range(8):
        outside.clock.advance(HOUR_S)
        for channel in ("general", "private", "news"):
            await outside.mention(said_text := f"{number} in {channel}", channel=channel)
            said.append(said_text)
    await outside.slack.say("ann", dm=True, text="and directly")
    outside.clock.advance(HOUR_S)

    await catch_up_once(outside)
    assert outside.front.texts == [*said, "and directly"]

    outside.clock.advance(60)
    await catch_up_once(outside)
    assert outside.front.texts == [*said, "and directly"]


async def test_what_was_heard_is_neither_answered_nor_listed_days_later(outside: Outside) -> None:
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.catch_up.run()
        await outside.mention("heard")
        await until_given(outside, 1)
        await bot.settle()
        outside.clock.advance(60)
        bot.catch_up.lose()
        assert await bot.catch_up.run()
    outside.front.messages.clear()
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)

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
        assert await bot.catch_up.run()
        await bot.settle()

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
        assert await bot.catch_up.run()
        await bot.settle()

    texts.remove("in another thread")
    assert texts == ["first", "second", "third"]
    assert len(outside.front.texts) == 4






async def test_a_few_are_worked_on_at_once_and_not_all(outside: Outside) -> None:
    outside.front.may_end.clear()
    for number in range(MAX_AT_ONCE + 5):
        await outside.mention(f"{number}")
    async with asyncio.timeout(30), bot_in(outside, head_start_s=0.01) as bot:
        running = asyncio.create_task(bot.catch_up.run())
        await until_given(outside, MAX_AT_ONCE)
        await outside.mention("live", channel="news")
        assert len(outside.front.texts) == MAX_AT_ONCE
        outside.front.may_end.set()
        assert await running

    assert outside.front.texts == [f"{number}" for number in range(MAX_AT_ONCE + 5)]


async def until_given(outside: Outside, count: int) -> None:
    """Wait until the agent was given so many messages; the caller bounds the wait."""
    while len(outside.front.messages) < count:
        outside.front.got_one.clear()
        await outside.front.got_one.wait()


async def test_what_could_not_be_read_is_read_by_another_run(outside: Outside) -> None:
    await outside.mention("hi")
    async with asyncio.timeout(30), bot_in(outside) as bot:
        outside.slack.fail("conversations.history", status=500, times=7 * 20)
        assert not await bot.catch_up.run(is_last_try=False)
        assert outside.front.texts == []
        outside.slack.heal()
        assert await bot.catch_up.run(is_last_try=False)

    assert outside.front.texts == ["hi"]




async def test_a_payload_that_could_not_be_recorded_is_found_again(outside: Outside) -> None:
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.catch_up.run()
        outside.ledger.failures = 2
        await outside.mention("the ledger is away")
        await outside.ledger.failed_enough()
        assert await bot.catch_up.run()
        await bot.settle()

    assert outside.front.texts == ["the ledger is away"]




@pytest.mark.proves("catch_up.answered")
async def test_what_was_missed_is_answered_before_threads_are_read_that_were_heard(
    outside: Outside,
) -> None:
    slack = outside.slack
    async with asyncio.timeout(30), bot_in(outside, listens=True) as bot:
        assert await bot.catch_up.run()
        for number in range(40):
            root = await slack.say("ann", "general", f"plan {number}")
            await slack.say("ben", "general", "agreed", thread_ts=root)
        await outside.mention("heard")
        await until_given(outside, 1)
        await bot.settle()
        outside.clock.advance(60)
        bot.catch_up.lose()
        assert await bot.catch_up.run()
    outside.front.messages.clear()
    outside.clock.advance(60)
    await outside.mention("missed")
    before = len(slack.calls)
    outside.front.may_end.clear()
    async with asyncio.timeout(30), bot_in(outside) as bot:
        running = asyncio.create_task(bot.catch_up.run())
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
    said: list[list[str]] = []
    for number in range(FIRST_THREADS + THREADS + 5):
        outside.clock.advance(1)
        root = await outside.mention(f"{number}: 0")
        for reply in (1, 2):
            await outside.slack.say("ann", "general", f"{number}: {reply}", thread_ts=root)
        said.append([f"{number}: {each}" for each in range(3)])
    outside.clock.advance(HOUR_S)
    await catch_up_once(outside)
    outside.clock.advance(60)
    await catch_up_once(outside)

    texts = outside.front.texts
    assert [[text for text in texts if text in thread] for thread in said] == said
    assert len(texts) == 3 * len(said)




async def test_a_token_that_is_refused_on_the_way_cancels_nothing_that_was_begun(
    outside: Outside,
) -> None:
    for number in range(FIRST_THREADS + 1):
        root = await outside.mention(f"{number}")
        await outside.mention("and", thread_ts=root)
    before = dict(outside.marks.saved)
    outside.front.may_end.clear()
    async with asyncio.timeout(30), bot_in(outside, head_start_s=0.01) as bot:
        running = asyncio.create_task(bot.catch_up.run())
        await until_given(outside, MAX_AT_ONCE)
        outside.slack.fail("conversations.replies", error="token_revoked")
        outside.front.may_end.set()
        with pytest.raises(SlackAuthRefused):
            await running
        assert len(outside.front.texts) == 2 * FIRST_THREADS + 1
        assert outside.ledger.unfinished == set()
        assert outside.marks.saved == before
        assert await bot.catch_up.run()

    assert len(outside.front.texts) == 2 * FIRST_THREADS + 2


@pytest.mark.proves("catch_up.interrupted")
async def test_a_crash_in_the_middle_loses_nothing(outside: Outside) -> None:
    texts = [f"{number}" for number in range(5)]
    for text in texts:
        await outside.mention(text)
    outside.clock.advance(HOUR_S)
    outside.front.may_end.clear()
    async with asyncio.timeout(30), bot_in(outside) as bot:
        running = asyncio.create_task(bot.catch_up.run())
        await until_given(outside, 1)
        running.cancel()
        await asyncio.wait([running])
    assert 1 <= len(outside.front.texts) < 5

    outside.front.may_end.set()
    await catch_up_once(outside)
    assert outside.front.texts == texts


async def test_only_one_run_is_made_at_a_time(outside: Outside) -> None:
    await outside.mention("hi")
    async with asyncio.timeout(30), bot_in(outside) as bot, asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(ran(bot))

    assert outside.front.texts == ["hi"]


async def ran(bot: Bot) -> None:
    assert await bot.catch_up.run()
