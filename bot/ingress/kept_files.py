"""Writing a file that a person attached into a session's workspace, and nowhere else."""

import os
import secrets
from pathlib import Path

_INNER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def write_file(workspace: Path, folder: str, name: str, content: bytes) -> None:
    """Put a whole file, or none, into a folder of the workspace.

    What stands at the name is replaced, a link there included; a link in the folder's place is
    refused.

    Raises:
        OSError: It could not be written.
    """
    outer = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        inner = _open_folder(outer, folder)
    finally:
        os.close(outer)
    try:
        _write_whole(inner, name, content)
    finally:
        os.close(inner)


def _open_folder(outer: int, folder: str) -> int:
    try:
        return os.open(folder, _INNER, dir_fd=outer)
    except FileNotFoundError:
        os.mkdir(folder, dir_fd=outer)
        return os.open(folder, _INNER, dir_fd=outer)


def _write_whole(inner: int, name: str, content: bytes) -> None:
    unfinished = f".{secrets.token_hex(8)}.part"
    descriptor = os.open(unfinished, _NEW, 0o644, dir_fd=inner)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.rename(unfinished, name, src_dir_fd=inner, dst_dir_fd=inner)
    except OSError:
        os.unlink(unfinished, dir_fd=inner)
        raise
