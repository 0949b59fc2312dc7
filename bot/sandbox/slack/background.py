"""Work that goes on beside the callers: started here, ended with the stand-in, never lost."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class Background:
    """Owns every task of one stand-in. A failed task is raised again when the stand-in closes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failures: list[BaseException] = []

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failures.append(failure)

    async def close(self) -> None:
        """Cancel what still runs, wait for its end, and raise the first failure there was."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
        await asyncio.sleep(0)
        if self._failures:
            raise self._failures[0]
