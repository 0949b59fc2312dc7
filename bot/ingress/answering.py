"""Missed posts on the way in that live posts take: in order, and a few at a time."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Protocol

from agent_core.messages import JsonObject
from bot.ingress.gate import Arrival, Judged
from bot.ingress.missed import Missed
from bot.ingress.seams import Answers

HEAD_START_S = 5.0
MAX_AT_ONCE = 8
SLOT_LIMIT_S = 300.0
"""An answer has a head start before the next one; so many are worked on at once, so long each."""

logger = logging.getLogger(__name__)


class Way(Protocol):
    """The way in that live posts take, too."""

    async def receive(self, body: JsonObject) -> Arrival | None: ...

    async def hand_over(self, arrival: Arrival, /) -> None: ...

    async def judge(self, body: JsonObject) -> Judged:
        """The decision alone: nothing is recorded, and nothing comes of it."""
        ...


class Answering:
    """Hands missed posts over. Give it the way in with `join` before the first one."""

    def __init__(self, answers: Answers, *, head_start_s: float = HEAD_START_S) -> None:
        self._answers = answers
        self._head_start_s = head_start_s
        self._way: Way | None = None

    @property
    def way(self) -> Way:
        """The way in."""
        if self._way is None:
            raise RuntimeError("catching up began before there was a way in")
        return self._way

    def join(self, way: Way) -> None:
        self._way = way

    async def answer(self, missed: AsyncIterator[Missed]) -> bool:
        """Hand over in order, and not all at once: live posts need their share. Whether all went.

        They are recorded one by one as their turn comes, so that a live post of the same thread
        still finds those before it. What is raised where they come from is raised once those that
        came before are seen to.
        """
        slots, broken = asyncio.Semaphore(MAX_AT_ONCE), list[Exception]()
        tasks: list[asyncio.Task[bool]] = []
        async with asyncio.TaskGroup() as group:
            try:
                async for each in missed:
                    await slots.acquire()
                    task = group.create_task(self._answer_one(each))
                    task.add_done_callback(lambda _: slots.release())
                    tasks.append(task)
                    await asyncio.wait({task}, timeout=self._head_start_s)
            except Exception as error:  # noqa: BLE001 - raised below, where it cancels nobody
                broken.append(error)
        for error in broken:
            raise error
        return all(task.result() for task in tasks)

    async def take(self, body: JsonObject) -> bool:
        """Hand over one payload at once. False where it is known, or nothing is to do."""
        arrival = await self.way.receive(body)
        if arrival is not None:
            await self.way.hand_over(arrival)
        return arrival is not None

    async def _answer_one(self, missed: Missed) -> bool:
        key = missed.post.key
        try:
            if await self.take(missed.body) and await self._answers.has_turn(key):
                async with asyncio.timeout(SLOT_LIMIT_S):
                    await self._answers.ended(key)
        except TimeoutError:
            logger.info("%s takes long; the next ones do not wait for it", key)
        except Exception:
            logger.exception("%s was missed and is not handed over", key)
            return False
        return True
