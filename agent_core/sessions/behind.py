"""Writing behind the turn: rows are queued and stored in batches, in order, each row once."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Update, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from agent_core.sessions.database import Database
from agent_core.sessions.schema import events, messages, turns
from agent_core.sessions.trouble import DatabaseTrouble

logger = logging.getLogger(__name__)

RETRY_WAIT_S = 0.5
CLOSE_PATIENCE_S = 3.0

Places = dict[tuple[object, ...], int]
"""The places in the log of events that were new, by their identity."""

Row = Mapping[str, Any]
Stored = Callable[[int | None], None]
"""Told of an event's place in the log, or None when the event was there already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    event: Row | None = None
    messages: Sequence[Row] = ()
    stored: Stored | None = None


class WriteBehind:
    """Queues rows of events and messages, and stores them while the turn goes on.

    What a crash keeps from the disk, the turn's replay queues again. The event that ends a turn
    and the turn's row are one transaction: neither is ever there without the other.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: asyncio.Queue[_Entry] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._writer = asyncio.create_task(self._write(), name="write-behind")

    async def close(self) -> None:
        """Store what is queued, as far as the database takes it in time, then stop."""
        if self._writer is None:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_PATIENCE_S):
                await self.flush()
        self._writer.cancel()
        await asyncio.wait({self._writer})
        self._writer = None

    async def flush(self) -> None:
        """Return when all that was queued so far is stored and told of."""
        if self._writer is None:
            return
        reached = asyncio.Event()
        self._queue.put_nowait(_Entry(stored=lambda _: reached.set()))
        await reached.wait()

    def put_event(self, event: Row | None, stored: Stored) -> None:
        """Queue an event's row; without one only `stored` is called, in its turn, with None."""
        self._queue.put_nowait(_Entry(event=event, stored=stored))

    def put_messages(self, rows: Sequence[Row]) -> None:
        self._queue.put_nowait(_Entry(messages=rows))

    async def _write(self) -> None:
        while True:
            batch = [await self._queue.get()]
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            places = await self._store_at_last(batch)
            for entry in batch:
                if entry.stored is not None:
                    entry.stored(places.pop(_identity(entry.event), None) if entry.event else None)

    async def _store_at_last(self, batch: Sequence[_Entry]) -> Places:
        """A database in trouble (locked, full, restarting) is waited for; nothing is dropped.

        A row that no database would take must not stop all others: it is logged and left out.
        """
        if not any(entry.event or entry.messages for entry in batch):
            return {}
        places: Places = {}

        def store(connection: Connection) -> Places:
            # Where an earlier attempt was committed after all, this one finds nothing new.
            places.update(self._store(connection, batch))
            return places

        while True:
            try:
                return await self._database.run(store)
            except Exception as error:
                if _is_trouble(error):
                    logger.exception("%d entries are not stored yet", len(batch))
                    await asyncio.sleep(RETRY_WAIT_S)
                elif len(batch) > 1:
                    return await self._store_singly(batch)
                else:
                    logger.exception("an entry that cannot be stored is left out")
                    return {}

    async def _store_singly(self, batch: Sequence[_Entry]) -> Places:
        places: Places = {}
        for entry in batch:
            places |= await self._store_at_last([entry])
        return places

    def _store(self, connection: Connection, batch: Sequence[_Entry]) -> Places:
        rows = [row for entry in batch for row in entry.messages]
        if rows:
            connection.execute(self._database.insert_new(messages), rows)
        told = [entry.event for entry in batch if entry.event is not None]
        if not told:
            return {}
        insert = self._database.insert_new(events).returning(events.c.id, *_IDENTITY)
        places = {tuple(row[1:]): row[0] for row in connection.execute(insert, told)}
        for event in told:
            if event["kind"] == _TURN_FINISHED:
                connection.execute(_end_of(event))
        return places


_TURN_FINISHED = "turn_finished"

_IDENTITY = (events.c.turn, events.c.run, events.c.step, events.c.attempt, events.c.n)


def _is_trouble(error: Exception) -> bool:
    """Whether the database refuses everything just now, and not this one row for good."""
    if isinstance(error, DatabaseTrouble):
        return True
    return isinstance(error, DBAPIError) and not isinstance(error, (DataError, IntegrityError))


def _end_of(event: Row) -> Update:
    """What the turn's row says from then on, unless it has ended already."""
    body = event["body"]
    return (
        update(turns)
        .where(turns.c.id == event["turn"], turns.c.status != "finished")
        .values(status="finished", outcome=body["outcome"], answer=_storable(body["answer"]))
    )


def _storable(text: str) -> str:
    """Text without what a database refuses: NUL, and a half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _identity(event: Row) -> tuple[object, ...]:
    return tuple(event[column.name] for column in _IDENTITY)
