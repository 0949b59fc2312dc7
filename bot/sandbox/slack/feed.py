"""The live feed: every change in the team and between the team and the app, as it happens."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from bot.sandbox.slack.records import (
    AgentSession,
    ApiCall,
    Channel,
    Delivery,
    Post,
    SuggestedPrompts,
    View,
)


@dataclass(frozen=True, slots=True)
class OpenSockets:
    count: int


Record = Post | Channel | AgentSession | SuggestedPrompts | View | ApiCall | Delivery | OpenSockets


@dataclass(frozen=True, slots=True)
class TeamChange:
    """The new version of a record; `previous` is the old version of a post.

    Files and reactions change with their posts.
    """

    record: Record
    previous: Post | None = None
    is_gone: bool = False


class ChangeFeed:
    """Hands each change to every watcher. Nobody waits for a slow reader."""

    def __init__(self) -> None:
        self._watchers: dict[Callable[[TeamChange], object], None] = {}

    def publish(self, change: TeamChange) -> None:
        for watcher in tuple(self._watchers):
            watcher(change)

    @contextmanager
    def watch(self, watcher: Callable[[TeamChange], object]) -> Generator[None]:
        """Call `watcher` with each change while the block runs."""
        self._watchers[watcher] = None
        try:
            yield
        finally:
            self._watchers.pop(watcher, None)

    def subscribe(self) -> AsyncGenerator[TeamChange]:
        """Changes from this call on, without end."""
        queue: asyncio.Queue[TeamChange] = asyncio.Queue()
        self._watchers[queue.put_nowait] = None
        return self._read(queue)

    async def _read(self, queue: asyncio.Queue[TeamChange]) -> AsyncGenerator[TeamChange]:
        try:
            while True:
                yield await queue.get()
        finally:
            self._watchers.pop(queue.put_nowait, None)
