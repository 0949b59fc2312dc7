"""The event log: stores each event once, in order, and tells live readers.

Writing is behind the turn, in batches: an event that a crash keeps from the disk is announced again
when the turn is replayed, under the same identity.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Update, delete, func, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from agent_core.background import Background, Backoff
from agent_core.events import EVENT, LIVE_ONLY, AnyEvent, Intervened, TextDelta, TurnFinished
from agent_core.fault_points import EVENT_POINT, fault_point
from agent_core.ids import SessionId, TurnId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, DatabaseTrouble
from agent_core.sessions.inbox import close_inbox, put_intervention
from agent_core.sessions.notices import Notices
from agent_core.sessions.schema import events, messages, programs, turns

logger = logging.getLogger(__name__)

BACKOFF = Backoff(first_s=0.5, longest_s=5.0)
LIVE_EVERY_S = 0.2
"""Live-only events of so long a time are told to other processes at once."""
HEAR_AGAIN_S = 1.0
"""After a connection to other processes was lost."""
BATCH_EVERY_S = 0.025
"""What comes in so short a time is one transaction, unless somebody waits for it."""
CLOSE_PATIENCE_S = 3.0

Places = dict[tuple[object, ...], int]
"""The places in the log of events that were new, by their identity."""

Row = Mapping[str, Any]
OnStored = Callable[[int | None], None]
"""Told of an event's place in the log, or None when the event was there already."""

_TURN_FINISHED = "turn_finished"
_INTERVENED = "intervened"
_INTERVENTION: TypeAdapter[Intervened] = TypeAdapter(Intervened)
_IDENTITY = (events.c.turn, events.c.run, events.c.step, events.c.attempt, events.c.n)
PlacedEvent = tuple[int, AnyEvent]
"""An event with its place in the log; live-only events carry the place of the last stored one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Queued:
    event: Row | None = None
    messages: Sequence[Row] = ()
    stored: OnStored | None = None


class WriteBehind:
    """Queues rows of events and messages, and stores them while the turn goes on.

    What a crash keeps from the disk, the turn's replay queues again. The event that ends a turn
    and the turn's row are one transaction: neither is ever there without the other.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.notices = Notices(database)
        self._queue: asyncio.Queue[_Queued] = asyncio.Queue()
        self._is_awaited = asyncio.Event()
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
        self._queue.put_nowait(_Queued(stored=lambda _: reached.set()))
        self._is_awaited.set()
        await reached.wait()

    def put_event(self, event: Row | None, stored: OnStored) -> None:
        """Queue an event's row; without one only `stored` is called, in its turn, with None."""
        self._queue.put_nowait(_Queued(event=event, stored=stored))

    def put_messages(self, rows: Sequence[Row]) -> None:
        self._queue.put_nowait(_Queued(messages=rows))

    async def _write(self) -> None:
        next_s = 0.0
        clock = asyncio.get_running_loop().time
        while True:
            batch = [await self._queue.get()]
            with suppress(TimeoutError):
                async with asyncio.timeout_at(next_s):
                    await self._is_awaited.wait()
            self._is_awaited.clear()
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            next_s = clock() + BATCH_EVERY_S
            places = await self._store_at_last(batch)
            for entry in batch:
                if entry.stored is not None:
                    entry.stored(places.pop(_identity(entry.event), None) if entry.event else None)

    async def _store_at_last(self, batch: Sequence[_Queued]) -> Places:
        """A database in trouble (locked, full, restarting) is waited for; nothing is dropped.

        A row that no database would take must not stop all others: it is logged and left out.
        """
        if not any(entry.event or entry.messages for entry in batch):
            return {}
        places: Places = {}
        waits_s = BACKOFF.waits_s()

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
                    await asyncio.sleep(next(waits_s))
                    continue
                if len(batch) == 1:
                    logger.exception("an entry that cannot be stored is left out")
                    return {}
                for entry in batch:
                    places |= await self._store_at_last([entry])
                return places

    def _store(self, connection: Connection, batch: Sequence[_Queued]) -> Places:
        rows = [row for entry in batch for row in entry.messages]
        if rows:
            connection.execute(self._database.insert_new(messages), rows)
        told = [entry.event for entry in batch if entry.event is not None]
        if not told:
            return {}
        insert = self._database.insert_new(events).returning(events.c.id, *_IDENTITY)
        places = {tuple(row[1:]): row[0] for row in connection.execute(insert, told)}
        self.notices.tell(connection, _notices(places, told))
        for event in told:
            if _identity(event) not in places:
                continue
            if event["kind"] == _TURN_FINISHED:
                connection.execute(_end_of(event))
                connection.execute(delete(programs).where(programs.c.turn == event["turn"]))
                close_inbox(connection, event["turn"])
            elif event["kind"] == _INTERVENED:
                intervention = _INTERVENTION.validate_python(event["body"])
                put_intervention(self._database, connection, intervention)
        return places


