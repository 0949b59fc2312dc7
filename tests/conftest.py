import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.postgres import NoPostgres, new_database, postgres
from tests.warm_processes import warm_processes


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session", autouse=True)
def _warm_processes() -> Iterator[None]:
    """Tests start the bot and its tools without loading their libraries each time."""
    with warm_processes():
        yield
