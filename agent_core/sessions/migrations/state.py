"""What a database's tables are, compared to those that the code knows; nothing is changed here."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, inspect, text

from agent_core.errors import SessionError
from agent_core.sessions.migrations.backup import way_back
from agent_core.sessions.migrations.revisions import (
    FIRST,
    FIRST_TABLES,
    known_revisions,
    newest,
)
from agent_core.sessions.schema import metadata

VERSION_TABLE = "alembic_version"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState:
    kind: Literal["empty", "current", "older", "newer", "broken"]
    revision: str | None
    """What the database says of itself; FIRST of one that was made before revisions were kept."""
    missing: tuple[str, ...] = ()
    """Of a broken one: the tables and columns that ought to be there."""


def examine_schema(connection: Connection) -> SchemaState:
    """What the tables are. Reads only."""
    tables = set(inspect(connection).get_table_names())
    revision = _stored_revision(connection) if VERSION_TABLE in tables else None
    if revision is None:
        return _without_revision(tables)
    if revision not in {known.revision for known in known_revisions()}:
        return SchemaState(kind="newer", revision=revision)
    if revision != newest():
        return _unless_broken("older", revision, sorted(FIRST_TABLES - tables))
    return _unless_broken("current", revision, _missing(connection, tables))


def require_usable(state: SchemaState, database: str, file: Path | None) -> None:
    """Return if a start can work with the database, perhaps after an upgrade.

    Args:
        state: What `examine_schema` found.
        database: Its address, without a password.
        file: Where an SQLite database is.

    Raises:
        SessionError: what is the matter and what to do.
    """
    if state.kind == "newer":
        raise SessionError(
            f"The database {database} was used by a newer version of the bot: its revision is "
            f"{state.revision}, and this version knows none after {newest()}. Start that newer "
            f"version again, or go back to the state before it: {way_back(file)}"
        )
    if state.kind == "broken":
        raise SessionError(
            f"The database {database} is only half there: at revision {state.revision} it lacks "
            f"{', '.join(state.missing)}. Go back to a whole one: {way_back(file)}"
        )


def _stored_revision(connection: Connection) -> str | None:
    # An upgrade leaves exactly one row; more are told of as one revision that nobody knows.
    rows = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608 (ours)
    return ", ".join(sorted(rows.scalars())) or None


def _without_revision(tables: set[str]) -> SchemaState:
    if tables.isdisjoint(FIRST_TABLES):
        return SchemaState(kind="empty", revision=None)
    return _unless_broken("older", FIRST, sorted(FIRST_TABLES - tables))


def _unless_broken(
    kind: Literal["current", "older"], revision: str, missing: Iterable[str]
) -> SchemaState:
    if lost := tuple(missing):
        return SchemaState(kind="broken", revision=revision, missing=lost)
    return SchemaState(kind=kind, revision=revision)


def _missing(connection: Connection, tables: set[str]) -> list[str]:
    """Tables and columns of the code that the database does not have."""
    inspector = inspect(connection)
    lost: list[str] = []
    for table in metadata.sorted_tables:
        if table.name not in tables:
            lost.append(table.name)
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        lost += [f"{table.name}.{name}" for name in table.columns.keys() if name not in columns]  # noqa: SIM118 (columns iterate as columns)
    return lost
