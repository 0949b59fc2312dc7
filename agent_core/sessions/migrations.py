"""Migrations: an older database is brought to the tables that the code knows, all or nothing.

A new database gets the tables of `schema.py` at once; each later change of them is a revision
here, in SQL that SQLite and Postgres both speak. An SQLite file is copied before it is altered.
"""

import logging
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import chain, count
from pathlib import Path

from sqlalchemy import URL, Connection, inspect, text

from agent_core.errors import SessionError
from agent_core.sessions.schema import FIRST_HEAD, metadata

logger = logging.getLogger(__name__)

REVISION_TABLE = "schema_revision"
LOCK_PATIENCE_S = 100
"""How long another process may take for its upgrade, on Postgres."""
_LOCK_NUMBER = 0x75_6E_69_76
"""Of Postgres's advisory lock: any number, but the same one in every version."""

Revisions = dict[str, tuple[str, ...]]
"""By name the statements that turn the tables of the one before into its own, oldest first."""

REVISIONS: Revisions = {
    "0002": (),
    "0003": (
        "CREATE TABLE quoted_authors (session TEXT NOT NULL, author TEXT NOT NULL, "
        "PRIMARY KEY (session, author))",
    ),
    "0004": (
        "CREATE TABLE audit_chain (number INTEGER NOT NULL PRIMARY KEY, at TEXT NOT NULL, "
        "kind TEXT NOT NULL, who TEXT NOT NULL, about TEXT NOT NULL, key TEXT NOT NULL UNIQUE, "
        "digest TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL)",
        "CREATE INDEX ix_audit_chain_at ON audit_chain (at)",
        "CREATE TABLE audit_contents (number INTEGER NOT NULL PRIMARY KEY "
        "REFERENCES audit_chain (number), body TEXT NOT NULL)",
        "CREATE TABLE audit_head (id INTEGER NOT NULL PRIMARY KEY, number INTEGER NOT NULL, "
        "hash TEXT NOT NULL)",
        FIRST_HEAD,
        "ALTER TABLE audit RENAME TO audit_before_chain",
    ),
    "0005": (
        "CREATE TABLE spending (scope TEXT NOT NULL, settled_usd FLOAT NOT NULL, "
        "is_told BOOLEAN NOT NULL, PRIMARY KEY (scope))",
        "CREATE TABLE reservations (scope TEXT NOT NULL, call TEXT NOT NULL, "
        "process TEXT NOT NULL, usd FLOAT NOT NULL, PRIMARY KEY (scope, call))",
        "CREATE INDEX ix_reservations_process ON reservations (process)",
    ),
    "0006": (
        "CREATE TABLE verdicts (key TEXT NOT NULL PRIMARY KEY, "
        "at TIMESTAMP WITH TIME ZONE NOT NULL, verdict TEXT NOT NULL)",
    ),
}
"""The first one is what version 0.1.0 makes; `0001` had other tables and was never released."""
NEWEST = next(reversed(REVISIONS))


def revision_of(connection: Connection, revisions: Revisions = REVISIONS) -> str:
    """The revision that the tables are of; empty where there are none. Reads only.

    Raises:
        SessionError: they are of a version that the code does not know, or not all there.
    """
    url, names = connection.engine.url, list(revisions)
    address, file = url.render_as_string(hide_password=True), file_of(url)
    tables = set(inspect(connection).get_table_names())
    stored = ""
    if REVISION_TABLE in tables:
        rows = connection.execute(text(f"SELECT name FROM {REVISION_TABLE}"))  # noqa: S608 (ours)
        stored = ", ".join(sorted(rows.scalars()))
    if not stored and tables.isdisjoint(metadata.tables):
        return ""
    if not stored:
        fresh_start = "set DATABASE_URL to an empty database"
        if file is not None:
            fresh_start = f"move {file} away, with turns.sqlite beside it"
        raise SessionError(
            f"The database {address} has no revision: a version before the first release made it, "
            f"and no version can read it now. Stop the bot and {fresh_start}; the bot then "
            f"makes a new one. To keep what was in it, go back to a copy: {way_back(file)}"
        )
    if stored not in names:
        raise SessionError(
            f"The database {address} was used by another version of the bot: its revision is "
            f"{stored}, and this version knows none before {names[0]} and none after "
            f"{names[-1]}. Start that other version again, or go back to the state before it: "
            f"{way_back(file)}"
        )
    missing = _missing(connection, tables) if stored == names[-1] else []
    if missing:
        raise SessionError(
            f"The database {address} is only half there: at revision {stored} it lacks "
            f"{', '.join(missing)}. Go back to a whole one: {way_back(file)}"
        )
    return stored


