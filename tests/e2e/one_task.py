"""A context that is entered and left in one task, whatever task asks for it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeVar

T = TypeVar("T")

STOP_S = 30.0


@asynccontextmanager
async def in_one_task(context: AbstractAsyncContextManager[T]) -> AsyncGenerator[T]:
    """What `context` gives. Fixtures begin and end in different tasks, which task groups refuse."""
    started: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    may_stop = asyncio.Event()

    async def run() -> None:
        async with context as given:
            started.set_result(given)
            await may_stop.wait()

    running = asyncio.create_task(run())
    await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
    if running.done():
        running.result()
    yield started.result()
    may_stop.set()
    async with asyncio.timeout(STOP_S):
        await running
