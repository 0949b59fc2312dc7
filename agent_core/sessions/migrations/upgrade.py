"""Brings a database to the newest revision: one process at a time, all of it or nothing."""

import logging
from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from agent_core.errors import SessionError
from agent_core.sessions.migrations.backup import backed_up, file_of
from agent_core.sessions.migrations.revisions import known_revisions, newest, scripts
from agent_core.sessions.migrations.state import SchemaState, examine_schema, require_usable

logger = logging.getLogger(__name__)

LOCK_PATIENCE_S = 100
"""How long another process may take for its upgrade, on Postgres."""

_LOCK_NUMBER = 0x75_6E_69_76
"""Of Postgres's advisory lock: any number, but the same one in every version."""


def upgrade(connection: Connection) -> None:
    """Make or alter the tables where that is needed, in the connection's transaction.

    An SQLite file with older tables is copied first, and the copy is kept.

    Raises:
        SessionError: newer tables than the code knows, or damaged ones.
        SQLAlchemyError: the database does not work; OSError: nor does its disk.
    """
    _lock(connection)
    state = examine_schema(connection)
    url = connection.engine.url
    file = file_of(url)
    require_usable(state, url.render_as_string(hide_password=True), file)
    if state.kind == "older":
        _alter_older(connection, state, file)
    elif state.kind == "empty":
        _alter(connection, state)


def _alter_older(connection: Connection, state: SchemaState, file: Path | None) -> None:
    if file is None:
        _alter(connection, state)
        logger.info("the database went from revision %s to %s", state.revision, newest())
        return
    _require_whole(connection, file)
    with backed_up(file, newest()) as copy:
        _alter(connection, state)
    logger.info(
        "the database went from revision %s to %s; a copy of what it was is %s",
        state.revision,
        newest(),
        copy,
    )


def _lock(connection: Connection) -> None:
    """Keep other processes out until the transaction ends."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        return
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_PATIENCE_S}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})


def _require_whole(connection: Connection, file: Path) -> None:
    """A damaged file is not altered, and a copy of it is none."""
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise SessionError(
            f"The database {file} is damaged ({found}). Stop the bot and put a copy in its place."
        )


def _alter(connection: Connection, state: SchemaState) -> None:
    """Run what comes after the state's revision, and write each revision down."""
    order = [script.revision for script in known_revisions()]
    done = order.index(state.revision) + 1 if state.revision else 0
    context = MigrationContext.configure(connection)
    if state.revision and not context.get_current_heads():
        context.stamp(scripts(), state.revision)
    with Operations.context(context):
        for script in known_revisions()[done:]:
            script.module.upgrade()
            context.stamp(scripts(), script.revision)
