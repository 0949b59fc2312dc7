"""Databases of every age are brought to what the code knows, or refused with a way back."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from agent_core.errors import SessionError
from agent_core.runtime.operate import examine_database
from agent_core.sessions import Database
from agent_core.sessions.migrations import examine_schema
from agent_core.sessions.migrations.revisions import FIRST, known_revisions, newest
from agent_core.sessions.schema import metadata
from agent_core.settings import CoreSettings
from tests.agent_core.sessions.databases import opened

ROW = (
    "INSERT INTO turns (id, session, seq, status, generation, inbound)"
    " VALUES ('turn:1', 'T1:C1:1', 1, 'queued', 1, '{}')"
)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/state.sqlite"


def make_first_tables(connection: Connection) -> None:
    """As the first version left them: without a revision."""
    with Operations.context(MigrationContext.configure(connection)):
        known_revisions()[0].module.upgrade()


def execute(statement: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(text(statement))


async def prepare(url: str, *work: Callable[[Connection], object]) -> None:
    """Change a database behind the back of whoever opens it next."""
    database = Database(url)
    for each in work:
        await database.run(each)
    await database.close()


async def ask(url: str, query: str) -> Sequence[tuple[Any, ...]]:
    database = Database(url)
    rows = await database.run(lambda connection: connection.execute(text(query)).all())
    await database.close()
    return [tuple(row) for row in rows]


async def refusal(url: str) -> str:
    with pytest.raises(SessionError) as refused:
        async with opened(url):
            pytest.fail("it was opened")
    return str(refused.value)


def copies(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("*.before-*"))


def difference(connection: Connection) -> str:
    """Empty, or the lines that the newest revision lacks."""
    context = MigrationContext.configure(connection)
    if not compare_metadata(context, metadata):
        return ""
    upgrade_ops = produce_migrations(context, metadata).upgrade_ops
    assert upgrade_ops is not None
    return f"v{newest()}… lacks:\n{render_python_code(upgrade_ops)}"


async def test_the_revisions_make_the_tables_that_the_code_knows(database: Database) -> None:
    assert await database.run(difference) == ""


@pytest.mark.proves("migrations.at_once")
async def test_a_database_of_the_first_version_becomes_the_newest_and_keeps_its_rows(
    url: str,
) -> None:
    await prepare(url, make_first_tables, execute(ROW))
    async with opened(url) as database:
        assert await database.run(difference) == ""
    assert await ask(url, "SELECT id, status, kind FROM turns") == [("turn:1", "queued", "work")]
    assert await ask(url, "SELECT version_num FROM alembic_version") == [(newest(),)]


async def test_opening_again_changes_nothing(url: str, tmp_path: Path) -> None:
    async with opened(url):
        pass
    async with opened(url) as database:
        state = await database.run(examine_schema)
    assert (state.kind, state.revision) == ("current", newest())
    assert copies(tmp_path) == []


@pytest.mark.proves("migrations.at_once")
async def test_several_processes_that_start_at_once_all_find_the_newest_tables(url: str) -> None:
    await prepare(url, make_first_tables, execute(ROW))
    databases = [Database(url) for _ in range(5)]
    async with asyncio.TaskGroup() as group:
        for database in databases:
            group.create_task(database.open())
    async with asyncio.TaskGroup() as group:
        for database in databases:
            group.create_task(database.close())
    assert await ask(url, "SELECT kind FROM turns") == [("work",)]


@pytest.mark.proves("migrations.copy")
async def test_an_older_file_is_copied_before_it_is_altered(
    sqlite_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await prepare(sqlite_url, make_first_tables, execute(ROW))
    with caplog.at_level("INFO", logger="agent_core"):
        async with opened(sqlite_url):
            pass
    name = f"state.sqlite.before-{newest()}"
    assert copies(tmp_path) == [name]
    assert f"from revision {FIRST} to {newest()}" in caplog.text
    assert str(tmp_path / name) in caplog.text
    with closing(sqlite3.connect(tmp_path / name)) as copy:
        assert copy.execute("SELECT id FROM turns").fetchall() == [("turn:1",)]
        assert "kind" not in {row[1] for row in copy.execute("PRAGMA table_info(turns)")}


@pytest.mark.proves("migrations.copy")
async def test_a_copy_is_never_written_over(sqlite_url: str, tmp_path: Path) -> None:
    kept = tmp_path / f"state.sqlite.before-{newest()}"
    kept.write_bytes(b"of an earlier time")
    await prepare(sqlite_url, make_first_tables)
    async with opened(sqlite_url):
        pass
    assert kept.read_bytes() == b"of an earlier time"
    assert copies(tmp_path) == [kept.name, f"{kept.name}-2"]


@pytest.mark.proves("migrations.failed")
async def test_an_upgrade_that_fails_leaves_all_as_it_was(url: str, tmp_path: Path) -> None:
    odd = "CREATE TABLE leases (session VARCHAR PRIMARY KEY)"
    await prepare(url, make_first_tables, execute(odd))
    assert "leases" in await refusal(url)
    assert copies(tmp_path) == []
    database = Database(url)
    columns = await database.run(
        lambda c: {each["name"] for each in inspect(c).get_columns("turns")}
    )
    tables = await database.run(lambda c: set(inspect(c).get_table_names()))
    await database.close()
    assert "kind" not in columns
    assert "alembic_version" not in tables


@pytest.mark.proves("migrations.newer")
async def test_a_newer_database_is_refused_by_its_revision_with_the_way_back(
    url: str, tmp_path: Path
) -> None:
    async with opened(url):
        pass
    await prepare(url, execute("UPDATE alembic_version SET version_num = '9042'"))
    copy = tmp_path / "state.sqlite.before-9042"
    copy.write_bytes(b"")
    said = await refusal(url)
    assert "9042" in said
    assert f"none after {newest()}" in said
    assert (str(copy) if url.startswith("sqlite") else "the backup that you made") in said
    with pytest.raises(SessionError, match="9042"):
        await examine_database(at(tmp_path, url))


async def test_a_newer_file_without_a_copy_says_that_there_is_none(sqlite_url: str) -> None:
    async with opened(sqlite_url):
        pass
    await prepare(sqlite_url, execute("UPDATE alembic_version SET version_num = '9042'"))
    assert "there is none beside it" in await refusal(sqlite_url)


@pytest.mark.proves("migrations.damaged")
@pytest.mark.parametrize(
    ("loss", "lost"),
    [
        ("DROP TABLE leases", "leases"),
        ("ALTER TABLE ledger RENAME COLUMN delivery TO other", "ledger.delivery"),
    ],
)
async def test_a_half_migrated_database_is_refused_by_what_it_lacks(
    url: str, loss: str, lost: str
) -> None:
    async with opened(url):
        pass
    await prepare(url, execute(loss))
    assert f"lacks {lost}. Go back to a whole one" in await refusal(url)


async def test_a_first_version_that_was_never_made_whole_is_refused(url: str) -> None:
    await prepare(url, make_first_tables, execute("DROP TABLE cursors"))
    assert f"at revision {FIRST} it lacks cursors" in await refusal(url)


@pytest.mark.proves("migrations.damaged")
async def test_a_file_that_is_no_database_is_refused_with_the_way_back(
    sqlite_url: str, tmp_path: Path
) -> None:
    (tmp_path / "state.sqlite").write_bytes(b"no database at all" * 500)
    said = await refusal(sqlite_url)
    assert "cannot be used: file is not a database. To go on, stop the bot" in said


@pytest.mark.proves("migrations.damaged")
async def test_a_damaged_older_file_is_neither_altered_nor_copied(
    sqlite_url: str, tmp_path: Path
) -> None:
    words = "x" * 400_000
    await prepare(sqlite_url, make_first_tables, execute(ROW))
    await prepare(sqlite_url, execute(f"UPDATE turns SET answer = '{words}'"))  # noqa: S608
    file = tmp_path / "state.sqlite"
    pages = bytearray(file.read_bytes())
    middle = pages.index(b"x" * 100) // 4096 * 4096
    pages[middle : middle + 4096] = b"\xff" * 4096
    file.write_bytes(pages)
    assert "damaged" in (said := await refusal(sqlite_url)) or "malformed" in said
    assert copies(tmp_path) == []


async def test_a_look_says_that_the_next_start_alters_the_tables_and_alters_nothing(
    url: str, tmp_path: Path
) -> None:
    await prepare(url, make_first_tables)
    assert "the next start brings its tables up to date" in await examine_database(
        at(tmp_path, url)
    )
    assert copies(tmp_path) == []
    async with opened(url):
        assert "next start" not in await examine_database(at(tmp_path, url))


def at(root: Path, url: str) -> CoreSettings:
    """SQLite is where the workspaces are."""
    return CoreSettings(workspaces_root=root, database_url="" if "sqlite" in url else url)
