"""The live feed: everything that changes in the team or between it and the app, as it happens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.sandbox.slack.records import (
    ApiCall,
    Channel,
    Delivery,
    Post,
    Session,
    SuggestedPrompts,
    View,
)

MAX_WAITING_CHANGES = 1000


@dataclass(frozen=True, slots=True)
class OpenSockets:
    count: int


Record = Post | Channel | Session | SuggestedPrompts | View | ApiCall | Delivery | OpenSockets


@dataclass(frozen=True, slots=True)
class Change:
    """A record as it is from now on; of a post that was there before, `previous` is what it was.

    Files and reactions change with their posts.
    """

    record: Record
    previous: Post | None = None
    is_gone: bool = False


class SubscriberTooSlowError(Exception):
    """The reader of a subscription let more changes pile up than its queue holds."""


class Feed:
    """Hands each change to every subscriber; a slow one is cut off, the others do not wait."""

    def __init__(self) -> None:
        self._queues: dict[asyncio.Queue[Change | None], None] = {}
        self._watchers: dict[Callable[[], None], None] = {}

    def publish(self, change: Change) -> None:
        for queue in tuple(self._queues):
            is_full = queue.qsize() >= MAX_WAITING_CHANGES
            if is_full:
                self._queues.pop(queue)
            queue.put_nowait(None if is_full else change)
        for notice in tuple(self._watchers):
            notice()

    def subscribe(self) -> AsyncIterator[Change]:
        """Changes from this call on, without end; raises `SubscriberTooSlowError` if cut off."""
        queue: asyncio.Queue[Change | None] = asyncio.Queue()
        self._queues[queue] = None
        return self._read(queue)

    async def _read(self, queue: asyncio.Queue[Change | None]) -> AsyncIterator[Change]:
        try:
            while (change := await queue.get()) is not None:
                yield change
        finally:
            self._queues.pop(queue, None)
        raise SubscriberTooSlowError

    @contextmanager
    def watch(self, notice: Callable[[], None]) -> Generator[None]:
        """Call `notice` after each change while the block runs."""
        self._watchers[notice] = None
        try:
            yield
        finally:
            self._watchers.pop(notice, None)
