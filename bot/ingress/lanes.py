"""The lanes that payloads come in by, one per thread: first come, first served."""

import asyncio
from weakref import WeakValueDictionary


class Lanes:
    """Threads do not wait for each other. A lane that nobody is in is forgotten."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lane(self, name: str) -> asyncio.Lock:
        """Entered in the order in which it was asked for; it is left however one fares in it."""
        return self._locks.setdefault(name, asyncio.Lock())
