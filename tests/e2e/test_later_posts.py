"""What becomes of a request whose post is edited or deleted, or that is stopped."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent_core.events import QuestionAsked, TextDelta
from bot.sandbox.model import ReplyText, ToolUse
from bot.words import BOT
from tests.e2e.world import FIRST_WORDS, World, bot_in_a_world

SCRIPTED = frozenset({"scripted"})
STALL_S = 60.0
STOP_S = 6.0
ANSWER = "There are nine bridges, and one ferry."
QUESTION = ToolUse(name="ask_user", input={"question": "Which town?", "options": ["Linz", "Graz"]})


@asynccontextmanager
async def busy_bot(root: Path) -> AsyncGenerator[tuple[World, str, asyncio.Event]]:
    """A bot in the middle of its answer, the thread's `ts`, and what lets the answer go on."""
    async with bot_in_a_world(root) as world:
        world.model.play(ReplyText(text=ANSWER), times=3)
        may_go_on = world.model.stall(STALL_S, after_events=FIRST_WORDS, kinds=SCRIPTED)
        ts = await world.mention("continue counting the bridges")
        await world.until(ts, TextDelta)
        yield world, ts, may_go_on


@pytest.mark.proves("edits.running", "edits.before")
async def test_an_edit_reaches_the_work_only_while_the_message_waits(tmp_path: Path) -> None:
    async with busy_bot(tmp_path) as (world, ts, may_go_on):
        await world.slack.edit("ann", "general", ts, f"{world.slack.mention} count the ferries")
        await world.slack.wait_for(lambda _: world.told_in_private("ann"))
        later = await world.slack.say("ann", "general", "and the viaducts too", thread_ts=ts)
        await world.becomes(later, lambda turn: turn.status == "queued")
        await world.slack.edit("ann", "general", later, "and the tunnels too")
        await world.becomes(later, lambda turn: "tunnels" in turn.inbound.text)
        may_go_on.set()
        await world.slack.wait_for(lambda _: world.requests_with("and the tunnels too"))
        await world.answered(ts)
        assert world.requests_with("and the viaducts too") == []
        assert world.requests_with("count the ferries") == []
        assert world.told_in_private("ann") == [BOT.say("en", "ingress-begun")]
        assert ANSWER in world.answers(ts)


@pytest.mark.proves("edits.deleted")
async def test_a_request_that_is_deleted_stops_at_once(tmp_path: Path) -> None:
    async with busy_bot(tmp_path) as (world, ts, _):
        await world.slack.delete("general", ts)
        async with asyncio.timeout(STOP_S):
            events = await world.events(ts)
        assert events[-1].kind == "turn_finished"
        turn = await world.runtime.turn(world.turn_id(ts))
        assert turn.outcome == "stopped"
        assert ANSWER not in world.answers(ts)


@pytest.mark.proves("manners.cross", "manners.native_stop")
@pytest.mark.parametrize("way", ["cross", "slack"])
async def test_a_cross_and_slacks_own_stop_end_the_work_without_a_turn(
    tmp_path: Path, way: str
) -> None:
    async with busy_bot(tmp_path) as (world, ts, _):
        if way == "cross":
            await world.slack.react("ann", "general", ts, "x")
        else:
            await world.slack.stop_session("ann", "general", ts)
        async with asyncio.timeout(STOP_S):
            turn = await world.answered(ts)
        assert turn.outcome == "stopped"
        assert world.bot_posts(ts)[-1].text.startswith("Ann Arbor stopped this.")
        assert await world.runtime.sessions.turns_of(turn.session) == [turn.id]


@pytest.mark.proves("stop.any_state")
async def test_a_stop_at_the_top_of_a_direct_conversation_ends_all_work_there(
    tmp_path: Path,
) -> None:
    async with bot_in_a_world(tmp_path) as world:
        direct = world.slack.dm_id("ann")
        world.model.play(QUESTION)
        waiting = await world.slack.say("ann", dm=True, text="continue with the towns")
        await world.until(waiting, QuestionAsked, channel=direct)
        world.model.play(ReplyText(text=ANSWER), times=2)
        world.model.stall(STALL_S, after_events=FIRST_WORDS, kinds=SCRIPTED)
        running = await world.slack.say("ann", dm=True, text="continue with the bridges")
        await world.until(running, TextDelta, channel=direct)

        order = await world.slack.say("ann", dm=True, text="stop")
        for ts in (waiting, running):
            turn = await world.answered(ts, channel=direct)
            assert turn.outcome == "stopped"
            last = world.bot_posts(ts, channel=direct)[-1]
            assert last.text.startswith("Ann Arbor stopped this.")
        assert world.bot_posts(order, channel=direct) == []

        order = await world.slack.say("ann", dm=True, text="stop")
        await world.answered(order, channel=direct)
        assert len(world.bot_posts(order, channel=direct)) == 1