def upgrade(connection: Connection, revisions: Revisions = REVISIONS) -> None:
    """Make or alter the tables where that is needed, in the connection's transaction.

    Raises:
        SessionError: tables of a version that the code does not know, or damaged ones.
        SQLAlchemyError: the database does not work; OSError: nor does its disk.
    """
    _lock(connection)
    stored, newest = revision_of(connection, revisions), list(revisions)[-1]
    file = file_of(connection.engine.url)
    if not stored:
        metadata.create_all(connection)
        connection.execute(text(f"CREATE TABLE {REVISION_TABLE} (name VARCHAR(32) PRIMARY KEY)"))
        connection.execute(text(f"INSERT INTO {REVISION_TABLE} VALUES (:name)"), {"name": newest})  # noqa: S608 (ours)
    elif stored != newest and file is None:
        _alter(connection, stored, revisions)
        logger.info("the database went from revision %s to %s", stored, newest)
    elif stored != newest and file is not None:
        _require_whole(connection, file)
        with _backed_up(file, newest) as copy:
            _alter(connection, stored, revisions)
        went = "the database went from revision %s to %s; a copy of what it was is %s"
        logger.info(went, stored, newest, copy)


def file_of(url: URL) -> Path | None:
    """Where a database is; None of Postgres and of one in memory."""
    if url.get_backend_name() != "sqlite" or url.database in {None, "", ":memory:"}:
        return None
    return Path(str(url.database)).resolve()


def way_back(file: Path | None) -> str:
    """What an operator does with a database that cannot be used; without a file it is Postgres."""
    if file is None:
        return "stop every bot and put back the backup that you made of the database."
    copies = sorted(file.parent.glob(f"{file.name}.before-*"), key=lambda c: c.stat().st_mtime)
    if not copies:
        return f"stop the bot and put your own copy in place of {file}; there is none beside it."
    listed = ", ".join(map(str, copies))
    return f"stop the bot and put a copy in place of {file}. Beside it are these: {listed}"


def _lock(connection: Connection) -> None:
    """Keep other processes out until the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_PATIENCE_S}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})


def _alter(connection: Connection, stored: str, revisions: Revisions) -> None:
    """Do what comes after the stored revision."""
    names = list(revisions)
    for name in names[names.index(stored) + 1 :]:
        for statement in revisions[name]:
            connection.execute(text(statement))
    stamp = text(f"UPDATE {REVISION_TABLE} SET name = :name")  # noqa: S608 (ours)
    connection.execute(stamp, {"name": names[-1]})


def _missing(connection: Connection, tables: set[str]) -> list[str]:
    """Tables and columns of the code that the database does not have."""
    inspector = inspect(connection)
    lost: list[str] = []
    for table in metadata.sorted_tables:
        if table.name not in tables:
            lost.append(table.name)
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        lost += [f"{table.name}.{each.name}" for each in table.columns if each.name not in columns]
    return lost


def _require_whole(connection: Connection, file: Path) -> None:
    """A damaged file is not altered, and a copy of it is none."""
    verdict = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if verdict != "ok":
        raise SessionError(
            f"The database {file} is damaged ({verdict}). Stop the bot and put a copy in its place."
        )


@contextmanager
def _backed_up(file: Path, revision: str) -> Generator[Path]:
    """A copy of the file as it was before `revision`; kept, unless the block fails.

    A copy that somebody may still want is never written over.
    """
    wanted = file.with_name(f"{file.name}.before-{revision}")
    others = (wanted.with_name(f"{wanted.name}-{number}") for number in count(2))
    copy = next(name for name in chain([wanted], others) if not name.exists())
    part = file.with_name(f"{file.name}.copy")
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as source:
            source.execute("VACUUM INTO ?", (str(part),))
        part.replace(copy)
        yield copy
    except BaseException:
        for each in (part, copy):
            each.unlink(missing_ok=True)
        raise
