"""One process at a time on an SQLite database, and a lock that does not outlive its holder."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agent_core.errors import SessionError
from agent_core.sessions import holder_of, sole_process

TIMEOUT_S = 60
HOLDING = """# forked
import asyncio, sys
from agent_core.sessions import sole_process

async def hold():
    async with sole_process(sys.argv[1]):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


@asynccontextmanager
async def other_process(url: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """A process that holds the lock until it is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDING, url, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            assert process.stdout is not None
            assert await process.stdout.readline() == b"held\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.proves("processes.sqlite")
async def test_a_second_holder_is_refused_and_told_of_the_first(sqlite_url: str) -> None:
    async with sole_process(sqlite_url):
        holder = holder_of(sqlite_url)
        with pytest.raises(SessionError, match="another bot works with") as refused:
            async with sole_process(sqlite_url):
                pytest.fail("two hold the lock")
    sentence = str(refused.value)
    assert holder is not None
    assert re.match(rf"process {os.getpid()} on .*, running since 20\d\d-\d\d-\d\d", holder)
    assert holder in sentence
    assert "DATABASE_URL" in sentence
    assert "state.sqlite:" in sentence


def test_a_look_makes_no_file(sqlite_url: str, tmp_path: Path) -> None:
    assert holder_of(sqlite_url) is None
    assert list(tmp_path.iterdir()) == []


async def test_a_holder_that_did_not_say_who_it_is_is_still_a_holder(
    sqlite_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "state.sqlite.lock"
    async with sole_process(sqlite_url):
        path.write_bytes(b"")
        assert str(holder_of(sqlite_url)) == "a process that has not said who it is"


async def test_what_a_dead_process_wrote_keeps_nobody_out(sqlite_url: str, tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite.lock"
    path.write_text("process 1 on gone, running since 2026-01-01", encoding="utf-8")
    assert holder_of(sqlite_url) is None
    async with sole_process(sqlite_url):
        holder = holder_of(sqlite_url)
    assert holder is not None
    assert "gone" not in holder


async def test_one_database_by_two_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    async with sole_process(f"sqlite:///{tmp_path}/real/state.sqlite"):
        with pytest.raises(SessionError, match="another bot works with"):
            async with sole_process(f"sqlite:///{tmp_path}/link/state.sqlite"):
                pytest.fail("two hold the lock")


@pytest.mark.parametrize("url", ["postgresql://db.test/bot", "sqlite://", "sqlite:///:memory:"])
async def test_what_several_may_share_or_nobody_can_needs_no_lock(url: str) -> None:
    async with sole_process(url), sole_process(url):
        assert holder_of(url) is None


async def test_a_place_without_room_for_the_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SessionError, match=r"state\.sqlite\.lock cannot be written"):
        async with sole_process(f"sqlite:///{tmp_path}/file/state.sqlite"):
            pytest.fail("there is no such place")


@pytest.mark.proves("processes.sqlite")
@pytest.mark.process("a lock is between processes")
async def test_a_killed_process_leaves_no_lock(sqlite_url: str) -> None:
    """Only a process can be killed."""
    async with other_process(sqlite_url) as process:
        holder = holder_of(sqlite_url)
        assert holder is not None
        assert f"process {process.pid} " in holder
        process.kill()
        await process.wait()
    assert holder_of(sqlite_url) is None
    async with sole_process(sqlite_url):
        pass
