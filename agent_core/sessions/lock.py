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
from sqlalchemy import make_url

from agent_core.errors import SessionError
from agent_core.sessions.migrations import file_of

PATIENCE_S = 0.5
"""How long a look by `holder_of`, or a process that is just ending, may keep the lock."""
_NAMELESS = "a process that has not said who it is"


class DatabaseTaken(SessionError):
    """Another process works with this database."""


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
        raise DatabaseTaken(
            f"another bot works with {database}: {_read(file)}. Stop that one first, or set "
            "DATABASE_URL to a Postgres database, which several processes can share."
        ) from error
    except OSError as error:
        raise SessionError(
            f"the file {file} cannot be written or locked ({error.strerror}). Use a local disk "
            "that can be written, or set DATABASE_URL to a Postgres database."
        ) from error
    try:
        now = datetime.now(UTC)
        _write(file, f"process {os.getpid()} on {platform.node()}, running since {now:%F %R} UTC")
        yield
    finally:
        _write(file, "")
        lock.release()


def holder_of(url: str) -> str | None:
    """Who holds the lock on a database now, in words, or None; changes nothing."""
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
    return FileLock(
        path,
        thread_local=False,
        fallback_to_soft=False,
        poll_interval=0.05,
    )


def _write(file: Path, holder: str) -> None:
    """What is written is for people; a full disk does not cost the lock."""
    with suppress(OSError):
        file.write_text(holder, encoding="utf-8")


def _read(file: Path) -> str:
    with suppress(OSError, UnicodeError):
        return file.read_text(encoding="utf-8") or _NAMELESS
    return _NAMELESS
