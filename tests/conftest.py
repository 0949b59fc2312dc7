from collections.abc import Iterator
from typing import Any

import pytest

from tests.postgres import NoPostgres, new_database, postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """One Postgres for all tests; skips with its reason where none can be started."""
    try:
        with postgres() as server:
            yield server
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.fixture
def postgres_url(postgres_server: Any) -> str:
    """An empty database on Postgres."""
    return new_database(postgres_server)
