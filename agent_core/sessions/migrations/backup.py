"""Copies of an SQLite file, made before an upgrade changes it and kept beside it."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from sqlalchemy import URL

_PART = ".part"


def file_of(url: URL) -> Path | None:
    """Where a database is; None of Postgres and of one in memory."""
    if url.get_backend_name() != "sqlite" or url.database in {None, "", ":memory:"}:
        return None
    return Path(str(url.database)).resolve()


def backups_of(file: Path) -> list[Path]:
    """The copies beside a database, oldest first."""
    copies = [copy for copy in file.parent.glob(f"{file.name}.before-*") if copy.suffix != _PART]
    return sorted(copies, key=lambda copy: copy.stat().st_mtime)


def way_back(file: Path | None) -> str:
    """What an operator does with a database that cannot be used; without a file it is Postgres."""
    if file is None:
        return "stop every bot and put back the backup that you made of the database."
    copies = ", ".join(str(copy) for copy in backups_of(file))
    if not copies:
        return f"stop the bot and put your own copy in place of {file}; there is none beside it."
    return f"stop the bot and put a copy in place of {file}. Beside it are these: {copies}"


@contextmanager
def backed_up(file: Path, revision: str) -> Generator[Path]:
    """A copy of the database as it was before `revision`; it is kept unless the block fails.

    Raises:
        sqlite3.Error: the database cannot be copied; OSError likewise.
    """
    copy = _free_name(file, revision)
    part = copy.with_name(f"{copy.name}{_PART}")
    try:
        _copy(file, part)
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)
    try:
        yield copy
    except BaseException:
        copy.unlink(missing_ok=True)
        raise


def _free_name(file: Path, revision: str) -> Path:
    """A copy that somebody may still want is never written over."""
    wanted = file.with_name(f"{file.name}.before-{revision}")
    if not wanted.exists():
        return wanted
    names = (wanted.with_name(f"{wanted.name}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())


def _copy(file: Path, copy: Path) -> None:
    copy.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)
        # A copy is one file: what is put back needs no companion.
        target.execute("PRAGMA journal_mode=DELETE")
