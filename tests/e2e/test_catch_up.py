"""What people say while the bot is away is answered once it is back."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.sandbox.model import ReplyText
from bot.sandbox.moments import SharedClock
from bot.sandbox.slack.records import Post
from tests.e2e.world import SIMPLE_ANSWER, Outside, World, bot_in, outside_world
from tests.faulty_slack import FaultySlack

MINUTE_S, HOUR_S = 60.0, 3_600.0
CHANNELS = ("general", "news", "private")
CATCH_UP_S = 100.0


@pytest.mark.proves("catch_up.answered")
async def test_what_was_missed_in_a_day_is_answered_once_oldest_first(tmp_path: Path) -> None:
    clock = SharedClock(tmp_path / "clock", start_s=time.time() - 48 * HOUR_S)
    async with outside_world(tmp_path / "root", slack_clock=clock) as outside:
        slack = outside.slack
        plan = await slack.say("ben", "general", "plan")
        async with bot_in(outside) as world:
            root = await world.ask_simply("Are you there?")
        asked: list[tuple[str, str, str]] = []
        for until_next_s in (22 * HOUR_S, 59 * MINUTE_S, MINUTE_S):
            asked += await ask_many(outside, 7)
            for thread in (root, plan):
                text = f"{slack.mention} what is next?" if thread == plan else "and go on"
                ts = await slack.say("ann", "general", text, thread_ts=thread)
                asked.append(("general", thread, ts))
            asked.append(
                (slack.dm_id("ben"), ts := await slack.say("ben", dm=True, text="Me?"), ts)
            )
            clock.jump_to(clock.now() + until_next_s)
        outside.model.play(ReplyText(text=SIMPLE_ANSWER), times=2 * len(asked))
        async with bot_in(outside) as world:
            await all_answered(world, asked)
            await world.ask_simply("Are you still there?", channel="news")
            assert answered_in_order(world, asked, but=root)
        posts = len(slack.state.posts_of(slack.channels["general"]))
        clock.jump_to(clock.now() + HOUR_S)
        before = len(slack.calls)
        async with bot_in(outside) as world:
            await caught_up(outside, before=before)
            await world.ask_simply("Are you still there?", channel="news")
            assert answered_in_order(world, asked, but=root)
        assert len(slack.state.posts_of(slack.channels["general"])) == posts


async def ask_many(outside: Outside, count: int) -> list[tuple[str, str, str]]:
    """Mentions in new threads: channel, thread and post of each."""
    asked: list[tuple[str, str, str]] = []
    for number in range(count):
        channel = CHANNELS[number % len(CHANNELS)]
        text = f"{outside.slack.mention} question {number}"
        ts = await outside.slack.say("ann", channel, text)
        asked.append((channel, ts, ts))
    return asked


async def caught_up(outside: Outside, *, before: int) -> None:
    """Wait until a bot has read every conversation; there were so many calls before it started."""
    places = {
        place.id
        for place in outside.slack.state.channels.values()
        if outside.slack.bot_user_id in place.members and not place.is_archived
    }

    def is_read(slack: FaultySlack) -> bool:
        asked = [call for call in slack.calls[before:] if call.method == "conversations.history"]
        return places <= {call.args["channel"] for call in asked}

    await outside.slack.wait_for(is_read, timeout_s=CATCH_UP_S)


async def all_answered(world: World, asked: Sequence[tuple[str, str, str]]) -> None:
    async with asyncio.timeout(CATCH_UP_S):
        for channel, _, ts in asked:
            turn = await world.answered(ts, channel=channel, timeout_s=CATCH_UP_S)
            assert turn.answer == SIMPLE_ANSWER


def answered_in_order(world: World, asked: Sequence[tuple[str, str, str]], *, but: str) -> bool:
    """Whether the answers stand in Slack in the order of the questions, one for each."""
    given: list[tuple[str, Post]] = []
    for channel, thread in dict.fromkeys((channel, thread) for channel, thread, _ in asked):
        answers = [
            post for post in world.bot_posts(thread, channel=channel) if post.text == SIMPLE_ANSWER
        ]
        given += [(thread, post) for post in answers[1 if thread == but else 0 :]]
    given.sort(key=lambda each: each[1].ts)
    return [thread for thread, _ in given] == [thread for _, thread, _ in asked]
