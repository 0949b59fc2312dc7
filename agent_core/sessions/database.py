"""The database behind sessions: one engine, SQLite by default, Postgres by URL."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from agent_core.errors import SessionError
from agent_core.sessions.schema import metadata

T = TypeVar("T")

POSTGRES_THREADS = 8


class Database:
    """Runs each unit of work as one transaction in a thread of its own.

    Args:
        url: An SQLAlchemy URL such as `sqlite:///path/state.sqlite` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        driver = "sqlite+pysqlite" if self.is_sqlite else "postgresql+psycopg"
        self.engine: Engine = create_engine(self.url.set(drivername=driver))
        if self.is_sqlite:
            event.listen(self.engine, "connect", _tune_sqlite)
        # One thread serialises the writers of an SQLite file better than its lock does.
        self._threads = ThreadPoolExecutor(
            1 if self.is_sqlite else POSTGRES_THREADS, thread_name_prefix="sessions"
        )

    async def open(self) -> None:
        """Make the tables where they are missing.

        Raises:
            SessionError: the database cannot be reached or written.
        """
        try:
            if self.is_sqlite and self.url.database:
                Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
            await self.run(metadata.create_all)
        except (SQLAlchemyError, OSError) as error:
            place = self.url.render_as_string(hide_password=True)
            cause = getattr(error, "orig", None) or error
            raise SessionError(f"the database {place} cannot be used: {cause}") from error

    async def close(self) -> None:
        """Wait for what is under way, then close the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Do `work` in one transaction, off the event loop; an exception rolls it back."""

        def in_transaction() -> T:
            with self.engine.begin() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._threads, in_transaction)

    def insert_new(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that leaves existing rows alone."""
        if self.is_sqlite:
            return sqlite.insert(table).on_conflict_do_nothing()
        return postgresql.insert(table).on_conflict_do_nothing()

    def upsert(
        self, connection: Connection, table: Table, row: Mapping[str, Any], keys: Sequence[str]
    ) -> None:
        """Insert `row`, or replace the row with the same `keys`."""
        rest = {name: value for name, value in row.items() if name not in keys}
        insert = (sqlite.insert if self.is_sqlite else postgresql.insert)(table)
        connection.execute(
            insert.values(dict(row)).on_conflict_do_update(index_elements=list(keys), set_=rest)
        )

    def insert_if_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
        """Insert `row`; False when its key was there already."""
        insert = self.insert_new(table).returning(*table.primary_key)
        return connection.execute(insert, dict(row)).first() is not None


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """WAL with NORMAL survives a killed process; only a power cut may lose the last commits."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
