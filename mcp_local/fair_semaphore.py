"""A semaphore that serves whoever waits by fair queueing: round robin over their keys."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager


class FairSemaphore:
    """`count` slots. The next free one goes to a key that holds fewest, of these in turns."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()
        self._held: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def slot(self, key: Hashable) -> AsyncGenerator[None]:
        """Hold a slot; `key` names whose it is, such as a session."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(waiter)
        self._serve()
        try:
            await waiter
            yield
        finally:
            if waiter.done() and not waiter.cancelled():
                self._free += 1
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]
                if key in self._waiting:
                    self._waiting.move_to_end(key)
            self._serve()

    def _serve(self) -> None:
        while self._free and self._waiting:
            key = min(self._waiting, key=self._held.__getitem__)
            waiters = self._waiting.pop(key)
            waiter = waiters.popleft()
            if waiters:
                self._waiting[key] = waiters
            if not waiter.done():
                self._held[key] += 1
                self._free -= 1
                waiter.set_result(None)
