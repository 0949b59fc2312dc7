"""Where the sandbox's time begins, and that the bot and Slack are put forward together."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.clock import WallClock
from bot.sandbox.moments import SharedClock, read_moment

CLOSE_S = 30.0
DAY_S = 86_400.0


@pytest.mark.parametrize(
    ("text", "at", "zone"),
    [
        ("2026-03-27T08:59:50 Europe/Berlin", "2026-03-27T07:59:50", "Europe/Berlin"),
        ("2026-03-27 08:59 Asia/Kathmandu", "2026-03-27T03:14:00", "Asia/Kathmandu"),
        ("  2026-03-27T08:59:50  ", "2026-03-27T08:59:50", "UTC"),
        ("2026-10-25T02:30 Europe/Berlin", "2026-10-25T00:30:00", "Europe/Berlin"),
    ],
)
def test_a_local_time_and_its_zone_are_read(text: str, at: str, zone: str) -> None:
    expected = datetime.fromisoformat(at).replace(tzinfo=UTC)
    read = read_moment(text)
    assert (read.timestamp(), str(read.tzinfo)) == (expected.timestamp(), zone)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("now", "'now'"),
        ("2026-03-27 Europe/Berlin", "is no moment"),
        ("2026-03-27T08:59:50+01:00", "is no moment"),
        ("2026-03-27T08:59:50 Berlin", "key Berlin"),
        ("2026-03-27T08:59:50 Europe", "is no moment"),
        ("2026-03-27T08:59:50 ../../etc/passwd", "/etc/passwd"),
        ("2026-02-30T08:59:50 UTC", "out of range"),
        ("2026-03-29T02:30 Europe/Berlin", "leave out 2026-03-29 02:30"),
        ("1999-01-01T00:00", "is no moment"),
    ],
)
def test_what_is_no_moment_is_refused_with_a_reason(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_moment(text)


def test_the_bot_sees_each_jump_at_once(tmp_path: Path) -> None:
    start_s = read_moment("2026-03-27T08:59:50 Europe/Berlin").timestamp()
    clock = SharedClock(tmp_path / "clock", start_s=start_s)
    bots = WallClock(clock.file)
    for days in range(4):
        clock.jump_to(start_s + days * DAY_S)
        assert abs(bots.now().timestamp() - (start_s + days * DAY_S)) < CLOSE_S
        assert abs(bots.now().timestamp() - clock.now()) < CLOSE_S
