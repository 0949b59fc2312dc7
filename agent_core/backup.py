"""Backup and restore of an installation: databases and workspaces in one archive.

A running bot is copied from as it works, by SQLite's online backup or by pg_dump. The durable turns
are copied before the state: what the state knows of effects is then never older than what the
engine would do again. Copies from before an update stay where they are, and are in no archive.
"""

import shutil
import sqlite3
import subprocess
import tarfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, make_url

from agent_core.errors import SessionError, SettingsError
from agent_core.sessions import Database, move_workspaces
from agent_core.sessions.migrations import REVISIONS, file_of, revision_of
from agent_core.settings import CoreSettings, named_variables

REVISION = "revision.txt"
"""In an archive: of which revision the tables are."""
DUMP = "postgres.dump"
SESSIONS = "*session_*"
"""Workspaces in the root, and marks beside them; not locks, nor copies from before an update."""


def back_up(settings: CoreSettings, target: Path, now: datetime) -> Path:
    """Write an archive: the file `target`, or a new one in the directory of that name.

    Raises:
        SettingsError: there is nothing to back up, or pg_dump fails.
        SQLAlchemyError: the database cannot be read; OSError: the archive cannot be written.
    """
    if target.is_dir():
        target /= f"backup-{now:%Y%m%d-%H%M%S}.tar.gz"
    root = settings.workspaces_root.resolve()
    files = _files(settings)
    revision = _stored_revision(settings, files)
    if not revision:
        raise SettingsError(f"There is nothing to back up: no bot has run in {root} yet.")
    with TemporaryDirectory(dir=target.parent) as directory:
        copies = Path(directory)
        (copies / REVISION).write_text(revision, encoding="utf-8")
        for file in files:
            source = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
            with closing(source), closing(sqlite3.connect(copies / file.name)) as copy:
                source.backup(copy)
        if not files:
            _run_postgres("pg_dump", settings, "--format=custom", f"--file={copies / DUMP}")
        part = copies / target.name
        part.touch(mode=0o600)  # all that people wrote is in it
        with tarfile.open(part, "w:gz") as tar:
            for path in (*copies.iterdir(), *root.glob(SESSIONS)):
                _add(tar, path)  # but for itself
        part.replace(target)
    return target


def restore(settings: CoreSettings, archive: Path) -> None:
    """Unpack an archive where no bot has run yet.

    Raises:
        SessionError: there is a database already, or a newer version made the archive.
        SettingsError: the file is no archive, or of the other kind of database; pg_restore fails.
    """
    root = settings.workspaces_root.resolve()
    files = _files(settings)
    if _stored_revision(settings, files):
        raise SessionError(
            "There is a database already, which may be in use, and it is never overwritten. Stop "
            f"the bot and move {root} away, or set DATABASE_URL to an empty database."
        )
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=root, prefix=".restore-") as directory:
        copies = Path(directory)
        _unpack(archive, copies, [file.name for file in files] or [DUMP])
        if not files:
            _run_postgres("pg_restore", settings, str(copies / DUMP))
        for file in files:
            shutil.move(copies / file.name, file)
        for path in copies.glob(SESSIONS):
            shutil.move(path, root)
    with _connected(settings) as connection:
        move_workspaces(connection, root)


def _files(settings: CoreSettings) -> list[Path]:
    """SQLite's files, in the order in which they are copied; none of Postgres."""
    urls = dict.fromkeys([settings.durable_url, settings.state_url])
    return [file for url in urls if (file := file_of(make_url(url)))]


def _stored_revision(settings: CoreSettings, files: Sequence[Path]) -> str:
    """Of the tables; empty where there are none."""
    if not all(map(Path.exists, files)):
        return ""
    with _connected(settings) as connection:
        return revision_of(connection)


@contextmanager
def _connected(settings: CoreSettings) -> Generator[Connection]:
    engine = Database(settings.state_url).engine
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def _add(tar: tarfile.TarFile, top: Path) -> None:
    """Files and directories, without links; what goes while it is read is left out."""
    for path in (top, *top.rglob("*")):
        with suppress(FileNotFoundError):
            if not path.is_symlink():
                tar.add(path, path.relative_to(top.parent), recursive=False)


def _unpack(archive: Path, directory: Path, needed: Sequence[str]) -> None:
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(directory, filter="data")
        revision = (directory / REVISION).read_text(encoding="utf-8")
        for name in needed:
            (directory / name).stat()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise SettingsError(
            f"{archive} is no backup of a bot with this kind of database, or is damaged."
        ) from error
    if revision not in REVISIONS:
        raise SessionError(
            f"A newer version of the bot made {archive}: its tables are of revision {revision}. "
            "Install that version, then restore."
        )


def _run_postgres(program: str, settings: CoreSettings, *arguments: str) -> None:
    """Run one of Postgres's own programs; the password stands in no list of processes."""
    url = make_url(settings.database_url).set(drivername="postgresql")
    address = url.set(password=None).render_as_string()
    variables = dict(named_variables())
    if url.password:
        variables["PGPASSWORD"] = url.password
    command = [program, f"--dbname={address}", *arguments]
    try:
        subprocess.run(command, env=variables, capture_output=True, text=True, check=True)  # noqa: S603 (no shell)
    except FileNotFoundError as error:
        raise SettingsError(f"{program} is missing: install Postgres's client.") from error
    except subprocess.CalledProcessError as error:
        raise SettingsError(f"{program} failed: {error.stderr.strip()}") from error
