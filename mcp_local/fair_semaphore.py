"""A semaphore that serves whoever waits by fair queueing: round robin over their keys."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager

_Ring = OrderedDict[Hashable, deque[asyncio.Future[None]]]


class FairSemaphore:
    """`count` slots. The next free one goes to a key that holds fewest, of these in turns.

    Who asks as `last` waits until nobody else does, and never has more than one of the slots.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: tuple[_Ring, _Ring] = (OrderedDict(), OrderedDict())
        self._last_is_held = False
        self._held: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def slot(self, key: Hashable, *, last: bool = False) -> AsyncGenerator[None]:
        """Hold a slot; `key` names whose it is, such as a session."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting[last].setdefault(key, deque()).append(waiter)
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
                if key in self._waiting[last]:
                    self._waiting[last].move_to_end(key)
                if last:
                    self._last_is_held = False
            self._serve()

    def _serve(self) -> None:
        while self._free:
            waiter = self._next()
            if waiter is None:
                return
            self._free -= 1
            waiter.set_result(None)

    def _next(self) -> asyncio.Future[None] | None:
        """Dequeue the waiter of the next slot; None where no waiter may have one."""
        for last, ring in enumerate(self._waiting):
            if last and self._last_is_held:
                continue
            while ring:
                key = min(ring, key=self._held.__getitem__)
                waiters = ring.pop(key)
                waiter = waiters.popleft()
                if waiters:
                    ring[key] = waiters
                if not waiter.done():
                    self._held[key] += 1
                    self._last_is_held |= bool(last)
                    return waiter
        return None
