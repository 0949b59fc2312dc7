"""Writing a file that a person attached into a session's workspace, and nowhere else."""

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_INNER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


@contextmanager
def new_file(workspace: Path, folder: str, name: str) -> Generator[BinaryIO]:
    """A file to write into a folder of the workspace: whole at the end, or not there.

    What stands at the name is replaced, a link there included; a link in the folder's place is
    refused. An error inside the block leaves nothing behind.

    Raises:
        OSError: It could not be written.
    """
    outer = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        inner = _open_folder(outer, folder)
    finally:
        os.close(outer)
    try:
        with _unfinished(inner, name) as file:
            yield file
    finally:
        os.close(inner)


def _open_folder(outer: int, folder: str) -> int:
    try:
        return os.open(folder, _INNER, dir_fd=outer)
    except FileNotFoundError:
        os.mkdir(folder, dir_fd=outer)
        return os.open(folder, _INNER, dir_fd=outer)


@contextmanager
def _unfinished(inner: int, name: str) -> Generator[BinaryIO]:
    part = f".{secrets.token_hex(8)}.part"
    descriptor = os.open(part, _NEW, 0o644, dir_fd=inner)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.rename(part, name, src_dir_fd=inner, dst_dir_fd=inner)
    except BaseException:
        os.unlink(part, dir_fd=inner)
        raise
