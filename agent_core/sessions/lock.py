"""A file lock on an SQLite database, so that one process at a time works with it.

The operating system ends the lock with its holder, however that ends. What the lock's file says is
only for people: who holds it.
"""

import asyncio
import os
import platform
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError
from sqlalchemy import make_url

from agent_core.errors import SessionError
from agent_core.sessions.migrations import file_of

PATIENCE_S = 0.5
"""How long a look by `holder_of`, or a process that is just ending, may keep the lock."""


class Holder(BaseModel):
    """The process that has the lock, as far as it has written itself down."""

    pid: int | None = None
    host: str = ""
    since: datetime | None = None

    def __str__(self) -> str:
        if self.pid is None or self.since is None:
            return "a process that has not said who it is"
        return f"process {self.pid} on {self.host}, running since {self.since:%Y-%m-%d %H:%M} UTC"


class DatabaseTaken(SessionError):
    """Another process works with this database."""

    def __init__(self, path: Path, holder: Holder) -> None:
        super().__init__(
            f"another bot works with {path}: {holder}. Stop that one first, or set DATABASE_URL "
            "to a Postgres database, which several processes can share."
        )
        self.holder = holder


@asynccontextmanager
async def sole_process(url: str) -> AsyncGenerator[None]:
    """Hold the lock on a database within the block. Postgres needs none.

    Raises:
        DatabaseTaken: another process has it.
        SessionError: the lock cannot be made.
    """
    database = file_of(make_url(url))
    if database is None:
        yield
        return
    lock = _lock(database)
    file = Path(lock.lock_file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(lock.acquire, timeout=PATIENCE_S)
    except Timeout as error:
        raise DatabaseTaken(database, _read(file)) from error
    except OSError as error:
        raise SessionError(
            f"the file {file} cannot be written or locked ({error.strerror}). Use a local disk "
            "that can be written, or set DATABASE_URL to a Postgres database."
        ) from error
    try:
        _write(file, Holder(pid=os.getpid(), host=platform.node(), since=datetime.now(UTC)))
        yield
    finally:
        _write(file, None)
        lock.release()


def holder_of(url: str) -> Holder | None:
    """Who holds the lock on a database now, or None; changes nothing."""
    database = file_of(make_url(url))
    lock = _lock(database) if database is not None else None
    if lock is None or not Path(lock.lock_file).exists():
        return None
    try:
        with lock.acquire(timeout=0):
            return None
    except Timeout:
        return _read(Path(lock.lock_file))
    except OSError:
        return None


def _lock(database: Path) -> FileLock:
    path = database.with_name(f"{database.name}.lock")
    return FileLock(path, thread_local=False, fallback_to_soft=False, poll_interval=0.05)


def _write(file: Path, holder: Holder | None) -> None:
    """What is written is for people; a full disk does not cost the lock."""
    with suppress(OSError):
        file.write_text(holder.model_dump_json() if holder else "", encoding="utf-8")


def _read(file: Path) -> Holder:
    try:
        return Holder.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return Holder()
