"""The directory of all workspaces before there is any: whether the bot can live in it."""

import errno
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent_core.errors import SettingsError

MIN_FREE_BYTES = 20 * 1024**2
"""Below this a start is refused: the databases could hardly grow, and no report would fit."""

_REMEDY = "Set WORKSPACES_ROOT to a directory that the bot may write to."
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A root that can be used."""

    path: Path
    """Absolute."""
    exists: bool
    free_bytes: int


def prepare_root(root: Path, *, min_free_bytes: int = MIN_FREE_BYTES) -> Root:
    """Make the root where it is missing, and try it.

    Raises:
        SettingsError: a plain sentence on why it cannot be used and what to do.
    """
    path = root.resolve()
    _refuse_files(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(path, error) from error
    return examine_root(path, min_free_bytes=min_free_bytes)


def examine_root(root: Path, *, min_free_bytes: int = MIN_FREE_BYTES) -> Root:
    """Try the root, or where it would be made; nothing stays behind.

    Raises:
        SettingsError: as `prepare_root`.
    """
    path = root.resolve()
    _refuse_files(path)
    place = next(parent for parent in (path, *path.parents) if parent.exists())
    try:
        free_bytes = shutil.disk_usage(place).free
        _refuse_full(place, free_bytes, min_free_bytes)
        if place == path:
            _try_to_write(place)
        elif not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise _unusable(path, error) from error
    return Root(path=path, exists=place == path, free_bytes=free_bytes)


def _refuse_files(path: Path) -> None:
    for place in (path, *path.parents):
        if place.exists() and not place.is_dir():
            raise SettingsError(
                f"The workspaces' root {path} is no directory: {place} is a file. {_REMEDY}"
            )


def _refuse_full(place: Path, free_bytes: int, min_free_bytes: int) -> None:
    if free_bytes < min_free_bytes:
        raise SettingsError(
            f"The disk of the workspaces' root {place} is full: {free_bytes // 1024**2} MB are "
            f"free, and {min_free_bytes // 1024**2} MB are needed. Make room, or set "
            "WORKSPACES_ROOT to a directory on another disk."
        )


def _try_to_write(directory: Path) -> None:
    with tempfile.TemporaryFile(dir=directory) as file:
        file.write(b"\0" * 4096)
        file.flush()
        os.fsync(file.fileno())


def _unusable(path: Path, error: OSError) -> SettingsError:
    if error.errno in _NO_SPACE:
        return SettingsError(
            f"The disk of the workspaces' root {path} is full ({error.strerror}). Make room, or "
            "set WORKSPACES_ROOT to a directory on another disk."
        )
    return SettingsError(
        f"The workspaces' root {path} cannot be written ({error.strerror}). {_REMEDY}"
    )
