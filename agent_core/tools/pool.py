"""A pool of connections to tool servers, one for each key, such as a person or a session.

They are made at first need, and end when nobody has used them for a while.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from agent_core.background import Background
from agent_core.tools.server_tools import ServerTools


@dataclass(slots=True)
class _Entry:
    tools: ServerTools
    users: int = 0
    """Who use it now; only what nobody uses is ended."""
    expiry: asyncio.TimerHandle | None = None


class ServerPool:
    """Bounded in number and by idle time, where that is wanted. Use it in one event loop.

    Args:
        idle_after_s: How long an entry is kept that nobody uses; None is for ever.
        max_entries: Beyond them the one ends that was idle longest; None is no bound.
    """

    def __init__(self, *, idle_after_s: float | None, max_entries: int | None = None) -> None:
        self._idle_after_s = idle_after_s
        self._max_entries = max_entries
        self._entries: dict[str, _Entry] = {}
        """The one that was used last comes last."""
        self._ending = Background()

    @contextmanager
    def use(self, key: str, make: Callable[[], ServerTools]) -> Generator[ServerTools]:
        """The key's server, made if there is none; it is not idle while the block is open."""
        if key not in self._entries:
            self._make_room()
            self._entries[key] = _Entry(make())
        entry = self._entries[key]
        entry.users += 1
        if entry.expiry is not None:
            entry.expiry.cancel()
        try:
            yield entry.tools
        finally:
            entry.users -= 1
            if self._entries.get(key) is entry and not entry.users:
                self._rest(key, entry)

    async def close(self) -> None:
        """End all of them; bounded by the servers' limits."""
        for key in list(self._entries):
            self._end(key)
        await self._ending.settle()

    def _rest(self, key: str, entry: _Entry) -> None:
        self._entries[key] = self._entries.pop(key)
        if self._idle_after_s is not None:
            loop = asyncio.get_running_loop()
            entry.expiry = loop.call_later(self._idle_after_s, self._expire, key, entry)

    def _expire(self, key: str, entry: _Entry) -> None:
        if self._entries.get(key) is entry and not entry.users:
            self._end(key)

    def _make_room(self) -> None:
        idle = [key for key, entry in self._entries.items() if not entry.users]
        if idle and self._max_entries is not None and len(self._entries) >= self._max_entries:
            self._end(idle[0])

    def _end(self, key: str) -> None:
        entry = self._entries.pop(key)
        if entry.expiry is not None:
            entry.expiry.cancel()
        self._ending.start(entry.tools.close())
