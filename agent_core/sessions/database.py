"""The database behind sessions: one engine, SQLite by default, Postgres by URL."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Insert, Table, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from agent_core.sessions.schema import metadata


class Database:
    """An engine and the few statements that differ between SQLite and Postgres.

    Args:
        url: An SQLAlchemy URL such as `sqlite:///path/state.sqlite` or `postgresql://…`.
    """

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        driver = "sqlite+aiosqlite" if self.is_sqlite else "postgresql+psycopg"
        self.engine: AsyncEngine = create_async_engine(self.url.set(drivername=driver))
        if self.is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _tune_sqlite)

    async def open(self) -> None:
        """Make the tables where they are missing."""
        if self.is_sqlite and self.url.database:
            Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
        async with self.engine.begin() as connection:
            await connection.run_sync(metadata.create_all)

    async def close(self) -> None:
        await self.engine.dispose()

    def insert_new(self, table: Table) -> Insert:
        """An INSERT that leaves existing rows alone."""
        if self.is_sqlite:
            return sqlite.insert(table).on_conflict_do_nothing()
        return postgresql.insert(table).on_conflict_do_nothing()

    def upsert(self, table: Table, row: Mapping[str, Any], keys: Sequence[str]) -> Insert:
        """An INSERT of `row` that replaces the row with the same `keys`."""
        rest = {name: value for name, value in row.items() if name not in keys}
        insert = sqlite.insert if self.is_sqlite else postgresql.insert
        return (
            insert(table)
            .values(dict(row))
            .on_conflict_do_update(index_elements=list(keys), set_=rest)
        )

    async def insert_if_new(
        self, connection: AsyncConnection, table: Table, row: Mapping[str, Any]
    ) -> bool:
        """Insert `row`; False when its key was there already."""
        result = await connection.execute(self.insert_new(table).values(dict(row)))
        return result.rowcount > 0


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """WAL with NORMAL survives a killed process; only a power cut may lose the last commits."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
