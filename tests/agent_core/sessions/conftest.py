"""The databases that sessions live in: SQLite always, Postgres where one can be started."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_core.sessions import Database, SessionStore, WriteBehind
from tests.agent_core.sessions.databases import opened
from tests.postgres import new_database, postgres

TIMEOUT_S = 10


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=pytest.mark.process("a database server"))]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state.sqlite"
    return new_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/state.sqlite"


@pytest.fixture
def own_postgres(postgres_server: Any) -> Iterator[tuple[Any, str]]:
    """A server that the test may stop and start, and the URL of an empty database."""
    with postgres() as server:
        yield server, new_database(server)


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
