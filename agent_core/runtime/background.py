"""Work that goes on beside the turns, owned by the runtime."""

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable
from typing import Any

logger = logging.getLogger(__name__)


class Background:
    """Tasks that nobody waits for until the end."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` outside of any turn's context; what it raises is logged.

        Nothing is begun any more after `close`: the next process sees to it.
        """
        if self._is_closed:
            return
        task = asyncio.create_task(_logged(work), context=contextvars.Context())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self, *, patience_s: float) -> None:
        """End all of it."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=patience_s)


async def _logged(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception:
        logger.exception("background work failed")
