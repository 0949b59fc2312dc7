"""In which order those who wait for a slot get one."""

import asyncio
from collections.abc import Sequence

import pytest

from mcp_local.fair_semaphore import FairSemaphore


class Crowd:
    """Tasks that take a slot, note it, and leave when they are told."""

    def __init__(self, count: int) -> None:
        self.semaphore = FairSemaphore(count)
        self.inside: list[str] = []
        self.order: list[str] = []
        self._leave = asyncio.Semaphore(0)

    async def member(self, name: str) -> None:
        """The first letter of a name is its key."""
        async with self.semaphore.slot(name[0]):
            self.order.append(name)
            self.inside.append(name)
            try:
                await self._leave.acquire()
            finally:
                self.inside.remove(name)

    async def all_of(self, names: Sequence[str]) -> list[str]:
        """Everybody asks in this order; then one leaves after the other."""
        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(self.member(name))
            for _ in names:
                await asyncio.sleep(0)
                self._leave.release()
        return self.order


@pytest.mark.parametrize(
    ("count", "asking", "served"),
    [
        (1, "a1 a2 a3 a4 b1 b2 c1", "a1 b1 c1 a2 b2 a3 a4"),
        (2, "a1 a2 a3 b1", "a1 a2 b1 a3"),  # who holds a slot waits for those that hold none
    ],
)
async def test_keys_are_served_in_turns(count: int, asking: str, served: str) -> None:
    assert await Crowd(count).all_of(asking.split()) == served.split()


async def test_who_leaves_the_queue_or_is_stopped_inside_costs_no_slot() -> None:
    crowd = Crowd(1)
    tasks = [asyncio.create_task(crowd.member(name)) for name in ("a1", "b1", "c1", "d1")]
    await asyncio.sleep(0)
    tasks[1].cancel()
    tasks[0].cancel()
    await asyncio.wait(tasks[:2])
    await asyncio.sleep(0)
    assert crowd.inside == ["c1"]
    tasks[2].cancel()
    tasks[3].cancel()  # it has been given the slot and has not run yet, or still waits
    await asyncio.wait(tasks)
    assert await asyncio.wait_for(crowd.all_of(["e1"]), 10) == ["a1", "c1", "e1"]
