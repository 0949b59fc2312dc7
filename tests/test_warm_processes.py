"""A process that was forked for a test is what an executed one would be."""

import asyncio
import json
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from os import getpid
from pathlib import Path
from typing import Any

import pytest

from tests.warm_processes import PROGRAMS, WarmPopen

pytestmark = pytest.mark.process("it is about processes")

PATIENCE_S = 60
PROGRAM = """
import json, os, sys
from pathlib import Path
said = {
    "arguments": sys.argv,
    "name": __name__,
    "path": sys.path[0],
    "variables": dict(os.environ),
    "directory": os.getcwd(),
    "parent": os.getppid(),
    "leads": os.getsid(0) == os.getpid(),
    "handles": len(os.listdir("/proc/self/fd")),
    "shown": Path("/proc/self/cmdline").read_text().rstrip("\\0").split("\\0"),
    "is_forked": "bot.start" in sys.modules,
}
print(json.dumps(said), flush=True)
sys.exit(len(sys.stdin.readline()))
"""


@pytest.fixture
async def program(tmp_path: Path) -> Path:
    """A program that is forked, once everything is loaded."""
    path = tmp_path / min(PROGRAMS)
    path.write_text(PROGRAM, encoding="utf-8")
    if WarmPopen.forker is None:
        pytest.skip("only Linux has an heir")
    async with asyncio.timeout(PATIENCE_S):
        while not WarmPopen.forker.is_ready():  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.05)
    return path


async def start(program: Path, *, own_session: bool = True) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        "an argument",
        env={"GIVEN": "1"},
        cwd=program.parent,
        stdin=PIPE,
        stdout=PIPE,
        start_new_session=own_session,
    )


async def said_by(process: Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        return json.loads(await process.stdout.readline())


async def test_it_has_what_it_was_given_and_is_a_child_of_its_starter(program: Path) -> None:
    process = await start(program)
    said = await said_by(process)
    await process.communicate(b"ab\n")
    assert process.returncode == 3
    assert said == {
        "arguments": [str(program), "an argument"],
        "name": "__main__",
        "path": str(program.parent),
        "variables": {"GIVEN": "1"},
        "directory": str(program.parent),
        "parent": getpid(),
        "leads": True,
        "handles": said["handles"],
        "shown": [sys.executable, str(program), "an argument"],
        "is_forked": True,
    }
    assert said["handles"] <= 5, "its streams, the line to what forks for it, and the listing"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it(program: Path, number: signal.Signals) -> None:
    process = await start(program, own_session=False)
    assert not (await said_by(process))["leads"]
    process.send_signal(number)
    async with asyncio.timeout(PATIENCE_S):
        await process.communicate()
    assert process.returncode == -number


def test_another_command_is_executed() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import sys; print('bot' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    assert ended.stdout == "False\n"
