"""Backup and restore of an installation: databases and workspaces in one archive.

A running bot is copied from as it works, by SQLite's online backup or by pg_dump. The durable turns
are copied before the state: what the state knows of effects is then never older than what the
engine would do again. Copies from before an update stay where they are, and are in no archive.
"""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import make_url

from agent_core.errors import SessionError, SettingsError
from agent_core.sessions import Database, KnownSessions, is_in_use, sole_process
from agent_core.sessions.migrations import REVISIONS, file_of, revision_of
from agent_core.settings import CoreSettings, named_variables

REVISION = "revision.txt"
"""In an archive: of which revision the tables are."""
DUMP = "postgres.dump"
WORKSPACES = "workspaces"
_IN_ROOT = ("session_*", ".session_*", "*.json")
"""What lies in the root besides databases, locks and older copies."""


def back_up(settings: CoreSettings, target: Path, now: datetime) -> Path:
    """Write an archive: the file `target`, or a new one in the directory of that name.

    Raises:
        SettingsError: there is nothing to back up, or pg_dump fails.
        SQLAlchemyError: the database cannot be read; OSError: the archive cannot be written.
    """
    root = settings.workspaces_root.resolve()
    files = _files(settings)
    if not all(map(Path.exists, files.values())):
        raise SettingsError(f"There is nothing to back up: no bot has run in {root} yet.")
    with Database(settings.state_url).engine.connect() as connection:
        revision = revision_of(connection)
    with TemporaryDirectory(dir=root, prefix=".backup-") as directory:
        copies = Path(directory, "copies")
        copies.mkdir()
        (copies / REVISION).write_text(revision, encoding="utf-8")
        for name, file in files.items():
            source = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
            with closing(source), closing(sqlite3.connect(copies / name)) as copy:
                source.backup(copy)
        if not files:
            _run_postgres("pg_dump", settings, "--format=custom", f"--file={copies / DUMP}")
        kept = copies / WORKSPACES
        kept.mkdir()
        for path in _in(root):
            with suppress(shutil.Error, OSError):  # it goes while it is read
                _link(path, kept / path.name)
        made = shutil.make_archive(f"{directory}/backup", "gztar", copies)
        if target.is_dir():
            target /= f"backup-{now:%Y%m%d-%H%M%S}.tar.gz"
        return Path(shutil.move(made, target))


async def restore(settings: CoreSettings, archive: Path, now: datetime) -> Path:
    """Put an archive in the place of what is there, which is kept in the directory returned.

    Raises:
        SessionError: a bot uses the database, or a newer version made the archive.
        SettingsError: the file is no archive, or of the other kind of database; pg_restore fails.
    """
    root = settings.workspaces_root.resolve()
    database = Database(settings.state_url)
    async with sole_process(settings.state_url):
        if not database.is_sqlite and await is_in_use(database):
            raise SessionError("A bot works with the database. Stop every bot, then restore.")
        kept = await asyncio.to_thread(_put_back, settings, root, archive, now)
        await KnownSessions(database).move_workspaces(root)
    await database.close()
    return kept


def _put_back(settings: CoreSettings, root: Path, archive: Path, now: datetime) -> Path:
    kept = root / f"before-restore-{now:%Y%m%d-%H%M%S}"
    files = _files(settings)
    with TemporaryDirectory(dir=root, prefix=".restore-") as directory:
        copies = Path(directory)
        _unpack(archive, copies, list(files) or [DUMP])
        kept.mkdir()
        if not files:
            _run_postgres("pg_restore", settings, "--clean", "--if-exists", str(copies / DUMP))
        _move(_in(root), kept)
        _move((copies / WORKSPACES).iterdir(), root)
        for name, file in files.items():
            older = [file, *file.parent.glob(f"{file.name}-*")]  # with what is not in it yet
            _move(filter(Path.exists, older), kept)
            shutil.move(copies / name, file)
    return kept


def _files(settings: CoreSettings) -> dict[str, Path]:
    """SQLite's files by their names in an archive, in the order in which they are copied."""
    urls = {"turns.sqlite": settings.durable_url, "state.sqlite": settings.state_url}
    if settings.database_url:
        del urls["turns.sqlite"]
    files = {name: file_of(make_url(url)) for name, url in urls.items()}
    return {name: file for name, file in files.items() if file is not None}


def _in(root: Path) -> Iterable[Path]:
    return [path for pattern in _IN_ROOT for path in root.glob(pattern)]


def _link(path: Path, copy: Path) -> None:
    """A copy that takes no room: files are replaced, and never changed in place."""
    if path.is_dir():
        shutil.copytree(path, copy, symlinks=True, copy_function=os.link)
    else:
        os.link(path, copy)


def _unpack(archive: Path, directory: Path, needed: Iterable[str]) -> None:
    try:
        with tarfile.open(archive) as tar:
            plain = [member for member in tar if not member.issym()]
            tar.extractall(directory, plain, filter="data")
        revision = (directory / REVISION).read_text(encoding="utf-8")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise SettingsError(f"{archive} is no backup of this bot, or is damaged.") from error
    if revision not in REVISIONS:
        raise SessionError(
            f"A newer version of the bot made {archive}: its tables are of revision {revision}. "
            "Install that version, then restore."
        )
    if not all((directory / name).exists() for name in needed):
        raise SettingsError(f"{archive} is of another kind of database than DATABASE_URL.")


def _move(paths: Iterable[Path], directory: Path) -> None:
    for path in paths:
        shutil.move(path, directory)


def _run_postgres(program: str, settings: CoreSettings, *arguments: str) -> None:
    """Run one of Postgres's own programs; the password stands in no list of processes."""
    url = make_url(settings.database_url).set(drivername="postgresql")
    address = url.set(password=None).render_as_string()
    variables = {**named_variables(), "PGPASSWORD": str(url.password or "")}
    command = [program, f"--dbname={address}", *arguments]
    try:
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise SettingsError(f"{program} is missing: install Postgres's client.") from error
    if done.returncode:
        raise SettingsError(f"{program} failed: {done.stderr.strip()}")
