"""The database behind sessions: SQLite by default, Postgres by URL; transactions with retry.

A database is locked, full, restarting or away now and then. Work waits for that with back-off in
place of failing, so whatever is done here may be done twice: it MUST be idempotent.
"""

import asyncio
import json
import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cache, partial
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Executable,
    Row,
    Table,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from agent_core.background import Backoff
from agent_core.database_errors import is_damage, passes, reason_of
from agent_core.errors import SessionError
from agent_core.sessions.audit_chain import AuditRecord, append
from agent_core.sessions.migrations import REVISIONS, Revisions, file_of, upgrade, way_back

logger = logging.getLogger(__name__)

OVER_AFTER_S = 30.0
"""Trouble that nobody has met for so long is over, whether or not anybody saw it end."""

BUSY_TIMEOUT_MS = 1_000
"""SQLite waits this long for a lock; `Database` asks again, and lets others come in between."""
POSTGRES_CONNECT = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "options": "-c idle_in_transaction_session_timeout=5000",
}
"""A server that is gone without a word is noticed in about ten seconds; a process that is suspended
in a transaction loses its locks before another one takes its work over."""
T = TypeVar("T")
PATIENCE_S = 600.0
"""How long work waits for a database in trouble: longer than any restart, shorter than a night."""
OPEN_PATIENCE_S = 120.0
"""How long a start waits, another process's upgrade included."""
POSTGRES_THREADS = 8
BACKOFF = Backoff(first_s=0.05, longest_s=2.0, jitter=0.5)


class DatabaseTrouble(SessionError):
    """The database was locked, full, restarting or away for as long as the caller would wait.

    Attributes:
        reason: The database's own words.
        may_be_stored: The connection broke at the commit: nobody knows whether it was done.
    """

    def __init__(self, reason: str, *, may_be_stored: bool = False) -> None:
        super().__init__(f"the database cannot be used just now: {reason}")
        self.reason = reason
        self.may_be_stored = may_be_stored


class _NobodyWaits(Exception):
    """Nobody waits for this any more: the transaction is rolled back."""


class _Attempt(Generic[T]):
    """Call it in a thread. Given up before its commit it leaves nothing behind."""

    def __init__(self, engine: Engine, work: Callable[[Connection], T]) -> None:
        self._engine = engine
        self._work = work
        self._lock = threading.Lock()
        self._is_given_up = False
        self._reached_commit = False

    def __call__(self) -> T:
        with self._engine.begin() as connection:
            result = self._work(connection)
            with self._lock:
                if self._is_given_up:
                    raise _NobodyWaits
                self._reached_commit = True
            return result

    def give_up(self) -> bool:
        """Whether the commit was tried: after a failure nobody knows whether it was done.

        An attempt that is still under way does not try it any more.
        """
        with self._lock:
            self._is_given_up = True
            return self._reached_commit


