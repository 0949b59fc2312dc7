"""The SQLAlchemy engine that DBOS works with, made so that DBOS waits for every passing trouble.

DBOS itself waits for a lost connection, as far as it knows one by its words, and for a locked
file. It gives a step up, after its work was done, when the disk is full or when psycopg says that
the server is not there. Here all of that counts as a lost connection.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError

from agent_core.database_errors import passes_by_itself

_POSTGRES_CONNECT = {
    "application_name": "dbos_transact",
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "options": "-c idle_in_transaction_session_timeout=60000",
}
_SQLITE_TUNING = (
    "busy_timeout=30000",
    "foreign_keys=ON",
    "journal_mode=WAL",
    "synchronous=NORMAL",
)


def make_system_engine(url: str) -> Engine:
    """An engine for DBOS's records. Who makes it disposes of it: DBOS does not."""
    address = make_url(url)
    is_sqlite = address.get_backend_name() == "sqlite"
    engine = _sqlite_engine(address) if is_sqlite else _postgres_engine(address)
    event.listen(engine, "handle_error", _count_as_lost_connection)
    return engine


def _sqlite_engine(address: URL) -> Engine:
    """DBOS's own settings, with WAL: half the time a step, as safe against kill -9."""
    if address.database:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address)

    def tune(connection: Any, _entry: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in _SQLITE_TUNING:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", tune)
    return engine


def _postgres_engine(address: URL) -> Engine:
    """DBOS's own settings, and a server that is gone without a word is noticed in ten seconds."""
    wanted = {key: value for key, value in _POSTGRES_CONNECT.items() if key not in address.query}
    return create_engine(
        address.set(drivername="postgresql+psycopg"),
        connect_args=wanted,
        pool_size=20,
        max_overflow=0,
        pool_timeout=30,
        pool_pre_ping=True,
    )


def _count_as_lost_connection(context: ExceptionContext) -> None:
    """Say of the error what DBOS looks for, and leave the connection as it is.

    To close it in the middle of a statement would keep an SQLite file locked for as long as DBOS
    remembers the error.
    """
    error = context.sqlalchemy_exception
    if isinstance(error, DBAPIError) and passes_by_itself(context.original_exception):
        error.connection_invalidated = True
