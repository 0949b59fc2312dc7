"""What a sandbox cannot use, as its user sees it: a directory, a port, a model."""

import shutil
import socket
from pathlib import Path

import pytest

from tests.e2e.command_line import Ran, run_sandbox

pytestmark = pytest.mark.process("the command as a user types it")

ASK = "What is full jitter?"


def assert_ended(ran: Ran, *words: str) -> None:
    """It ended with code 1 and a sentence that names these; no traceback, nothing else."""
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("The sandbox stopped: ")
    assert len(ran.err.splitlines()) <= 2
    for word in words:
        assert word in ran.err


@pytest.mark.proves("command.unusable")
async def test_directories_that_cannot_be_written_end_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = await run_sandbox(tmp_path, ASK, out=tmp_path / "file" / "out")
    assert_ended(ran, "file/out cannot be written")
    shutil.rmtree(tmp_path / "AGENT_RUN_WORKSPACES")
    (tmp_path / "AGENT_RUN_WORKSPACES").touch()
    assert_ended(await run_sandbox(tmp_path, ASK), "AGENT_RUN_WORKSPACES", "another directory")


@pytest.mark.proves("command.unusable")
async def test_a_given_port_that_is_taken_ends_with_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = await run_sandbox(tmp_path, ASK, more=("--port", port))
    assert_ended(ran, f"port {port} is taken", "--port")


@pytest.mark.proves("command.unusable")
async def test_asks_are_not_put_to_a_model_that_cannot_be_reached(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    keys = {"ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}"}
    ran = await run_sandbox(tmp_path, ASK, keys=keys)
    assert_ended(ran, "Main model", "cannot be reached", "ANTHROPIC_BASE_URL")
