"""The event log: stores each event once, in order, and passes it on to live readers.

Writing is behind the turn, in batches: an event that a crash keeps from the disk is announced again
when the turn is replayed, under the same identity. A position is an event's number in the log; a
reader's cursor is the position that it has read to.
"""

import asyncio
import json
import logging
import secrets
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import psycopg
from cachetools import LRUCache
from psycopg.conninfo import make_conninfo
from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, func, select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

from agent_core.background import Background, Backoff
from agent_core.errors import SessionError
from agent_core.events import (
    EVENT,
    LIVE_ONLY,
    AnyEvent,
    Intervened,
    StepFinished,
    StepRetried,
    TextDelta,
    TurnFinished,
)
from agent_core.fault_points import EVENT_POINT, fault_point
from agent_core.ids import SessionId, TurnId
from agent_core.messages import JsonObject
from agent_core.sessions.database import Database, DatabaseTrouble, postgres_options
from agent_core.sessions.inbox import close_inbox, put_intervention
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
CHANNEL = "agent_events"
MAX_BYTES = 7_000
"""Of a notice; Postgres takes less than 8,000."""
SEND_PATIENCE_S = 2.0

Row = Mapping[str, Any]
OnStored = Callable[[int | None], None]
"""Called with an event's position, or None when the event was stored before."""

_INTERVENTION = TypeAdapter(Intervened)
LoggedEvent = tuple[int, AnyEvent]
"""An event with its position; live-only events have the position of the last stored event."""

News = asyncio.Queue[list[LoggedEvent] | int]
"""What a reader has yet to read: events, or a position behind which it is to read the store."""


@dataclass(slots=True, kw_only=True)
class _Queued:
    event: Row | None = None
    messages: Sequence[Row] = ()
    stored: OnStored | None = None
    position: int | None = None
    """Of an event that was new, once it is stored."""


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
        self.put(stored=lambda _: reached.set())
        self._is_awaited.set()
        await reached.wait()

    def put(
        self,
        *,
        event: Row | None = None,
        messages: Sequence[Row] = (),
        stored: OnStored | None = None,
    ) -> None:
        """Queue rows; `stored` is called in its turn, with None where there is no event."""
        self._queue.put_nowait(
            _Queued(
                event=event,
                messages=messages,
                stored=stored,
            )
        )

    async def _write(self) -> None:
        next_s = 0.0
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self._queue.get()]
            with suppress(TimeoutError):
                async with asyncio.timeout_at(next_s):
                    await self._is_awaited.wait()
            self._is_awaited.clear()
            while not self._queue.empty():
                batch.append(self._queue.get_nowait())
            next_s = loop.time() + BATCH_EVERY_S
            if any(entry.event or entry.messages for entry in batch):
                await self._store_at_last(batch)
            for entry in batch:
                if entry.stored is not None:
                    entry.stored(entry.position)

    async def _store_at_last(self, batch: Sequence[_Queued]) -> None:
        """Store a batch, with retry while the database is in trouble; nothing is dropped.

        A row that no database would take must not stop all others: it is logged and left out.
        """
        for wait_s in BACKOFF.waits_s():
            try:
                await self._database.run(partial(self._store, batch))
            except Exception as error:
                if not _is_trouble(error):
                    await self._store_apart(batch, error)
                    return
                logger.exception("%d entries are not stored yet", len(batch))
                await asyncio.sleep(wait_s)
            else:
                return

    async def _store_apart(self, batch: Sequence[_Queued], error: Exception) -> None:
        """Store each entry by itself, as one of them made an error that does not pass."""
        if len(batch) == 1:
            logger.error("an entry that cannot be stored is left out", exc_info=error)
            batch[0].position = None
            return
        for entry in batch:
            await self._store_at_last([entry])

    def _store(self, batch: Sequence[_Queued], connection: Connection) -> None:
        message_rows = [row for entry in batch for row in entry.messages]
        if message_rows:
            connection.execute(self._database.insert_new(messages), message_rows)
        insert = self._database.insert_new(events).returning(events.c.id)
        behind: dict[tuple[str, str], int] = {}
        for entry in batch:
            event = entry.event
            if event is None:
                continue
            position = connection.execute(insert, event).scalar()
            if position is None:
                continue
            # It stays where this is committed and nobody hears of it: the next try finds nothing.
            entry.position = position
            behind.setdefault((event["turn"], event["session"]), position - 1)
            if event["kind"] == "turn_finished":
                _end_turn(connection, event)
            elif event["kind"] == "intervened":
                intervention = _INTERVENTION.validate_python(event["body"])
                put_intervention(self._database, connection, intervention)
        notices = [{"of": readers, "behind": before} for readers, before in behind.items()]
        self.notices.tell(connection, notices)


