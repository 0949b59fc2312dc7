"""What is told of a database before anybody works with it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from agent_core.errors import SessionError
from agent_core.operator import examine_database
from agent_core.sessions import Database
from agent_core.settings import CoreSettings


def at(root: Path, url: str = "") -> CoreSettings:
    return CoreSettings(workspaces_root=root, database_url=url)


async def test_a_database_in_use_tells_its_version(database: Database, tmp_path: Path) -> None:
    url = database.url.render_as_string(hide_password=False)
    version = await examine_database(at(tmp_path, url))
    assert re.fullmatch(r"(SQLite|PostgreSQL) \d+\.\d+.*", version)


async def test_a_database_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    root = tmp_path / "root"
    assert await examine_database(at(root)) == f"SQLite {sqlite3.sqlite_version}"
    assert not root.exists()


async def test_a_database_that_another_process_writes_to_is_read_all_the_same(
    tmp_path: Path,
) -> None:
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE one (n)")
        writer.commit()
        assert (await examine_database(at(tmp_path))).startswith("SQLite")


async def test_who_examines_a_database_leaves_its_file_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "state.sqlite"
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("CREATE TABLE one (n)")
        writer.commit()
    before = file.read_bytes()
    await examine_database(at(tmp_path))
    assert file.read_bytes() == before


@pytest.mark.process("another process holds the file")
async def test_a_user_who_may_make_no_tables_is_told_what_to_grant(
    postgres_server: Any, tmp_path: Path
) -> None:
    address = make_url(postgres_server.get_uri()).set(drivername="postgresql+psycopg")
    admin = create_engine(address, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text("CREATE DATABASE narrow"))
        connection.execute(text("CREATE ROLE limited LOGIN"))
    admin.dispose()
    limited = address.set(database="narrow", username="limited", password=None)
    with pytest.raises(SessionError, match=r"the user limited may not .* Grant CREATE"):
        await examine_database(at(tmp_path, limited.render_as_string(hide_password=False)))
