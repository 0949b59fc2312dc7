"""Migrations: an older database is brought to the tables that the code knows, all or nothing.

A new database gets the tables of `schema.py` at once; each later change of them is a `Revision`
here, in SQL that SQLite and Postgres both speak. An SQLite file is copied before it is altered.
"""

import logging
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Literal

from sqlalchemy import URL, Connection, inspect, text

from agent_core.errors import SessionError
from agent_core.sessions.schema import metadata

logger = logging.getLogger(__name__)

VERSION_TABLE = "alembic_version"
"""Named so since the tables were first revised, by Alembic."""
LOCK_PATIENCE_S = 100
"""How long another process may take for its upgrade, on Postgres."""
_LOCK_NUMBER = 0x75_6E_69_76
"""Of Postgres's advisory lock: any number, but the same one in every version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What turns the tables of the revision before into this one's."""

    name: str
    statements: tuple[str, ...] = ()


REVISIONS = (Revision(name="0005"),)
"""Oldest first. The first one is what version 0.1.0 makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState:
    kind: Literal["empty", "current", "older", "unknown", "broken"]
    revision: str = ""
    """What the database says of itself."""
    missing: tuple[str, ...] = ()
    """Of a broken one: the tables and columns that ought to be there."""


def examine_schema(
    connection: Connection, revisions: Sequence[Revision] = REVISIONS
) -> SchemaState:
    """What the tables are, compared to those that the code knows. Reads only."""
    tables = set(inspect(connection).get_table_names())
    stored = ""
    if VERSION_TABLE in tables:
        rows = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608 (ours)
        stored = ", ".join(sorted(rows.scalars()))
    if not stored and tables.isdisjoint(metadata.tables):
        return SchemaState(kind="empty")
    names = [revision.name for revision in revisions]
    if stored not in names:
        return SchemaState(kind="unknown", revision=stored or "none")
    if stored != names[-1]:
        return SchemaState(kind="older", revision=stored)
    missing = _missing(connection, tables)
    return SchemaState(
        kind="broken" if missing else "current", revision=stored, missing=tuple(missing)
    )


def require_usable(
    state: SchemaState,
    database: str,
    file: Path | None,
    revisions: Sequence[Revision] = REVISIONS,
) -> None:
    """Return if a start can work with the database, perhaps after an upgrade.

    Args:
        state: What `examine_schema` found.
        database: Its address, without a password.
        file: Where an SQLite database is.
        revisions: Those that the code knows.

    Raises:
        SessionError: what is the matter and what to do.
    """
    if state.kind == "unknown":
        raise SessionError(
            f"The database {database} was used by another version of the bot: its revision is "
            f"{state.revision}, and this version knows none before {revisions[0].name} and none "
            f"after {revisions[-1].name}. Start that other version again, or go back to the state "
            f"before it: {way_back(file)}"
        )
    if state.kind == "broken":
        raise SessionError(
            f"The database {database} is only half there: at revision {state.revision} it lacks "
            f"{', '.join(state.missing)}. Go back to a whole one: {way_back(file)}"
        )


def upgrade(connection: Connection, revisions: Sequence[Revision] = REVISIONS) -> None:
    """Make or alter the tables where that is needed, in the connection's transaction.

    Raises:
        SessionError: tables of a version that the code does not know, or damaged ones.
        SQLAlchemyError: the database does not work; OSError: nor does its disk.
    """
    _lock(connection)
    state = examine_schema(connection, revisions)
    url, newest = connection.engine.url, revisions[-1].name
    file = file_of(url)
    require_usable(state, url.render_as_string(hide_password=True), file, revisions)
    if state.kind == "empty":
        metadata.create_all(connection)
        connection.execute(
            text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) PRIMARY KEY)")
        )
        connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:name)"), {"name": newest})  # noqa: S608 (ours)
    elif state.kind == "older" and file is None:
        _alter(connection, state, revisions)
        logger.info("the database went from revision %s to %s", state.revision, newest)
    elif state.kind == "older" and file is not None:
        _require_whole(connection, file)
        with _backed_up(file, newest) as copy:
            _alter(connection, state, revisions)
        went = "the database went from revision %s to %s; a copy of what it was is %s"
        logger.info(went, state.revision, newest, copy)


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
    named = ", ".join(map(str, copies))
    return f"stop the bot and put a copy in place of {file}. Beside it are these: {named}"


def _lock(connection: Connection) -> None:
    """Keep other processes out until the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_PATIENCE_S}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})


def _alter(connection: Connection, state: SchemaState, revisions: Sequence[Revision]) -> None:
    """Do what comes after the state's revision."""
    done = [revision.name for revision in revisions].index(state.revision) + 1
    for revision in revisions[done:]:
        for statement in revision.statements:
            connection.execute(text(statement))
        stamp = text(f"UPDATE {VERSION_TABLE} SET version_num = :name")  # noqa: S608 (ours)
        connection.execute(stamp, {"name": revision.name})


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
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise SessionError(
            f"The database {file} is damaged ({found}). Stop the bot and put a copy in its place."
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
        with (
            closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(part)) as target,
        ):
            source.backup(target)
            # A copy is one file: what is put back needs no companion.
            target.execute("PRAGMA journal_mode=DELETE")
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)
    try:
        yield copy
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
