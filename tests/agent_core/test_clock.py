"""What time it is, with a file that puts the clock off and without one."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_core.clock import WallClock, machine_time
from agent_core.settings import ClockSettings

CLOSE = timedelta(seconds=30)
DAY_S = 86_400.0


def shift_of(clock: WallClock) -> timedelta:
    return clock.now() - machine_time()


def is_about(shift: timedelta, seconds: float) -> bool:
    return abs(shift - timedelta(seconds=seconds)) < CLOSE


def test_without_a_file_it_is_the_machines_time_in_utc() -> None:
    clock = WallClock()
    before = datetime.now(UTC)
    assert before <= clock.now() <= datetime.now(UTC)
    assert clock.now().tzinfo is UTC


def test_the_files_seconds_are_added_and_a_change_counts_from_the_next_reading_on(
    tmp_path: Path,
) -> None:
    file = tmp_path / "clock"
    clock = WallClock(file)
    assert is_about(shift_of(clock), 0)
    for text in ("86400\n", "-86400.5\n", "1e5\n", "2e5\n"):
        file.write_text(text, encoding="ascii")
        assert is_about(shift_of(clock), float(text))
    file.unlink()
    assert is_about(shift_of(clock), 200_000)
    file.mkdir()
    assert is_about(shift_of(clock), 200_000)


def test_a_text_that_is_not_whole_leaves_what_was_read_last(tmp_path: Path) -> None:
    file = tmp_path / "clock"
    file.write_text("86400\n", encoding="ascii")
    clock = WallClock(file)
    assert is_about(shift_of(clock), DAY_S)
    halves = (
        "",
        "17280",
        "tomorrow\n",
        "nan\n",
        "inf\n",
        "1e300\n",
        "1\n2\n",
        "\n",
        "\N{SNOWMAN}\n",
    )
    for text in halves:
        file.write_text(text, encoding="utf-8")
        assert is_about(shift_of(clock), DAY_S)


def test_the_setting_names_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLOCK_FILE", os.fspath(tmp_path / "clock"))
    assert ClockSettings().shift_file == tmp_path / "clock"
    monkeypatch.setenv("CLOCK_FILE", "")
    assert ClockSettings().shift_file is None


def test_no_file_of_settings_can_leave_it_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLOCK_FILE", raising=False)
    (tmp_path / ".env").write_text("CLOCK_FILE=clock\n", encoding="utf-8")
    assert ClockSettings().shift_file is None
