"""What a path may look like: text from a model becomes the parts of a path in the session."""

import unicodedata
from pathlib import Path, PurePosixPath

from mcp_local.errors import PathDenied

MAX_NAME_BYTES = 200
"""Bytes of one name; file systems end at 255, and a temporary suffix must still fit."""

MAX_PATH_BYTES = 1000

_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{device}{digit}" for device in ("com", "lpt") for digit in range(1, 10)]
)


def split_path(text: str, *homes: Path) -> tuple[str, ...]:
    """The parts of `text` below the session directory; empty for the directory itself.

    A relative path counts from the session directory, an absolute one must begin with one of
    `homes`, the spellings of that directory. Purely lexical: symlinks are the opener's business.

    Raises:
        PathDenied: The path leads out, or a name in it is one we do not accept.
    """
    _check_text(text)
    path = PurePosixPath(text)
    if path.is_absolute():
        path = _below_home(path, homes)
    for name in path.parts:
        _check_name(name)
    return path.parts


def fold_name(name: str) -> str:
    """`name` as the most forgiving file system compares it: without case and composed forms."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _check_text(text: str) -> None:
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in text):
        raise PathDenied("The path holds control or invisible characters. Use a plain file name.")
    if "\\" in text or text[1:2] == ":":
        raise PathDenied("Windows paths are not accepted. Use names separated by '/'.")
    if len(text.encode()) > MAX_PATH_BYTES:
        raise PathDenied("The path is too long. Use a shorter one.")


def _below_home(path: PurePosixPath, homes: tuple[Path, ...]) -> PurePosixPath:
    for home in homes:
        if path.is_relative_to(home):
            return path.relative_to(home)
    raise PathDenied(
        f"{path} is outside this session's directory. Use a path relative to the session, "
        "for example work_products/notes.md."
    )


def _check_name(name: str) -> None:
    if name == "..":
        raise PathDenied("'..' is not accepted. Paths stay inside the session's directory.")
    if name.startswith("-") or name != name.strip() or name.endswith("."):
        raise PathDenied(
            f"{name!r} is not a safe file name. It may not begin with '-', nor begin or end "
            "with a space, nor end with a dot."
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise PathDenied("A name in the path is too long. Use at most 200 bytes a name.")
    if fold_name(name).partition(".")[0] in _DEVICE_NAMES:
        raise PathDenied(f"{name!r} is the name of a device on some systems. Use another name.")
