"""Posts that were missed for more than a day are listed once and not answered."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.ingress.missed import FIRST_THREADS
from tests.bot.ingress.world import HOUR_S, Outside, bot_in, outside_world




@pytest.mark.proves("catch_up.notice")
async def test_what_is_older_than_a_day_is_listed_in_its_own_conversation(
    outside: Outside,
) -> None:
    slack = outside.slack
    public = await outside.mention("What is the price of the harvest?")
    private = await outside.mention("What is our secret?", channel="private", user="ben")
    direct = await slack.say("ann", dm=True, text="When is it due?")
    outside.clock.advance(30 * HOUR_S)
    await outside.mention("of today")
    outside.clock.advance(60)
    await catch_up_once(outside)

    assert outside.front.texts == ["of today"]
    for channel, ts, name in (
        ("general", public, "ann"),
        ("private", private, "ben"),
        (slack.dm_id("ann"), direct, "ann"),
    ):
        [notice] = outside.notices(channel)
        first, listed = notice.splitlines()
        assert first.startswith("I was not running when these messages came in. ")
        assert "more than a day old" in first
        assert f"p{ts.replace('.', '')}|20" in listed
        assert listed.endswith(f"> {name}")


@pytest.mark.proves("catch_up.notice")
async def test_posts_of_many_threads_are_listed_in_one_notice_oldest_first(
    outside: Outside,
) -> None:
    roots = [await outside.mention(f"{number}") for number in range(FIRST_THREADS + 5)]
    last = [await outside.mention("and", thread_ts=root) for root in reversed(roots)]
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)

    [notice] = outside.notices("general")
    _, *listed, more = notice.splitlines()
    newest = (roots + last)[-len(listed) :]
    assert all(f"p{ts.replace('.', '')}" in line for ts, line in zip(newest, listed, strict=True))
    assert f" {len(roots + last) - len(listed)} " in more


@pytest.mark.proves("catch_up.notice")
async def test_a_second_start_lists_nothing_more(outside: Outside) -> None:
    await outside.mention("of old")
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)
    outside.clock.advance(HOUR_S)
    await catch_up_once(outside)

    assert len(outside.notices("general")) == 1


@pytest.mark.proves("catch_up.notice")
async def test_a_bot_that_died_after_its_notice_posts_it_once(outside: Outside) -> None:
    await outside.mention("of old")
    await outside.mention("of old, too")
    outside.clock.advance(23.5 * HOUR_S)
    await outside.mention("nearly of old")
    outside.clock.advance(HOUR_S)
    before = dict(outside.marks.saved)
    await catch_up_once(outside)
    outside.marks.saved.clear()
    outside.marks.saved.update(before)
    outside.front.messages.clear()
    outside.clock.advance(24 * HOUR_S)
    await catch_up_once(outside)

    first, second = outside.notices("general")
    assert len(first.splitlines()) == 1 + 2
    assert len(second.splitlines()) == 1 + 1


async def test_a_notice_whose_answer_is_lost_is_posted_once(outside: Outside) -> None:
    await outside.mention("of old")
    outside.clock.advance(30 * HOUR_S)
    outside.slack.fail("chat.postMessage", drop_after_accept=True)
    await catch_up_once(outside)

    assert len(outside.notices("general")) == 1


async def test_what_had_its_answer_is_not_listed(outside: Outside) -> None:
    """The last marks before a crash are lost; the turns are not."""
    ts = await outside.mention("answered before the crash")
    outside.front.of_old.add(outside.key("general", ts))
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)

    assert outside.notices("general") == []


async def test_posts_of_people_whom_the_bot_does_not_serve_are_not_listed(
    outside: Outside,
) -> None:
    await outside.mention("please", user="guest")
    await outside.slack.say("ben", "general", "not for the bot")
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)

    assert outside.notices("general") == []


async def test_twenty_are_listed_and_the_rest_is_counted(outside: Outside) -> None:
    for number in range(23):
        await outside.mention(f"question {number}")
    outside.clock.advance(30 * HOUR_S)
    await catch_up_once(outside)

    [notice] = outside.notices("general")
    assert notice.count("•") == 20
    assert notice.endswith("… and 3 older ones.")
    assert len(notice) < 4_000






async def test_a_notice_that_fails_is_posted_by_another_run(outside: Outside) -> None:
    await outside.mention("of old")
    outside.clock.advance(30 * HOUR_S)
    async with asyncio.timeout(30), bot_in(outside) as bot:
        outside.slack.fail("chat.getPermalink", status=500, times=7)
        assert not await bot.catch_up.run(is_last_try=False)
        assert await bot.catch_up.run(is_last_try=False)

    assert len(outside.notices("general")) == 1
