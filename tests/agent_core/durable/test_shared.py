"""Several processes on one database: each session has one at a time, and none is left alone."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from agent_core.errors import SessionError
from agent_core.ids import TurnId
from agent_core.sessions import Database, SessionStore, StoredTurn, WriteBehind
from tests.runtimes import inbound

PROGRAM = Path(__file__).with_name("shared_process.py")
START_S = 60
TAKE_OVER_S = 30
STOP_S = 2.5
"""Two seconds, and the look of this test into the database."""

pytestmark = pytest.mark.process("two processes share the work, and one dies")


class Member:
    """One process of several."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def told(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        await self._process.stdin.drain()

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    async def ended(self) -> int:
        async with asyncio.timeout(START_S):
            return await self._process.wait()


@asynccontextmanager
async def member(root: Path, url: str, name: str) -> AsyncGenerator[Member]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAM),
        str(root),
        url,
        name,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_S):
            assert await process.stdout.readline() == b"ready\n"
        yield Member(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def looking_at(url: str) -> AsyncGenerator[SessionStore]:
    database = Database(url)
    try:
        yield SessionStore(database, WriteBehind(database))
    finally:
        await database.close()


async def finished(store: SessionStore, turn: TurnId, *, within_s: float) -> StoredTurn:
    async with asyncio.timeout(within_s):
        while True:
            with suppress(SessionError):  # it may still be on its way
                if (stored := await store.turn(turn)).status == "finished":
                    return stored
            await asyncio.sleep(0.05)


async def done(root: Path, line: str) -> None:
    """Wait until a process has noted something."""
    async with asyncio.timeout(START_S):
        while line not in lines(root):  # noqa: ASYNC110 (of another process)
            await asyncio.sleep(0.02)


def lines(root: Path) -> list[str]:
    log = root / "done.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def turn_of(thread: int, number: int = 1) -> TurnId:
    return TurnId(f"turn:{inbound('', number=number, thread=thread).key}")


@pytest.mark.proves("crashes.paid_once", "effects.reads", "processes.taken_over")
async def test_a_dead_process_is_followed_by_another_one_that_repeats_nothing(
    tmp_path: Path, postgres_url: str
) -> None:
    async with member(tmp_path, postgres_url, "a") as a, looking_at(postgres_url) as store:
        await a.told("say 1 1 continue")
        await done(tmp_path, "a look for T1:C1:1.000001")
        async with member(tmp_path, postgres_url, "b"):
            a.send(signal.SIGKILL)
            (tmp_path / "gate").touch()
            turn = await finished(store, turn_of(1), within_s=TAKE_OVER_S)
    assert turn.answer == "Done, 0 messages taken in."
    assert lines(tmp_path) == [
        "a model 0",
        "a look for T1:C1:1.000001",
        "b look for T1:C1:1.000001",
        "b model 1",
        "b sent for T1:C1:1.000001",
        "b model 2",
    ]


@pytest.mark.proves("processes.suspended")
async def test_a_process_that_was_suspended_does_nothing_more_for_what_another_one_took(
    tmp_path: Path, postgres_url: str
) -> None:
    async with (
        member(tmp_path, postgres_url, "a") as a,
        member(tmp_path, postgres_url, "b"),
        looking_at(postgres_url) as store,
    ):
        await a.told("say 1 1 continue")
        await done(tmp_path, "a look for T1:C1:1.000001")
        a.send(signal.SIGSTOP)
        (tmp_path / "gate").touch()
        turn = await finished(store, turn_of(1), within_s=TAKE_OVER_S)
        a.send(signal.SIGCONT)
        # It sees to what comes next, so it has had its time to do something wrong.
        await a.told("say 2 1 continue")
        await finished(store, turn_of(2), within_s=START_S)
        await a.told("end")
        assert await a.ended() == 0
        assert (await store.turn(turn_of(1))).answer == turn.answer
    first = [line for line in lines(tmp_path) if "T1:C1:1.000001" in line]
    assert first == [
        "a look for T1:C1:1.000001",
        "b look for T1:C1:1.000001",
        "b sent for T1:C1:1.000001",
    ]
    assert "a model 1" not in lines(tmp_path)[: lines(tmp_path).index("b model 2")]


@pytest.mark.proves("stop.two_seconds", "processes.steered")
async def test_what_comes_in_through_another_process_steers_and_stops(
    tmp_path: Path, postgres_url: str
) -> None:
    async with (
        member(tmp_path, postgres_url, "a") as a,
        member(tmp_path, postgres_url, "b") as b,
        looking_at(postgres_url) as store,
    ):
        for thread in (1, 2):
            await a.told(f"say {thread} 1 continue")
            await done(tmp_path, f"a look for T1:C1:{thread}.000001")
        await b.told("from_ben 1 2 also Poland")
        await b.told("from_ben 2 2 stop")
        stopped = await finished(store, turn_of(2), within_s=STOP_S)
        assert stopped.outcome == "stopped"
        assert str(stopped.answer).startswith("Ben stopped this.")
        (tmp_path / "gate").touch()
        steered = await finished(store, turn_of(1), within_s=START_S)
        assert steered.answer == "Done, 1 messages taken in."
        assert (await finished(store, turn_of(1, 2), within_s=START_S)).outcome == "steered"
    assert not [line for line in lines(tmp_path) if line.startswith("b")]
    assert "a sent for T1:C1:2.000001" not in lines(tmp_path)


@pytest.mark.proves("processes.handed_over")
async def test_an_orderly_end_hands_the_work_over_at_once(
    tmp_path: Path, postgres_url: str
) -> None:
    async with (
        member(tmp_path, postgres_url, "a") as a,
        member(tmp_path, postgres_url, "b"),
        looking_at(postgres_url) as store,
    ):
        await a.told("say 1 1 continue")
        await done(tmp_path, "a look for T1:C1:1.000001")
        await a.told("end")
        assert await a.ended() == 0
        (tmp_path / "gate").touch()
        await finished(store, turn_of(1), within_s=10)
    assert lines(tmp_path).count("b sent for T1:C1:1.000001") == 1


@pytest.mark.proves("processes.one_session")
async def test_many_threads_through_both_processes_are_each_worked_on_once(
    tmp_path: Path, postgres_url: str
) -> None:
    (tmp_path / "gate").touch()
    threads = range(1, 11)
    async with (
        member(tmp_path, postgres_url, "a") as a,
        member(tmp_path, postgres_url, "b") as b,
        looking_at(postgres_url) as store,
    ):
        for thread in threads:
            for each in (a, b) if thread % 2 else (b, a):  # the same gesture through both
                await each.told(f"say {thread} 1 continue")
        for thread in threads:
            await finished(store, turn_of(thread), within_s=START_S)
    sent = [line.partition(" ")[2] for line in lines(tmp_path) if "sent" in line]
    assert sorted(sent) == sorted(f"sent for T1:C1:{thread}.000001" for thread in threads)
