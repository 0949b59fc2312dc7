"""The fair queue of programs: by person and session, never by arrival alone."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from agent_core.ids import SessionId, UserId
from agent_core.programs.seats import FairSeats


class Bench:
    """Programs that hold their places until the test lets them end."""

    def __init__(self, seats: FairSeats) -> None:
        self._seats = seats
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}

    async def program(self, name: str) -> None:
        """`ann/1/a` is a program of Ann's first session."""
        person, session, _ = name.split("/")
        self._ends[name] = asyncio.Event()
        async with self._seats.of(UserId(person), SessionId(f"{person}{session}"), is_begun=False):
            self.begun.append(name)
            await self._ends[name].wait()

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async def end(self, name: str) -> list[str]:
        """End a program; those that begin in its place."""
        before = len(self.begun)
        self._ends[name].set()
        await self.settle()
        return self.begun[before:]


@pytest.mark.proves("python.fair")
async def test_many_programs_of_one_person_keep_nobody_elses_waiting() -> None:
    bench = Bench(FairSeats(places=4))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(bench.program(f"ann/1/{number}")) for number in range(8)]
        await bench.settle()
        assert len(bench.begun) == 3
        tasks.append(group.create_task(bench.program("ben/1/a")))
        await bench.settle()
        assert bench.begun[-1] == "ben/1/a"
        for task in tasks:
            task.cancel()


@pytest.mark.proves("python.fair")
async def test_people_and_their_sessions_take_turns() -> None:
    bench = Bench(FairSeats(places=1))
    names = ["ann/1/a", "ann/1/b", "ann/1/c", "ann/2/d", "ben/1/e", "ben/1/f"]
    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(bench.program(name))
        await bench.settle()
        for _ in names:
            await bench.end(bench.begun[-1])
    assert bench.begun == ["ann/1/a", "ann/1/b", "ben/1/e", "ann/2/d", "ben/1/f", "ann/1/c"]


@pytest.mark.proves("python.fair")
async def test_a_person_has_a_bounded_number_of_waiting_programs() -> None:
    seats = FairSeats(places=2, max_waiting=3)
    bench = Bench(seats)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(bench.program(f"ann/1/{number}")) for number in range(4)]
        await bench.settle()
        with pytest.raises(RuntimeError, match="3 programs of this person wait"):
            await bench.program("ann/2/more")
        tasks.append(group.create_task(bench.program("ben/1/a")))
        await bench.settle()
        assert bench.begun[-1] == "ben/1/a"
        for task in tasks:
            task.cancel()


async def test_whoever_gives_up_waiting_leaves_no_place_taken() -> None:
    seats = FairSeats(places=1)
    bench = Bench(seats)
    async with asyncio.TaskGroup() as group:
        group.create_task(bench.program("ann/1/a"))
        waiting = group.create_task(bench.program("ben/1/b"))
        group.create_task(bench.program("cem/1/c"))
        await bench.settle()
        waiting.cancel()
        await bench.settle()
        assert await bench.end("ann/1/a") == ["cem/1/c"]
        await bench.end("cem/1/c")
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(
            seats.of(UserId("dora"), SessionId("dora1"), is_begun=False)
        )
