"""Random schedules: two people write, edit, delete and stop while the bot works and restarts."""

from pathlib import Path

import pytest

from tests.agent_core.runtime.schedules import Schedules


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_every_gesture_of_a_random_schedule_ends_once(tmp_path: Path, seed: int) -> None:
    schedules = Schedules(tmp_path, seed, threads=10)
    await schedules.run(restarts=3)
    assert schedules.faults == []
    assert not any(thread.actions for thread in schedules.threads)
    assert all(thread.said for thread in schedules.threads)
    assert schedules.effects
