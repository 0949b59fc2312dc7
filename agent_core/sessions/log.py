"""The event log: stores each event once, in order, and tells live readers.

Writing is behind the turn, in batches: an event that a crash keeps from the disk is announced again
when the turn is replayed, under the same identity.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import select

from agent_core.events import EVENT, LIVE_ONLY, AnyEvent, TurnFinished
from agent_core.ids import TurnId
from agent_core.sessions.database import Database
from agent_core.sessions.schema import events

logger = logging.getLogger(__name__)

Positioned = tuple[int, AnyEvent]
"""An event with its place in the log; live-only events carry the place of the last stored one."""


class EventLog:
    """Append events, read a turn's events from any place on, live ones included."""

    def __init__(
        self, database: Database, *, on_stored: Callable[[AnyEvent], None] | None = None
    ) -> None:
        self._database = database
        self._on_stored = on_stored
        self._queue: asyncio.Queue[AnyEvent] = asyncio.Queue()
        self._readers: defaultdict[TurnId, set[asyncio.Queue[Positioned]]] = defaultdict(set)
        self._writer: asyncio.Task[None] | None = None
        self._position = 0

    def start(self) -> None:
        self._writer = asyncio.create_task(self._write_behind(), name="event-log")

    async def close(self) -> None:
        """Store what is queued, then stop writing."""
        if self._writer is None:
            return
        await self.flush()
        self._writer.cancel()
        with suppress(asyncio.CancelledError):
            await self._writer

    async def append(self, event: AnyEvent) -> None:
        """Queue an event. It reaches readers after it is stored, in the order of appending."""
        self._queue.put_nowait(event)

    async def flush(self) -> None:
        """Return when all that was appended so far is stored and handed to readers."""
        await self._queue.join()

    async def _write_behind(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            try:
                await self._store_and_publish(batch)
            finally:
                for _ in batch:
                    self._queue.task_done()

    async def _store_and_publish(self, batch: Sequence[AnyEvent]) -> None:
        places: dict[int, int] = {}
        async with self._database.engine.begin() as connection:
            for index, event in enumerate(batch):
                if isinstance(event, LIVE_ONLY):
                    continue
                insert = self._database.insert_new(events).values(_row(event))
                place = (await connection.execute(insert.returning(events.c.id))).scalar()
                if place is not None:
                    places[index] = place
        for index, event in enumerate(batch):
            if isinstance(event, LIVE_ONLY):
                self._publish((self._position, event))
            elif index in places:
                self._position = places[index]
                if self._on_stored is not None:
                    self._on_stored(event)
                self._publish((places[index], event))

    def _publish(self, positioned: Positioned) -> None:
        for queue in self._readers.get(positioned[1].turn, ()):
            queue.put_nowait(positioned)

    async def stored(self, turn: TurnId, *, after: int = 0) -> list[Positioned]:
        """The turn's stored events behind `after`, in order."""
        query = (
            select(events.c.id, events.c.body)
            .where(events.c.turn == turn, events.c.id > after)
            .order_by(events.c.id)
        )
        async with self._database.engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return [(row.id, EVENT.validate_python(row.body)) for row in rows]

    async def read(self, turn: TurnId, *, after: int = 0) -> AsyncGenerator[Positioned, None]:
        """Stored events behind `after`, then live ones as they come; ends after TurnFinished."""
        queue: asyncio.Queue[Positioned] = asyncio.Queue()
        self._readers[turn].add(queue)
        try:
            last = after
            for place, event in await self.stored(turn, after=after):
                last = place
                yield place, event
                if isinstance(event, TurnFinished):
                    return
            while True:
                place, event = await queue.get()
                live_only = isinstance(event, LIVE_ONLY)
                if place <= last and not live_only:
                    continue
                last = max(last, place)
                yield place, event
                if isinstance(event, TurnFinished):
                    return
        finally:
            self._readers[turn].discard(queue)
            if not self._readers[turn]:
                del self._readers[turn]


def _row(event: AnyEvent) -> dict[str, Any]:
    return {
        "session": event.session,
        "turn": event.turn,
        "run": event.run,
        "step": event.step,
        "attempt": event.attempt,
        "n": event.n,
        "kind": event.kind,
        "body": EVENT.dump_python(event, mode="json"),
    }