def _is_trouble(error: Exception) -> bool:
    """Whether the database refuses everything just now, and not this one row for good."""
    if isinstance(error, DatabaseTrouble):
        return True
    return isinstance(error, DBAPIError) and not isinstance(error, (DataError, IntegrityError))


def _end_of(event: Row) -> Update:
    """What the turn's row says from then on, unless it has ended already."""
    body = event["body"]
    # Without what a database refuses: NUL, and a half of a surrogate pair.
    storable = body["answer"].replace("\0", "").encode("utf-8", "replace").decode()
    return (
        update(turns)
        .where(
            turns.c.id == event["turn"],
            turns.c.status != "finished",
        )
        .values(
            status="finished",
            outcome=body["outcome"],
            answer=storable,
        )
    )


def _notices(places: Places, told: Sequence[Row]) -> list[JsonObject]:
    """Behind which place there is something new of each turn."""
    behind: dict[tuple[str, str], int] = {}
    for event in told:
        if place := places.get(_identity(event)):
            of = event["turn"], event["session"]
            behind[of] = min(place - 1, behind.get(of, place))
    return [{"of": of, "behind": place} for of, place in behind.items()]


def _identity(event: Row) -> tuple[object, ...]:
    return tuple(event[column.name] for column in _IDENTITY)


