"""Time that jumps to what is due, and says why when nothing comes of it."""

import asyncio
from pathlib import Path

import pytest

from bot.sandbox.timelapse import NothingDueError, Patience
from bot.sandbox.watch import NoTurnError
from tests.bot.sandbox.digest_bot import START, staged

QUICK = Patience(work_s=30, due_s=0.3, begin_s=0.5, silent_slots=2)
PATIENT = Patience(work_s=30, due_s=5, begin_s=30, silent_slots=2)
BOUND_S = 60.0
DAY_S = 86_400.0


async def test_slots_are_passed_one_by_one_and_none_is_jumped_over(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, asyncio.timeout(BOUND_S):
        await stage.bot.order()
        await stage.timelapse(PATIENT).until_posts(4)
        assert stage.local_times() == [
            "2026-03-27T08:00:00+00:00",
            "2026-03-30T07:00:00+00:00",
            "2026-03-31T07:00:00+00:00",
            "2026-04-01T07:00:00+00:00",
        ]


async def test_a_bot_that_keeps_no_schedules_is_told_as_such(tmp_path: Path) -> None:
    async with staged(tmp_path, with_tables=False) as stage:
        with pytest.raises(NothingDueError) as stopped:
            await stage.timelapse(QUICK).until_posts(1)
    assert "keeps no schedules: of 1 posts 0 are there" in str(stopped.value)
    assert "2026-03-27T08:59:5" in str(stopped.value)


async def test_without_a_schedule_it_stops(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(NothingDueError, match="No schedule is due any more"):
            await stage.timelapse(QUICK).until_posts(1)


async def test_it_stops_when_the_schedule_is_over_before_enough_posts_came(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage, asyncio.timeout(BOUND_S):
        await stage.bot.order()
        await stage.timelapse(PATIENT).until_posts(1)
        await stage.bot.cancel()
        with pytest.raises(NothingDueError, match="of 2 posts 1 are there"):
            await stage.timelapse(QUICK).until_posts(2)


async def test_slot_after_slot_without_a_post_ends_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, asyncio.timeout(BOUND_S):
        stage.bot.manners.posts = False
        await stage.bot.order()
        with pytest.raises(NothingDueError, match="2 slots in a row brought no post"):
            await stage.timelapse(PATIENT).until_posts(1)
        assert len(stage.bot.slots) == 2


async def test_a_bot_that_does_not_begin_is_named_with_the_moment(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, asyncio.timeout(BOUND_S):
        stage.bot.manners.begins = False
        await stage.bot.order()
        stage.clock.jump_to(START.at_s + 60)
        with pytest.raises(NoTurnError) as stopped:
            await stage.timelapse(QUICK).until_posts(1)
    assert "did not begin with what was due at 2026-03-27T09:00:00+01:00" in str(stopped.value)


async def test_no_time_passes_when_the_posts_are_there(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, asyncio.timeout(BOUND_S):
        await stage.bot.order()
        await stage.timelapse(PATIENT).until_posts(1)
        await stage.timelapse(PATIENT).until_posts(1)
        assert stage.clock.now() - START.at_s < DAY_S
        assert len(stage.bot.slots) == 1
