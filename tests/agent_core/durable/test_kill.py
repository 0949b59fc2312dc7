"""A turn survives kill -9: the process is really killed and started again."""

import asyncio
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("turn_process.py")


async def run_process(root: Path, *kill_at: str, name: str = "agent") -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), str(root), name, *kill_at
    )
    async with asyncio.timeout(90):
        return await process.wait()


def paid(root: Path) -> Counter[str]:
    """How often each call was begun, over all processes so far."""
    return Counter((root / "paid.log").read_text(encoding="utf-8").splitlines())


@pytest.mark.proves("crashes.lost")
@pytest.mark.process("only a process can be killed")
@pytest.mark.parametrize(
    "kill_at",
    [
        "route_chosen:1",
        "tool_call_started:2",
        "run_started:2",
        "tool_call_finished:4",
        "run_finished:1",
    ],
)
async def test_a_turn_that_is_killed_goes_on_after_a_restart(tmp_path: Path, kill_at: str) -> None:
    assert await run_process(tmp_path, kill_at) == -signal.SIGKILL
    assert await run_process(tmp_path) == 0
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "All done."
    begun = paid(tmp_path)
    assert set(begun) == EXPECTED
    assert begun.total() - len(EXPECTED) - 2 <= 2, (
        begun
    )  # at most what was under way when the process died


EXPECTED = {
    "model root 0",
    "model root 2",
    "model child 0",
    "model child 1",
    "model root 3",
    "tool",
}


@pytest.mark.proves("crashes.new_code")
@pytest.mark.process("only a process can be killed")
async def test_a_turn_that_new_code_cannot_replay_goes_on_from_its_history(tmp_path: Path) -> None:
    assert await run_process(tmp_path, "tool_call_finished:2", name="old") == -signal.SIGKILL
    assert await run_process(tmp_path, name="new") == 0
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "All done."
    assert paid(tmp_path)["model root 0"] == 1
    assert paid(tmp_path)["tool"] == 3


@pytest.mark.proves("crashes.paid_once")
@pytest.mark.process("only a process can be killed")
async def test_a_turn_that_went_on_from_its_history_survives_another_kill(tmp_path: Path) -> None:
    assert await run_process(tmp_path, "begin:model root 2", name="old") == -signal.SIGKILL
    assert await run_process(tmp_path, "begin:model root 3", name="new") == -signal.SIGKILL
    paid_before = paid(tmp_path)
    assert await run_process(tmp_path, name="new") == 0
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "All done."
    assert set(paid(tmp_path) - paid_before) == {"model root 3"}, "it alone was not finished"
    assert paid(tmp_path)["model root 0"] == 1
    assert paid(tmp_path)["tool"] == 3
