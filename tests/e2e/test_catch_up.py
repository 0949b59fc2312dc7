"""What people say while the bot is away is answered once it is back."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent_core.events import QuestionAsked, ToolCallFinished
from bot.sandbox.model import Text, ToolUse
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import Post
from bot.words import BOT
from tests.e2e.world import SIMPLE_ANSWER, Outside, World, bot_in, outside_world

MINUTE_S, HOUR_S = 60.0, 3_600.0
CHANNELS = ("general", "news", "private")
CATCH_UP_S = 100.0
SCRIPTED = frozenset({"scripted"})
HOLD_S = 300.0
NOTE = ToolUse(name="mcp__local_toolkit__write_local_file", input={"path": "n.txt", "content": "x"})
QUESTION = ToolUse(name="ask_user", input={"question": "Which town?"})


class ShiftedClock:
    """The machine's clock, set back, and put forward by hand."""

    def __init__(self, shift_s: float) -> None:
        self._shift_s = shift_s

    def now(self) -> float:
        return time.time() + self._shift_s

    def advance(self, seconds: float) -> None:
        self._shift_s += seconds

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - self.now()))


@pytest.mark.proves("catch_up.answered")
async def test_what_was_missed_in_a_day_is_answered_once_oldest_first(tmp_path: Path) -> None:
    clock = ShiftedClock(-48 * HOUR_S)
    async with outside_world(tmp_path, slack_clock=clock) as outside:
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
            clock.advance(until_next_s)
        outside.model.play(Text(text=SIMPLE_ANSWER), times=2 * len(asked))
        async with bot_in(outside) as world:
            await all_answered(world, asked)
            await world.ask_simply("Are you still there?", channel="news")
            assert answered_in_order(world, asked, but=root)
        posts = len(slack.state.posts_of(slack.channels["general"]))
        clock.advance(HOUR_S)
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

    def is_read(slack: SlackStandIn) -> bool:
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


@pytest.mark.proves("catch_up.notice")
async def test_what_is_older_than_a_day_is_told_once_and_not_answered(tmp_path: Path) -> None:
    clock = ShiftedClock(-48 * HOUR_S)
    async with outside_world(tmp_path, slack_clock=clock) as outside:
        slack = outside.slack
        async with bot_in(outside) as world:
            await world.ask_simply("Are you there?")
        clock.advance(HOUR_S)
        old = [await slack.say("ann", channel, f"{slack.mention} of old") for channel in CHANNELS]
        clock.advance(30 * HOUR_S)
        for _ in range(2):
            before = len(slack.calls)
            async with bot_in(outside) as world:
                await caught_up(outside, before=before)
                await slack.wait_for(lambda _: are_told(outside), timeout_s=CATCH_UP_S)
                await world.ask_simply("Are you there again?")
            clock.advance(HOUR_S)
        for channel, ts in zip(CHANNELS, old, strict=True):
            [notice] = notices(outside, channel)
            assert ts.replace(".", "") in notice
            assert world.bot_posts(ts, channel=channel) == []


def are_told(outside: Outside) -> bool:
    return all(notices(outside, channel) for channel in CHANNELS)


def notices(outside: Outside, channel: str) -> list[str]:
    """What the bot said to a whole channel."""
    bot = outside.slack.bot_user_id
    posts = outside.slack.posts(channel)
    return [post.text for post in posts if post.user == bot and not post.is_reply]


@pytest.mark.proves("catch_up.answered")
async def test_what_came_while_the_socket_was_closed_is_answered(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside, bot_in(outside) as world:
        await world.ask_simply("Are you there?")
        slack = outside.slack
        slack.fail("apps.connections.open", status=503, times=3)
        slack.cut_sockets()
        await slack.wait_for(lambda slack: slack.open_sockets == 0)
        ts = await world.mention("Did you hear me?")
        world.play_simple()
        await world.answered(ts)
        assert len(world.answers(ts)) == 1


async def leave_unfinished(outside: Outside, first: ToolUse) -> str:
    """A bot begins with Ann's request and goes away in the middle of it; the thread's `ts`.

    After `first` the model is silent for a long time.
    """
    outside.model.play(first)
    outside.model.stall(0, kinds=SCRIPTED)
    outside.model.stall(HOLD_S, after_events=3, kinds=SCRIPTED)
    outside.model.play(Text(text="All done."), times=3)
    async with bot_in(outside) as world:
        root = await world.mention("continue with the town")
        await world.until(root, QuestionAsked if first is QUESTION else ToolCallFinished)
    return root


@pytest.mark.proves("edits.deleted")
@pytest.mark.parametrize("first", [NOTE, QUESTION])
async def test_a_request_that_was_deleted_while_the_bot_was_away_stops(
    tmp_path: Path, first: ToolUse
) -> None:
    async with outside_world(tmp_path) as outside:
        root = await leave_unfinished(outside, first)
        await outside.slack.delete("general", root)
        async with bot_in(outside) as world:
            turn = await world.answered(root)
            assert turn.outcome == "stopped"
            assert "All done." not in world.answers(root)


@pytest.mark.proves("edits.running")
async def test_a_request_that_was_edited_while_the_bot_was_away_goes_on_and_its_author_is_told(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside:
        slack = outside.slack
        root = await leave_unfinished(outside, QUESTION)
        await slack.edit("ann", "general", root, f"{slack.mention} continue with the village")
        for _ in range(2):
            before = len(slack.calls)
            async with bot_in(outside) as world:
                await slack.wait_for(lambda _: world.told_in_private("ann"))
                await caught_up(outside, before=before)
                await post_looked_at(outside, before=before)
                assert (await world.runtime.turn(world.turn_id(root))).outcome is None
                assert world.told_in_private("ann") == [BOT.say("en", "ingress-begun")]


async def post_looked_at(outside: Outside, *, before: int) -> None:
    """Wait until a bot has asked for a single post; so many calls were before it started."""

    def is_asked_for(slack: SlackStandIn) -> bool:
        return any("latest" in call.args for call in slack.calls[before:])

    await outside.slack.wait_for(is_asked_for, timeout_s=CATCH_UP_S)
