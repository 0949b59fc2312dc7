"""Where the sandbox's time begins, and that the bot and Slack are put forward together."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.clock import WallClock
from bot.sandbox.moments import Moment, SharedClock, UnclearMomentError, read_moment
from bot.sandbox.slack import SlackStandIn

CLOSE_S = 30.0
DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("text", "at", "zone"),
    [
        ("2026-03-27T08:59:50 Europe/Berlin", "2026-03-27T07:59:50", "Europe/Berlin"),
        ("2026-03-30T08:59:50 Europe/Berlin", "2026-03-30T06:59:50", "Europe/Berlin"),
        ("2026-03-27 08:59 Asia/Kathmandu", "2026-03-27T03:14:00", "Asia/Kathmandu"),
        ("  2026-03-27T08:59:50  ", "2026-03-27T08:59:50", "UTC"),
        ("2026-10-25T02:30 Europe/Berlin", "2026-10-25T00:30:00", "Europe/Berlin"),
    ],
)
def test_a_local_time_and_its_zone_are_read(text: str, at: str, zone: str) -> None:
    expected = datetime.fromisoformat(at).replace(tzinfo=UTC)
    assert read_moment(text) == Moment(at=expected, zone=zone)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("now", "'now'"),
        ("now Europe/Berlin", "'now'"),
        ("09:00 Europe/Berlin", "without a date"),
        ("2026-03-27 Europe/Berlin", "is no moment"),
        ("2026-03-27T08:59:50+01:00", "is no moment"),
        ("2026-03-27T08:59:50Z", "is no moment"),
        ("2026-03-27T08:59:50 Berlin", "no time zone Berlin"),
        ("2026-03-27T08:59:50 ../../etc/passwd", "no time zone"),
        ("2026-02-30T08:59:50 UTC", "There is no 2026-02-30"),
        ("2026-03-27T25:00 UTC", "There is no 2026-03-27 25:00"),
        ("2026-03-29T02:30 Europe/Berlin", "leave out 2026-03-29 02:30"),
        ("1999-01-01T00:00", "from 2002 to 2199"),
        ("", "is no moment"),
    ],
)
def test_what_is_no_moment_is_refused_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(UnclearMomentError) as refused:
        read_moment(text)
    assert said in str(refused.value)


def test_moments_are_told_in_the_zone_across_the_change_to_summer_time() -> None:
    moment = read_moment("2026-03-27T08:59:50 Europe/Berlin")
    assert moment.told(moment.at_s) == "2026-03-27T08:59:50+01:00"
    assert moment.told(moment.at_s + 3 * DAY_S) == "2026-03-30T09:59:50+02:00"


def test_the_bot_sees_each_jump_at_once(tmp_path: Path) -> None:
    start_s = read_moment("2026-03-27T08:59:50 Europe/Berlin").at_s
    clock = SharedClock(tmp_path / "clock", start_s=start_s)
    bots = WallClock(clock.file)
    for days in range(4):
        clock.jump_to(start_s + days * DAY_S)
        assert abs(bots.now_s() - (start_s + days * DAY_S)) < CLOSE_S
        assert abs(bots.now_s() - clock.now()) < CLOSE_S


def test_it_never_goes_back(tmp_path: Path) -> None:
    clock = SharedClock(tmp_path / "clock", start_s=time.time() - 10 * DAY_S)
    clock.jump_to(time.time())
    there_s = clock.now()
    clock.jump_to(there_s - DAY_S)
    assert clock.now() >= there_s


async def test_a_wait_that_is_under_way_is_not_cut_short_by_a_jump(tmp_path: Path) -> None:
    clock = SharedClock(tmp_path / "clock", start_s=time.time())
    waiting = asyncio.create_task(clock.sleep_until(clock.now() + 600))
    await asyncio.sleep(0)
    clock.jump_to(clock.now() + DAY_S)
    done, _ = await asyncio.wait({waiting}, timeout=0.05)
    assert not done
    waiting.cancel()
    async with asyncio.timeout(1):
        await clock.sleep_until(clock.now() - 1)


async def test_posts_are_stamped_with_the_time_that_was_jumped_to(tmp_path: Path) -> None:
    start_s = read_moment("2026-03-27T08:59:50 Europe/Berlin").at_s
    clock = SharedClock(tmp_path / "clock", start_s=start_s)
    async with SlackStandIn(clock=clock) as slack:
        first = await slack.say("ann", "news", "good morning")
        clock.jump_to(start_s + 3 * DAY_S)
        second = await slack.say("ann", "news", "good morning again")
    assert abs(float(first) - start_s) < CLOSE_S
    assert abs(float(second) - start_s - 3 * DAY_S) < CLOSE_S