class EventLog:
    """Append events, read a turn's events from any place on, live ones included."""

    def __init__(
        self,
        database: Database,
        behind: WriteBehind,
        *,
        on_stored: Callable[[AnyEvent], None] | None = None,
    ) -> None:
        self._database = database
        self._behind = behind
        self._on_stored = on_stored
        self._readers: defaultdict[str, set[asyncio.Queue[list[PlacedEvent] | int]]] = defaultdict(
            set
        )
        """By the turn or the session that they read; a place has them look behind it."""
        self._live: dict[tuple[object, ...], AnyEvent] = {}
        """Live-only events that other processes have yet to hear of, texts of a step as one."""
        self._position = 0

    async def append(self, event: AnyEvent) -> None:
        """Queue an event. It reaches readers after it is stored, in the order of appending."""
        if isinstance(event, LIVE_ONLY):
            self._behind.put_event(None, lambda _: self._take_live(event))
        else:
            columns = ("session", "turn", "run", "step", "attempt", "n", "kind")
            row = {name: getattr(event, name) for name in columns}
            row["body"] = EVENT.dump_python(event, mode="json")
            self._behind.put_event(row, lambda place: self._take(place, event))

    async def flush(self) -> None:
        """Return when all that was appended so far is stored and handed to readers."""
        await self._behind.flush()

    def share(self, background: Background) -> None:
        """From now on hear of events of other processes, and tell them of this one's.

        Live-only events come to them with a small delay, or not at all. An SQLite file has no other
        process.
        """
        if self._behind.notices.is_heard:
            for work, pause_s in (self._hear, HEAR_AGAIN_S), (self._tell_live, LIVE_EVERY_S):
                name = "what other processes tell"
                background.repeat(
                    work,
                    pause=partial(asyncio.sleep, pause_s),
                    name=name,
                )

    async def _hear(self) -> None:
        async with aclosing(self._behind.notices.heard()) as notices:
            async for notice in notices:
                if "live" in notice:
                    self._tell(EVENT.validate_python(notice["live"]), self._position)
                else:
                    # Before there was a connection, something may have been missed of all.
                    for of in notice.get("of", self._readers):
                        for queue in self._readers.get(of, ()):
                            queue.put_nowait(notice.get("behind", 0))

    async def _tell_live(self) -> None:
        told, self._live = self._live, {}
        notices = [{"live": EVENT.dump_python(each, mode="json")} for each in told.values()]
        if notices:
            await self._behind.notices.send(notices)

    def _take_live(self, event: AnyEvent) -> None:
        if self._behind.notices.is_heard:
            key = (event.turn, event.run, event.step, event.attempt, event.n, event.kind)
            before = self._live.get(key)
            if isinstance(event, TextDelta) and isinstance(before, TextDelta):
                self._live[key] = replace(before, text=before.text + event.text)
            else:
                self._live[key] = event
        self._tell(event, self._position)
        fault_point(f"{EVENT_POINT}{event.kind}")

    def _take(self, place: int | None, event: AnyEvent) -> None:
        if place is None:  # a replay announced it again
            return
        self._position = max(self._position, place)
        self._tell(event, place)
        fault_point(f"{EVENT_POINT}{event.kind}")
        if self._on_stored is None:
            return
        try:
            self._on_stored(event)
        except Exception:
            logger.exception("%s was stored but not recorded", event.kind)

    def _tell(self, event: AnyEvent, place: int) -> None:
        for of in (event.turn, event.session):
            for queue in self._readers.get(of, ()):
                queue.put_nowait([(place, event)])

    async def stored(
        self, of: TurnId | SessionId, *, after: int = 0, kinds: Sequence[str] = ()
    ) -> list[PlacedEvent]:
        """Stored events of a turn or a session behind `after`, in order; `kinds`: these alone."""
        query = select(events.c.id, events.c.body).where(events.c.id > after).order_by(events.c.id)
        query = query.where((events.c.turn == of) | (events.c.session == of))
        if kinds:
            query = query.where(events.c.kind.in_(kinds))

        def read(connection: Connection) -> list[PlacedEvent]:
            rows = connection.execute(query).all()
            return [(row.id, EVENT.validate_python(row.body)) for row in rows]

        return await self._database.run(read)

    async def newest(self, turn: TurnId) -> int:
        """The place of the turn's last stored event; 0 where there is none."""
        query = select(func.max(events.c.id)).where(events.c.turn == turn)
        return await self._database.run(lambda each: each.execute(query).scalar()) or 0

    async def of_turn(self, turn: TurnId, *kinds: str) -> list[AnyEvent]:
        """All that was announced of the turn so far, in order; `kinds`: of these alone."""
        await self.flush()
        return [event for _, event in await self.stored(turn, kinds=kinds)]

    async def read(
        self, of: TurnId | SessionId, *, after: int = 0
    ) -> AsyncGenerator[PlacedEvent, None]:
        """Stored events behind `after`, then live ones as they come.

        Those of a turn end after TurnFinished, those of a session when the reader closes them.
        """
        queue: asyncio.Queue[list[PlacedEvent] | int] = asyncio.Queue()
        self._readers[of].add(queue)
        cursor = _ReaderCursor(after)
        try:
            queue.put_nowait(after)
            while True:
                news = await queue.get()
                if isinstance(news, int):
                    news = await self.stored(of, after=max(news, after))
                for position, event in news:
                    if not cursor.advance(position, event):
                        continue
                    self._position = max(self._position, cursor.newest)
                    yield position, event
                    if isinstance(event, TurnFinished) and event.turn == of:
                        return
        finally:
            self._readers[of].discard(queue)
            if not self._readers[of]:
                del self._readers[of]


class _ReaderCursor:
    """What one reader has been given, so that it gets each stored event once."""

    def __init__(self, after: int) -> None:
        self.newest = after
        self._after = after
        self._given: set[int] = set()

    def advance(self, position: int, event: AnyEvent) -> bool:
        """Whether the reader is to get an event now; a stored one counts as given then."""
        if isinstance(event, LIVE_ONLY):
            return position >= self.newest  # else the store has overtaken it
        if position <= self._after or position in self._given:
            return False
        self._given.add(position)
        self.newest = max(self.newest, position)
        return True
