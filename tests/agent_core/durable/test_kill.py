"""A turn survives kill -9, and new code: the process is really killed and started again."""

import asyncio
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("turn_process.py")


async def run_process(root: Path, name: str, *kill_at: str) -> int:
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), str(root), name, *kill_at
    )
    async with asyncio.timeout(90):
        return await process.wait()


def paid(root: Path) -> Counter[str]:
    """How often each call was begun, over all processes so far."""
    return Counter((root / "paid.log").read_text(encoding="utf-8").splitlines())


@pytest.mark.proves("crashes.lost", "crashes.new_code", "crashes.paid_once")
@pytest.mark.process("only a process can be killed")
async def test_a_turn_that_new_code_cannot_replay_goes_on_from_its_history_after_each_kill(
    tmp_path: Path,
) -> None:
    assert await run_process(tmp_path, "old", "model root 2") == -signal.SIGKILL
    assert await run_process(tmp_path, "new", "model root 3") == -signal.SIGKILL
    paid_before = paid(tmp_path)
    assert await run_process(tmp_path, "new") == 0
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "All done."
    assert set(paid(tmp_path) - paid_before) == {"model root 3"}, "it alone was not finished"
    assert paid(tmp_path)["model root 0"] == 1
    assert paid(tmp_path)["tool"] == 3
