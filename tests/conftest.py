import gc
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.postgres import NoPostgres, new_database, postgres
from tests.surroundings import keep_files_in_memory, trust_no_authority
from tests.warm_processes import warm_processes

WHOLE_FOLDERS = {"e2e", "attacks"}
"""Here the bot is tried with all that it has, the toolkit's process included."""
STARTING_FIXTURES = {"postgres_server", "browser"}
STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}

_UNMINDED = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)
settings.register_profile("busy machine", deadline=None, suppress_health_check=_UNMINDED)
settings.load_profile("busy machine")

gc.set_threshold(20_000, 20, 10)  # at 700 it takes a tenth of the tests' time
_at_work: list[pytest.Item] = []

keep_files_in_memory()
trust_no_authority()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What takes longest is begun first: a worker is given its next file before such a test ends.
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    for item in items:
        if not _may_start(item):
            item.add_marker("quick")


def _may_start(item: pytest.Item) -> bool:
    """Whether a test says that it starts a process, a browser or a database, or talks to one."""
    if any(item.get_closest_marker(name) for name in ("process", "live")):
        return True
    fixtures: Sequence[str] = getattr(item, "fixturenames", ())
    return bool(STARTING_FIXTURES & set(fixtures) or WHOLE_FOLDERS & set(item.path.parts))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    _at_work[:] = [item]
    try:
        return (yield)
    finally:
        _at_work.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Behind the last test the session's own things are ended: they may start what ends them."""
    if nextitem is None:
        _at_work.clear()


def _audit(event: str, _arguments: object) -> None:
    """Nothing that is counted as quick starts a process."""
    if event in STARTS and _at_work and _at_work[0].get_closest_marker("quick"):
        raise RuntimeError(
            f"{_at_work[0].nodeid} starts a process: say why with pytest.mark.process"
        )


sys.addaudithook(_audit)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The garbage collector forgets what was collected; what tests start is loaded once."""
    gc.collect()
    gc.freeze()
    if not session.config.option.collectonly and any(map(_may_start, session.items)):
        warm = ExitStack()
        warm.enter_context(warm_processes())
        session.config.add_cleanup(warm.close)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """One Postgres for all tests; skips with its reason where none can be started."""
    try:
        with postgres() as server:
            yield server
            _at_work.clear()  # it ends with the last test, whichever that is
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.fixture
def postgres_url(postgres_server: Any) -> str:
    """An empty database on Postgres."""
    return new_database(postgres_server)
