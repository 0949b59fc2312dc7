"""Takes up again what was recorded and not handled: in vain by this process, or by a dead one."""

import asyncio
import logging
from typing import Any, Protocol

from agent_core.messages import JsonObject
from bot.ingress.gestures import is_gesture
from bot.ingress.seams import Ledger
from bot.slack_api import Clock

EVERY_S = 5.0
CLOSE_PATIENCE_S = 1.0

logger = logging.getLogger(__name__)


class Replays(Protocol):
    """Handles again what it recorded."""

    @property
    def in_vain(self) -> set[str]:
        """Keys to release; whoever releases one takes it out."""
        ...

    async def replay(self, body: JsonObject) -> None: ...


class TakingUp:
    """Looks into the ledger every few seconds, for as long as the process lives."""

    def __init__(
        self,
        ledger: Ledger,
        posts: Replays,
        clock: Clock,
        *,
        gestures: Replays | None = None,
        every_s: float = EVERY_S,
    ) -> None:
        self._ledger = ledger
        self._posts = posts
        self._gestures = gestures or posts
        self._clock = clock
        self._every_s = every_s
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Begin with what is there now, and go on looking.

        Call it before the first payload can come: new posts then stay behind older ones.
        """
        await self._look()
        self._own(asyncio.create_task(self._keep_looking(), name="taking up"))

    async def close(self) -> None:
        """Stop. What is not handled is taken up by the next process."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_PATIENCE_S)

    async def _keep_looking(self) -> None:
        while True:
            await self._clock.sleep(self._every_s)
            try:
                await self._look()
            except Exception:
                logger.exception("the ledger could not be looked at; again in %g s", self._every_s)

    async def _look(self) -> None:
        for way in {self._posts, self._gestures}:
            for key in sorted(way.in_vain):
                await self._ledger.release(key)
                way.in_vain.discard(key)
        for body in await self._ledger.unsettled():
            way = self._gestures if is_gesture(body) else self._posts
            self._own(asyncio.create_task(way.replay(body), name="replay"))
        await asyncio.sleep(0)  # each has its place in its lane from now on

    def _own(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