def _is_trouble(error: Exception) -> bool:
    """Whether the database refuses everything just now, and not this one row for good."""
    if isinstance(error, DatabaseTrouble):
        return True
    return isinstance(error, DBAPIError) and not isinstance(error, (DataError, IntegrityError))


def _end_turn(connection: Connection, event: Row) -> None:
    """Store the turn's outcome, unless it has ended already, and delete what it leaves."""
    turn = event["turn"]
    body = event["body"]
    # Without what a database refuses: NUL, and a half of a surrogate pair.
    answer = body["answer"].replace("\0", "").encode("utf-8", "replace").decode()
    finished = (
        update(turns)
        .filter_by(id=turn)
        .where(turns.c.status != "finished")
        .values(
            status="finished",
            outcome=body["outcome"],
            answer=answer,
        )
    )
    connection.execute(finished)
    connection.execute(delete(programs).filter_by(turn=turn))
    close_inbox(connection, turn)


class Notices:
    """Notices between the processes of a database: Postgres's LISTEN and NOTIFY.

    A notice is part of the transaction that it tells of. Each process listens with one connection;
    what was told while that was lost is not told again. An SQLite file has one process, which hears
    of everything without this.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._own = secrets.token_hex(8)
        """Tells this sender's notices from others'."""
        self.is_heard = not database.is_sqlite
        """Whether there is anybody to hear."""

    def tell(self, connection: Connection, notices: Sequence[JsonObject]) -> None:
        """Send notices with the connection's transaction; one that is too long is left out."""
        if not self.is_heard:
            return
        for notice in notices:
            text = json.dumps({"from": self._own, **notice})  # in ASCII: it may hold anything
            if len(text) <= MAX_BYTES:
                connection.execute(select(func.pg_notify(CHANNEL, text)))

    async def send(self, notices: Sequence[JsonObject]) -> None:
        """Send them by themselves. A database in trouble costs them."""
        with suppress(SessionError, SQLAlchemyError):
            await self._database.run(
                lambda connection: self.tell(connection, notices),
                patience_s=SEND_PATIENCE_S,
            )

    async def listen(self) -> AsyncGenerator[JsonObject]:
        """Notices of others until the connection is lost; the first one is empty: it is made."""
        url = self._database.url.set(drivername="postgresql")
        try:
            address = make_conninfo(
                url.render_as_string(hide_password=False), **postgres_options(url)
            )
            listening = psycopg.AsyncConnection.connect(address, autocommit=True)
            async with await listening as connection:
                await connection.execute(f"LISTEN {CHANNEL}")
                yield {}
                async for notice in connection.notifies():
                    content = json.loads(notice.payload)
                    if content.pop("from", "") != self._own:
                        yield content
        except (psycopg.Error, SQLAlchemyError, SessionError, OSError, ValueError) as error:
            logger.warning("other processes are not heard: %s", error)


