"""The SQLAlchemy engine of a database, tuned so that trouble shows soon and passes well."""

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

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


def make_engine(url: URL) -> Engine:
    """An engine for SQLite or Postgres with the driver that we have."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url.set(drivername="sqlite+pysqlite"))
        event.listen(engine, "connect", _tune_sqlite)
        return engine
    wanted = {name: value for name, value in POSTGRES_CONNECT.items() if name not in url.query}
    return create_engine(url.set(drivername="postgresql+psycopg"), connect_args=wanted)


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """WAL with NORMAL survives a killed process; only a power cut may lose the last commits."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={BUSY_TIMEOUT_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
