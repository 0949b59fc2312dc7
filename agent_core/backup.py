"""Backup and restore of an installation: databases and workspaces in one archive.

A running bot is copied from as it works, by SQLite's online backup or by pg_dump. The durable turns
are copied before the state: what the state knows of effects is then never older than what the
engine would do again. Copies from before an update stay where they are, and are in no archive.
"""

import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ValidationError
from sqlalchemy import make_url

from agent_core.errors import SessionError, SettingsError
from agent_core.sessions import Database, KnownSessions, is_in_use, sole_process
from agent_core.sessions.migrations import REVISIONS, file_of, revision_of
from agent_core.settings import CoreSettings

MANIFEST = "backup.json"
DUMP = "postgres.dump"
WORKSPACES = "workspaces"
_IN_ROOT = ("session_*", ".session_*", "*.json")
"""What lies in the root besides databases, locks and older copies."""


class Manifest(BaseModel):
    """What an archive says of itself."""

    revision: str
    """Of the tables."""
    is_sqlite: bool


async def back_up(settings: CoreSettings, target: Path, now: datetime) -> Path:
    """Write an archive: the file `target`, or a new one in the directory of that name.

    Raises:
        SettingsError: there is nothing to back up, or pg_dump fails.
        SessionError: the database cannot be read; OSError: the archive cannot be written.
    """
    archive = target / f"backup-{now:%Y%m%d-%H%M%S}.tar.gz" if target.is_dir() else target
    files = _files(settings)
    missing = [str(file) for file in files.values() if not file.exists()]
    if missing:
        raise SettingsError(f"There is nothing to back up: {', '.join(missing)} is not there.")
    database = Database(settings.state_url)
    revision = await database.run(revision_of)
    await database.close()
    manifest = Manifest(revision=revision, is_sqlite=database.is_sqlite)
    with tempfile.TemporaryDirectory(dir=archive.parent) as directory:
        copies = Path(directory, "copies")
        copies.mkdir()
        (copies / MANIFEST).write_text(manifest.model_dump_json(), encoding="utf-8")
        for name, file in files.items():
            _copy(file, copies / name)
        if not files:
            _run_postgres("pg_dump", settings, "--format=custom", f"--file={copies / DUMP}")
        whole = Path(directory, archive.name)
        with tarfile.open(whole, "w:gz") as tar:
            tar.add(copies, "")
            for path in _in(settings.workspaces_root):
                _add(tar, path)
        whole.replace(archive)
    return archive


async def restore(settings: CoreSettings, archive: Path, now: datetime) -> Path:
    """Put an archive in the place of what is there, which is kept in the directory returned.

    Raises:
        SessionError: a bot uses the database, or a newer version made the archive.
        SettingsError: the file is no archive, or of the other kind of database; pg_restore fails.
    """
    root = settings.workspaces_root.resolve()
    kept = root / f"before-restore-{now:%Y%m%d-%H%M%S}"
    kept.mkdir(parents=True)
    database = Database(settings.state_url)
    async with sole_process(settings.state_url):
        if not database.is_sqlite and await is_in_use(database):
            raise SessionError("A bot works with the database. Stop every bot, then restore.")
        copies = kept / "restored"
        _unpack(archive, copies, is_sqlite=database.is_sqlite)
        if not database.is_sqlite:
            _run_postgres("pg_restore", settings, "--clean", "--if-exists", str(copies / DUMP))
        _move(_in(root), kept)
        _move((copies / WORKSPACES).glob("*"), root)
        for name, file in _files(settings).items():
            _move(file.parent.glob(f"{file.name}*[!k]"), kept)  # all but the lock
            shutil.move(copies / name, file)
        shutil.rmtree(copies)
        await KnownSessions(database).move_workspaces(root)
    await database.close()
    return kept


def _files(settings: CoreSettings) -> dict[str, Path]:
    """SQLite's files by their names in an archive, in the order in which they are copied."""
    urls = {"turns.sqlite": settings.durable_url, "state.sqlite": settings.state_url}
    if settings.database_url:
        del urls["turns.sqlite"]
    files = {name: file_of(make_url(url)) for name, url in urls.items()}
    return {name: file for name, file in files.items() if file is not None}


def _in(root: Path) -> Iterable[Path]:
    return [path for pattern in _IN_ROOT for path in sorted(root.glob(pattern))]


def _copy(file: Path, copy: Path) -> None:
    """SQLite's online backup: whole and consistent, while others write."""
    with (
        closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        source.backup(target)


def _add(tar: tarfile.TarFile, top: Path) -> None:
    """Files and directories, without links; what goes while it is read is left out."""
    for path in (top, *sorted(top.rglob("*"))):
        is_plain = path.is_dir() or path.is_file()
        if is_plain and not path.is_symlink():
            with suppress(FileNotFoundError):
                name = path.relative_to(top.parent)
                tar.add(path, f"{WORKSPACES}/{name}", recursive=False)


def _unpack(archive: Path, directory: Path, *, is_sqlite: bool) -> None:
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(directory, filter="data")
        manifest = Manifest.model_validate_json((directory / MANIFEST).read_bytes())
    except (tarfile.TarError, OSError, ValidationError) as error:
        raise SettingsError(f"{archive} is no backup of this bot, or is damaged.") from error
    if manifest.revision not in REVISIONS:
        raise SessionError(
            f"{archive} was made by a newer version of the bot: its tables are of revision "
            f"{manifest.revision}. Install that version, then restore."
        )
    if manifest.is_sqlite != is_sqlite:
        kinds = {True: "SQLite", False: "Postgres"}
        raise SettingsError(
            f"{archive} is of {kinds[manifest.is_sqlite]}, and DATABASE_URL is of "
            f"{kinds[is_sqlite]}."
        )


def _move(paths: Iterable[Path], directory: Path) -> None:
    for path in paths:
        shutil.move(path, directory)


def _run_postgres(program: str, settings: CoreSettings, *arguments: str) -> None:
    """Run one of Postgres's own programs; the password is in no list of processes."""
    url = make_url(settings.database_url).set(drivername="postgresql")
    if shutil.which(program) is None:
        raise SettingsError(f"{program} is not installed; it comes with Postgres's client.")
    address = url.set(password=None).render_as_string()
    done = subprocess.run(
        [program, f"--dbname={address}", *arguments],
        env=os.environ | {"PGPASSWORD": str(url.password or "")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SettingsError(f"{program} failed: {done.stderr.strip()}")
