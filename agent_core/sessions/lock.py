"""One process at a time on an SQLite database: a lock that ends with its holder, however that ends.

The lock is the operating system's, on a file beside the database. What the file says is only for
people: who holds the lock.
"""

import asyncio
import os
import platform
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ValidationError
from sqlalchemy import make_url

from agent_core.errors import SessionError

PATIENCE_S = 0.5
"""How long a look by `holder_of`, or a process that is just ending, may keep the lock."""
_PAUSE_S = 0.05


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
        SessionError: the lock's file cannot be written.
    """
    path = lock_path(url)
    if path is None:
        yield
        return
    with _opened(path) as file:
        if not await _lock_soon(file):
            raise DatabaseTaken(path.with_suffix(""), _read(path))
        _write(file, _myself())
        try:
            yield
        finally:
            _write(file, None)


def holder_of(url: str) -> Holder | None:
    """Who holds the lock on a database now, or None; changes nothing.

    Raises:
        SessionError: the file system has no locks.
    """
    path = lock_path(url)
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            is_free = _lock(file, shared=True)
    except OSError:
        return None
    return None if is_free else _read(path)


def lock_path(url: str) -> Path | None:
    """The lock's file of a database; None where there is nothing to lock."""
    address = make_url(url)
    if address.get_backend_name() != "sqlite" or address.database in {None, "", ":memory:"}:
        return None
    database = Path(str(address.database)).resolve()
    return database.with_name(f"{database.name}.lock")


def _opened(path: Path) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a+b")
    except OSError as error:
        raise SessionError(f"the file {path} cannot be written ({error.strerror}).") from error


async def _lock_soon(file: BinaryIO) -> bool:
    """Take the lock; whoever only looks at it is waited for."""
    ends_at = asyncio.get_running_loop().time() + PATIENCE_S
    while not _lock(file):
        if asyncio.get_running_loop().time() > ends_at:
            return False
        await asyncio.sleep(_PAUSE_S)
    return True


def _myself() -> Holder:
    return Holder(pid=os.getpid(), host=platform.node(), since=datetime.now(UTC))


def _write(file: BinaryIO, holder: Holder | None) -> None:
    """What is written is for people; a full disk does not cost the lock."""
    with suppress(OSError):
        file.seek(0)
        file.truncate()
        file.write(holder.model_dump_json().encode() if holder else b"")
        file.flush()


def _read(path: Path) -> Holder:
    try:
        return Holder.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return Holder()


if sys.platform == "win32":
    import msvcrt

    _FAR = 2**30  # beyond what the file says, as Windows keeps others from reading a locked part

    def _lock(file: BinaryIO, *, shared: bool = False) -> bool:
        """Whether the lock was free. It is held until the file is closed."""
        del shared
        file.seek(_FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: BinaryIO, *, shared: bool = False) -> bool:
        """Whether the lock was free. It is held until the file is closed."""
        mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(file, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise SessionError(
                f"the file system of {file.name} has no locks ({error.strerror}). Use a local "
                "disk, or set DATABASE_URL to a Postgres database."
            ) from error
        return True