def _make_engine(url: URL) -> Engine:
    """An engine for SQLite or Postgres with the driver that we have."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url.set(drivername="sqlite+pysqlite"), json_serializer=_json)
        event.listen(engine, "connect", _tune_sqlite)
        return engine
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args=postgres_options(url),
        json_serializer=_json,
    )


def postgres_options(url: URL) -> dict[str, int | str]:
    """Options of a connection, as far as the URL does not have its own."""
    return {name: value for name, value in POSTGRES_CONNECT.items() if name not in url.query}


def _json(value: object) -> str:
    """What goes into a JSON column; dataclasses and moments as pydantic writes them."""
    return json.dumps(value, default=to_jsonable_python)


def columns_of(item: Any) -> dict[str, Any]:
    """A dataclass as a row of the table whose columns have the names of its fields."""
    return {field.name: getattr(item, field.name) for field in fields(item)}


def objects_of(
    connection: Connection,
    query: Executable,
    kind: type[T],
    values: Mapping[str, Any] | None = None,
) -> list[T]:
    """Rows of a query as dataclasses whose fields have the names of the columns."""
    rows = connection.execute(query, values).mappings()
    adapter = _adapter(kind)
    return [adapter.validate_python(dict(row)) for row in rows]


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _use_wal(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA journal_mode=WAL").close()


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """WAL with NORMAL survives a killed process; only a power cut may lose the last commits."""
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


class Database:
    """Runs each unit of work as one transaction in a thread of its own.

    Args:
        url: An SQLAlchemy URL such as `sqlite:///path/state.sqlite` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.engine: Engine = _make_engine(self.url)
        self.insert = sqlite.insert if self.is_sqlite else postgresql.insert
        self._trouble = ""
        self._trouble_until_s = -math.inf
        # One thread serialises the writers of an SQLite file better than its lock does.
        max_threads = 1 if self.is_sqlite else POSTGRES_THREADS
        self._threads = ThreadPoolExecutor(max_threads, thread_name_prefix="sessions")

    @property
    def trouble(self) -> str | None:
        """Why work has to wait just now; None when it does not."""
        return self._trouble if time.monotonic() < self._trouble_until_s else None

    async def open(self, *, revisions: Revisions = REVISIONS) -> None:
        """Bring the tables to what the code knows: make them, or alter older ones.

        Raises:
            SessionError: the database cannot be reached or written, is damaged, or was used by a
                newer version of the code.
        """
        file = file_of(self.url)
        try:
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
            await self.run(partial(upgrade, revisions=revisions), patience_s=OPEN_PATIENCE_S)
            if self.is_sqlite:
                # The file's own mode, so only its owner sets it; who looks at it changes nothing.
                await self.run(_use_wal, patience_s=OPEN_PATIENCE_S)
        except (SQLAlchemyError, OSError, DatabaseTrouble) as error:
            self.engine.dispose()
            address = self.url.render_as_string(hide_password=True)
            reason = error.reason if isinstance(error, DatabaseTrouble) else reason_of(error)
            remedy = f". To go on, {way_back(file)}" if is_damage(error) else ""
            raise SessionError(
                f"the database {address} cannot be used: {reason}{remedy}"
            ) from error

    async def close(self) -> None:
        """Wait for what is under way, then close the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()

    async def run(self, work: Callable[[Connection], T], *, patience_s: float = PATIENCE_S) -> T:
        """Do `work` in one transaction, off the event loop; an exception rolls it back.

        While the database is in passing trouble (locked, full, restarting, away) it is done again
        and again, and once more where nobody knows whether the last commit was done: `work` MUST
        leave the same behind when it is done twice. For the answer see `change`.

        Raises:
            DatabaseTrouble: there is trouble still after `patience_s`.
        """
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + patience_s
        waits_s = BACKOFF.waits_s()
        in_doubt = False
        has_waited = False
        while True:
            attempt = _Attempt(self.engine, work)
            try:
                async with asyncio.timeout_at(ends_at):
                    result = await loop.run_in_executor(self._threads, attempt)
            except (SQLAlchemyError, OSError) as error:
                if not passes(error):
                    raise
                in_doubt = attempt.give_up() or in_doubt
                await self._wait_out(
                    error,
                    next(waits_s),
                    ends_at,
                    in_doubt=in_doubt,
                )
                has_waited = True
            else:
                if has_waited and self.trouble:
                    logger.warning("the database works again")
                    self._trouble_until_s = -math.inf
                return result

    async def change(self, work: Callable[[Connection], bool]) -> bool:
        """Do `work` as `run` does; whether any attempt changed something.

        `work` returns whether one attempt did. An earlier attempt counts because its commit may
        have been done although the answer was lost; the last attempt then has nothing to change.
        """
        changes: list[bool] = []

        def work_and_note(connection: Connection) -> bool:
            changes.append(work(connection))
            return any(changes)

        return await self.run(work_and_note)

    async def rows(self, query: Executable) -> Sequence[Row[Any]]:
        """All rows of a query."""
        return await self.run(lambda connection: connection.execute(query).all())

    async def read(self, query: Executable, kind: type[T]) -> list[T]:
        """All rows of a query as objects; see `objects_of`."""
        return await self.run(lambda connection: objects_of(connection, query, kind))

    async def first(self, query: Executable, kind: type[T]) -> T | None:
        """The first row as an object; None where there is no row."""
        objects = await self.read(query, kind)
        return objects[0] if objects else None

    async def column(self, query: Executable) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in await self.rows(query)]

    async def scalar(self, query: Executable) -> Any:
        """The first column of the first row; None where there is no row."""
        return await self.run(lambda connection: connection.execute(query).scalar())

    async def size_bytes(self) -> int:
        """How much the database holds on its disk."""
        size = "pg_database_size(current_database())"
        if self.is_sqlite:
            size = "page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        return await self.scalar(text(f"SELECT {size}"))

    async def execute(self, statement: Executable) -> bool:
        """Do one statement; whether it changed something in any attempt."""

        def execute(connection: Connection) -> bool:
            return bool(connection.execute(statement).rowcount)

        return await self.change(execute)

    async def add(self, table: Table, row: Mapping[str, Any]) -> bool:
        """Insert a row; False when its key was there already."""
        return await self.change(lambda connection: self.insert_if_new(connection, table, row))

    async def _wait_out(
        self, error: Exception, wait_s: float, ends_at: float, *, in_doubt: bool
    ) -> None:
        reason = reason_of(error)
        now_s = time.monotonic()
        if isinstance(error, TimeoutError):  # perhaps behind others, who know more
            reason = self.trouble or reason
        if self.trouble is None:
            logger.warning("the database is in trouble: %s", reason)
        self._trouble = reason
        self._trouble_until_s = now_s + OVER_AFTER_S
        if asyncio.get_running_loop().time() + wait_s >= ends_at:
            raise DatabaseTrouble(reason, may_be_stored=in_doubt) from error
        await asyncio.sleep(wait_s)

    def insert_new(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that leaves existing rows alone."""
        return self.insert(table).on_conflict_do_nothing()

    def upsert(self, table: Table, row: Mapping[str, Any]) -> Executable:
        """An INSERT that replaces the row with the same key."""
        insert = self.insert(table).values(dict(row))
        return insert.on_conflict_do_update(index_elements=table.primary_key, set_=dict(row))

    def insert_if_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
        """Insert `row`; False when its key was there already."""
        insert = self.insert_new(table).returning(*table.primary_key)
        return connection.execute(insert, dict(row)).first() is not None


class Store:
    """Reads and writes rows of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def audit(self, record: AuditRecord) -> None:
        """Append a record of something that has no transaction of its own."""
        await self._database.run(partial(append, record=record))
