"""Files for the person, read from the session's workspace and from nowhere else."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bot.render import clean, limits

PUBLIC_DIRECTORY = "work_products"
_UNSAFE = re.compile(r"[^\w.\- ()]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


class ArtifactRefused(Exception):
    """The file may not be, or cannot be, handed out. The message is a clause for the person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A file to upload."""

    name: str
    content: bytes


def read_artifact(workspace: Path, path: str, *, max_bytes: int = limits.FILE_BYTES) -> Artifact:
    """The file at `path`, relative to the workspace.

    Only regular files below `work_products/`, reached without any link, with no second name
    elsewhere, and no bigger than `max_bytes`.

    Raises:
        ArtifactRefused: Any of that does not hold.
    """
    parts = PurePosixPath(path).parts
    if len(parts) < 2 or parts[0] != PUBLIC_DIRECTORY or ".." in parts:
        raise ArtifactRefused("it is not a file for handing out")
    try:
        content = _read_below(workspace, parts, max_bytes)
    except OSError as error:
        raise ArtifactRefused("it cannot be read") from error
    return Artifact(name=file_name(parts[-1]), content=content)


def file_name(name: str) -> str:
    """A name that every system takes: no path, no hidden or reversed characters, not too long."""
    plain = _UNSAFE.sub("_", clean(name).replace("\n", " ")).strip(" .-") or "file"
    if _RESERVED.match(plain):
        plain = f"_{plain}"
    stem, dot, ending = plain.rpartition(".")
    if not dot:
        return _cut(plain, limits.FILE_NAME_BYTES)
    ending = _cut(ending, 16)
    return f"{_cut(stem, limits.FILE_NAME_BYTES - len(ending.encode()) - 1)}.{ending}"


def _read_below(workspace: Path, parts: tuple[str, ...], max_bytes: int) -> bytes:
    """Every step is opened from the one before and without following links."""
    directory = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
            os.close(directory)
            directory = inner
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return _read_open(os.open(parts[-1], flags, dir_fd=directory), max_bytes)
    finally:
        os.close(directory)


def _read_open(descriptor: int, max_bytes: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
            raise ArtifactRefused("it is not a plain file")
        if about.st_size == 0:
            raise ArtifactRefused("it is empty")
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ArtifactRefused(f"it is bigger than {max_bytes // 1_000_000} MB")
    return content


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")