class EventLog:
    """Append events, read a turn's events behind any cursor, live ones included."""

    def __init__(self, database: Database, behind: WriteBehind) -> None:
        self._database = database
        self._behind = behind
        self._watchers: list[Callable[[AnyEvent], None]] = []
        self._readers: defaultdict[str, set[News]] = defaultdict(set)
        """By the turn or the session that they read."""
        self._live: dict[tuple[object, ...], AnyEvent] = {}
        """Live-only events that other processes have yet to hear of, texts of a step as one."""
        self._position = 0
        self.heard: LRUCache[TurnId, AnyEvent] = LRUCache(1_000)
        """The newest sign of the model, or that it gives none, by turn."""

    def watch(self, watcher: Callable[[AnyEvent], None]) -> None:
        """Call it with each event that this process stores from now on; never with one twice."""
        self._watchers.append(watcher)

    async def append(self, event: AnyEvent) -> None:
        """Queue an event. It reaches readers after it is stored, in the order of appending."""
        if isinstance(event, StepRetried | TextDelta | StepFinished):
            self.heard[event.turn] = event
        if isinstance(event, LIVE_ONLY):
            self._behind.put(stored=lambda _: self._pass_on_live(event))
            return
        columns = ("session", "turn", "run", "step", "attempt", "n", "kind")
        row = {name: getattr(event, name) for name in columns}
        row["body"] = EVENT.dump_python(event, mode="json")
        self._behind.put(event=row, stored=lambda position: self._pass_on(position, event))

    async def flush(self) -> None:
        """Return when all that was appended so far is stored and handed to readers."""
        await self._behind.flush()

    def share(self, background: Background) -> None:
        """Exchange events with the other processes of the database from now on.

        Live-only events come to them with a small delay, or not at all. An SQLite file has no other
        process.
        """
        if not self._behind.notices.is_heard:
            return
        for work, pause_s in ((self._hear, HEAR_AGAIN_S), (self._send_live, LIVE_EVERY_S)):
            pause = partial(asyncio.sleep, pause_s)
            background.repeat(work, pause=pause, name="events of other processes")

    async def _hear(self) -> None:
        async with aclosing(self._behind.notices.listen()) as notices:
            async for notice in notices:
                if "live" in notice:
                    live = EVENT.validate_python(notice["live"])
                    self._deliver([live.turn, live.session], [(self._position, live)])
                else:
                    # The first notice of a connection has no readers: all may have missed events.
                    self._deliver(notice.get("of", self._readers), notice.get("behind", 0))

    async def _send_live(self) -> None:
        notices = [{"live": EVENT.dump_python(each, mode="json")} for each in self._live.values()]
        self._live.clear()
        if notices:
            await self._behind.notices.send(notices)

    def _pass_on_live(self, event: AnyEvent) -> None:
        if self._behind.notices.is_heard:
            key = (event.turn, event.run, event.step, event.attempt, event.n, event.kind)
            before = self._live.get(key)
            if isinstance(event, TextDelta) and isinstance(before, TextDelta):
                self._live[key] = replace(before, text=before.text + event.text)
            else:
                self._live[key] = event
        self._deliver([event.turn, event.session], [(self._position, event)])
        fault_point(f"{EVENT_POINT}{event.kind}")

    def _pass_on(self, position: int | None, event: AnyEvent) -> None:
        if position is None:  # a replay announced it again
            return
        self._position = max(self._position, position)
        self._deliver([event.turn, event.session], [(position, event)])
        fault_point(f"{EVENT_POINT}{event.kind}")
        for watcher in self._watchers:
            try:
                watcher(event)
            except Exception:
                logger.exception("%s was stored but not recorded", event.kind)

    def _deliver(self, ids: Iterable[str], news: list[LoggedEvent] | int) -> None:
        """Hand news to the readers of these turns and sessions."""
        for id in ids:
            for queue in self._readers.get(id, ()):
                queue.put_nowait(news)

    async def stored(
        self,
        of: TurnId | SessionId,
        *,
        after: int = 0,
        kinds: Sequence[str] = (),
    ) -> list[LoggedEvent]:
        """Stored events of a turn or a session behind `after`, in order; `kinds`: these alone."""
        query = (
            select(events.c.id, events.c.body)
            .where((events.c.turn == of) | (events.c.session == of))
            .where(events.c.id > after)
            .order_by(events.c.id)
        )
        if kinds:
            query = query.where(events.c.kind.in_(kinds))

        def read(connection: Connection) -> list[LoggedEvent]:
            rows = connection.execute(query).all()
            return [(row.id, EVENT.validate_python(row.body)) for row in rows]

        return await self._database.run(read)

    async def newest(self, turn: TurnId) -> int:
        """The position of the turn's last stored event; 0 where there is none."""
        query = select(func.max(events.c.id)).filter_by(turn=turn)
        return await self._database.scalar(query) or 0

    async def of_turn(self, turn: TurnId, *kinds: str) -> list[AnyEvent]:
        """Events that the turn announced so far, in order; `kinds`: these alone."""
        await self.flush()
        stored = await self.stored(turn, kinds=kinds)
        return [event for _, event in stored]

    async def read(
        self,
        of: TurnId | SessionId,
        *,
        after: int = 0,
    ) -> AsyncGenerator[LoggedEvent, None]:
        """Stored events behind the cursor `after`, then live ones as they come.

        Those of a turn end after TurnFinished, those of a session when the reader closes them.
        """
        queue: News = asyncio.Queue()
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
    """What one reader was given, so that it gets each stored event once."""

    def __init__(self, after: int) -> None:
        self.newest = after
        self._after = after
        self._given: set[int] = set()

    def advance(self, position: int, event: AnyEvent) -> bool:
        """Whether the reader is to get an event now; a stored one counts as given then."""
        if isinstance(event, LIVE_ONLY):
            return position >= self.newest  # else stored events have overtaken it
        if position <= self._after or position in self._given:
            return False
        self._given.add(position)
        self.newest = max(self.newest, position)
        return True
