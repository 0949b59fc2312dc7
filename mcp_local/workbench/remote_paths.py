"""What a path in the remote workbench may look like."""

import unicodedata
from pathlib import PurePosixPath

from mcp_local.errors import PathDenied

HOMES = (PurePosixPath("/home/user"), PurePosixPath("/mnt/files"))
"""What the workbench gives its user; the second survives a restart of it."""

MAX_PATH_CHARS = 1000


def read_remote_path(text: str) -> PurePosixPath:
    """The absolute path of a file below one of `HOMES`, without redundant parts.

    Raises:
        PathDenied: It is none; the sentence says what would be right.
    """
    path = PurePosixPath(text)
    if len(text) > MAX_PATH_CHARS or any(
        unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in text
    ):
        raise PathDenied("The remote path is too long or holds invisible characters.")
    if not path.is_absolute() or "\\" in text:
        raise PathDenied(
            f"{text!r} is not an absolute path of the remote workbench. Paths there begin with "
            "/home/user/ or /mnt/files/; local and remote paths are not interchangeable."
        )
    if ".." in path.parts:
        raise PathDenied("'..' is not accepted in a remote path.")
    if text.endswith("/") or not any(home in path.parents for home in HOMES):
        raise PathDenied(
            f"{text!r} is not a file below /home/user/ or /mnt/files/ of the remote workbench."
        )
    return path
