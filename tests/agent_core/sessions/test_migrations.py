"""Databases of every age are brought to what the code knows, or refused with a way back."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text

from agent_core.errors import SessionError
from agent_core.operator import examine_database
from agent_core.sessions import Database
from agent_core.sessions.migrations import NEWEST, REVISIONS
from agent_core.settings import CoreSettings
from tests.agent_core.sessions.databases import opened

LATER = "9001"
MOODS = ("ALTER TABLE turns ADD COLUMN mood VARCHAR DEFAULT 'calm'",)
BROKEN = (*MOODS, "ALTER TABLE nowhere DROP COLUMN x")
ROW = (
    "INSERT INTO turns (id, session, seq, status, generation, inbound, kind, asker, tries,"
    " tried_from) VALUES ('turn:1', 'T1:C1:1', 1, 'queued', 1, '{}', 'work', 'T1:U1', 0, 0)"
)


def execute(statement: str) -> Callable[[Connection], object]:
    return lambda connection: connection.execute(text(statement))


async def prepare(url: str, *statements: str) -> None:
    """A database of this version, changed behind the back of whoever opens it next."""
    async with opened(url) as database:
        for each in statements:
            await database.run(execute(each))


async def upgrade(url: str, statements: tuple[str, ...] = MOODS) -> None:
    """Open it with a later version of the code."""
    database = Database(url)
    try:
        await database.open(revisions={**REVISIONS, LATER: statements})
    finally:
        await database.close()


async def ask(url: str, query: str) -> Sequence[tuple[Any, ...]]:
    database = Database(url)
    rows = await database.rows(text(query))
    await database.close()
    return [tuple(row) for row in rows]


async def refusal(url: str) -> str:
    with pytest.raises(SessionError) as refused:
        async with opened(url):
            pytest.fail("it was opened")
    return str(refused.value)


def copies(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob("*.before-*"))


@pytest.mark.proves("migrations.at_once")
async def test_several_processes_that_start_at_once_bring_it_up_to_date_rows_and_all(
    url: str,
) -> None:
    await prepare(url, ROW)
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(upgrade(url))
    assert await ask(url, "SELECT id, mood FROM turns") == [("turn:1", "calm")]
    assert await ask(url, "SELECT name FROM schema_revision") == [(LATER,)]


async def test_opening_again_changes_nothing(url: str, tmp_path: Path) -> None:
    await prepare(url, ROW)
    async with opened(url):
        pass
    assert await ask(url, "SELECT name FROM schema_revision") == [(NEWEST,)]
    assert await ask(url, "SELECT kind FROM turns") == [("work",)]
    assert copies(tmp_path) == []


@pytest.mark.proves("migrations.copy")
async def test_an_older_file_is_copied_before_it_is_altered(
    sqlite_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await prepare(sqlite_url, ROW)
    with caplog.at_level("INFO", logger="agent_core"):
        await upgrade(sqlite_url)
    name = f"state.sqlite.before-{LATER}"
    assert copies(tmp_path) == [name]
    assert f"from revision {NEWEST} to {LATER}" in caplog.text
    assert str(tmp_path / name) in caplog.text
    with closing(sqlite3.connect(tmp_path / name)) as copy:
        assert copy.execute("SELECT id FROM turns").fetchall() == [("turn:1",)]
        assert "mood" not in {row[1] for row in copy.execute("PRAGMA table_info(turns)")}


@pytest.mark.proves("migrations.copy")
async def test_a_copy_is_never_written_over(sqlite_url: str, tmp_path: Path) -> None:
    kept = tmp_path / f"state.sqlite.before-{LATER}"
    kept.write_bytes(b"of an earlier time")
    await prepare(sqlite_url)
    await upgrade(sqlite_url)
    assert kept.read_bytes() == b"of an earlier time"
    assert copies(tmp_path) == [kept.name, f"{kept.name}-2"]


@pytest.mark.proves("migrations.failed")
async def test_an_upgrade_that_fails_leaves_all_as_it_was(url: str, tmp_path: Path) -> None:
    await prepare(url, ROW)
    with pytest.raises(SessionError, match="nowhere"):
        await upgrade(url, BROKEN)
    assert copies(tmp_path) == []
    assert await ask(url, "SELECT name FROM schema_revision") == [(NEWEST,)]
    await upgrade(url)
    assert await ask(url, "SELECT id, mood FROM turns") == [("turn:1", "calm")]


@pytest.mark.proves("migrations.newer")
async def test_a_newer_database_is_refused_by_its_revision_with_the_way_back(
    url: str, tmp_path: Path
) -> None:
    await prepare(url)
    await upgrade(url)
    sentence = await refusal(url)
    assert LATER in sentence
    assert f"none after {NEWEST}" in sentence
    copy = tmp_path / f"state.sqlite.before-{LATER}"
    assert (str(copy) if url.startswith("sqlite") else "the backup that you made") in sentence
    with pytest.raises(SessionError, match=LATER):
        await examine_database(at(tmp_path, url))


@pytest.mark.proves("migrations.newer")
@pytest.mark.parametrize(
    "change",
    ["DELETE FROM schema_revision", "ALTER TABLE schema_revision RENAME TO alembic_version"],
)
async def test_a_database_of_before_the_first_release_is_refused_with_what_to_do(
    url: str, tmp_path: Path, change: str
) -> None:
    await prepare(url, change)
    sentence = await refusal(url)
    assert "has no revision: a version before the first release made it" in sentence
    is_file = url.startswith("sqlite")
    fresh = f"move {tmp_path / 'state.sqlite'} away" if is_file else "to an empty database"
    assert fresh in sentence
    if is_file:
        assert "there is none beside it" in sentence


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
    await prepare(url, loss)
    assert f"lacks {lost}. Go back to a whole one" in await refusal(url)


@pytest.mark.proves("migrations.damaged")
async def test_a_file_that_is_no_database_is_refused_with_the_way_back(
    sqlite_url: str, tmp_path: Path
) -> None:
    (tmp_path / "state.sqlite").write_bytes(b"no database at all" * 500)
    sentence = await refusal(sqlite_url)
    assert "cannot be used: file is not a database. To go on, stop the bot" in sentence


@pytest.mark.proves("migrations.damaged")
async def test_a_damaged_older_file_is_neither_altered_nor_copied(
    sqlite_url: str, tmp_path: Path
) -> None:
    words = "x" * 400_000
    await prepare(sqlite_url, ROW, f"UPDATE turns SET answer = '{words}'")  # noqa: S608
    file = tmp_path / "state.sqlite"
    pages = bytearray(file.read_bytes())
    middle = pages.index(b"x" * 100) // 4096 * 4096
    pages[middle : middle + 4096] = b"\xff" * 4096
    file.write_bytes(pages)
    with pytest.raises(SessionError, match=r"damaged|malformed"):
        await upgrade(sqlite_url)
    assert copies(tmp_path) == []


def at(root: Path, url: str) -> CoreSettings:
    """SQLite is where the workspaces are."""
    return CoreSettings(workspaces_root=root, database_url="" if "sqlite" in url else url)
