"""A turn of which the bot dies again and again is set aside: told in its thread, others go on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_core.runtime import MAX_TRIES
from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.bot_process import bot_process, bot_texts, mention, open_abyss
from tests.e2e.world import Outside, outside_world

pytestmark = pytest.mark.process("only a process can be killed")

DIES_AT = "tool_call.before"
LOOK = ToolUse(name="mcp__local_toolkit__list_local_files", input={})
SET_ASIDE = "I have set it aside"
ANSWER = "All bridges are counted."
WORK_S = 60.0


def has(outside: Outside, ts: str, words: str) -> bool:
    return any(words in text for text in bot_texts(outside, ts))


async def die(outside: Outside, point: str) -> None:
    """A life in which nothing is asked: what is left over kills it."""
    async with bot_process(outside, fault_at=point) as bot:
        assert await bot.wait() != 0


async def live_until(outside: Outside, is_told: Callable[[], bool]) -> None:
    """A life that goes on and gets so far. What an earlier one could not store any more, one may
    get further by, and then it takes another."""
    for _ in range(MAX_TRIES):
        async with bot_process(outside, fault_at=DIES_AT) as bot:
            told = asyncio.create_task(
                outside.slack.wait_for(lambda _: is_told(), timeout_s=WORK_S)
            )
            died = asyncio.create_task(bot.wait())
            await asyncio.wait({told, died}, return_when=asyncio.FIRST_COMPLETED)
            died.cancel()
            if told.done():
                assert await told
                return
            told.cancel()
    raise AssertionError("one process after another dies of the turn")


@pytest.mark.proves("crashes.poison")
async def test_a_turn_that_kills_its_process_again_and_again_is_told_so_and_others_are_served(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside:
        outside.model.play(LOOK)
        async with bot_process(outside, fault_at=DIES_AT) as bot:
            poisoned = await mention(outside, "continue counting the bridges")
            assert await bot.wait() != 0
        for _ in range(MAX_TRIES - 1):
            await die(outside, DIES_AT)

        outside.model.play(ReplyText(text=ANSWER), times=12)  # lives may ask again
        other = await mention(outside, "continue counting other bridges")
        await live_until(
            outside, lambda: has(outside, poisoned, SET_ASIDE) and has(outside, other, ANSWER)
        )
        assert not has(outside, poisoned, ANSWER)


@pytest.mark.proves("crashes.poison")
async def test_an_answer_whose_showing_kills_again_and_again_is_shown_as_it_is(
    tmp_path: Path,
) -> None:
    async with outside_world(tmp_path) as outside:
        outside.model.play(ReplyText(text=f"**{ANSWER}**"))
        async with bot_process(outside, fault_at="post.before") as bot:
            poisoned = await mention(outside, "continue counting the bridges")
            assert await bot.wait() != 0
        for _ in range(MAX_TRIES - 1):
            await die(outside, "post.before")
        async with bot_process(outside):
            await outside.slack.wait_for(
                lambda _: has(outside, poisoned, f"**{ANSWER}**"), timeout_s=WORK_S
            )


@pytest.mark.proves("crashes.poison", "shutdown.resumed")
async def test_a_turn_that_three_stops_in_order_interrupted_is_finished(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside, open_abyss() as abyss:
        async with bot_process(outside, model_url=abyss.url) as bot:
            asked = await mention(outside, "continue counting the bridges")
            await abyss.connections.acquire()
            bot.terminate()
            assert await bot.wait() == 0
        for _ in range(2):
            async with bot_process(outside, model_url=abyss.url) as bot:
                await abyss.connections.acquire()
                bot.terminate()
                assert await bot.wait() == 0

        outside.model.play(ReplyText(text=ANSWER), times=2)
        async with bot_process(outside):
            await outside.slack.wait_for(lambda _: has(outside, asked, ANSWER), timeout_s=WORK_S)
        assert not has(outside, asked, SET_ASIDE)
