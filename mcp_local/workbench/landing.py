"""Where a downloaded file lands in the session, without taking the place of another."""

import re
from pathlib import Path, PurePosixPath

from mcp_local.errors import ToolkitError
from mcp_local.paths import fold_name
from mcp_local.workspace import Workspace

DOWNLOADS = "downloads"
_MAX_NAMESAKES = 500
_UNSAFE = re.compile(r"[^\w.() -]")
_NAME_CHARS = 60


def download_path(name: str) -> str:
    """A path in the folder of files from outside, for a name that somebody else chose."""
    last = re.split(r"[/\\]", name)[-1]
    plain = _UNSAFE.sub("_", last)[-_NAME_CHARS:].lstrip("-. ").rstrip(". ")
    return f"{DOWNLOADS}/{plain or 'file'}"


def is_download(workspace: Workspace, path: str) -> bool:
    """Whether the path lies in the folder of files from outside. Raises PathDenied."""
    parts = workspace.parts(path)
    return len(parts) > 1 and fold_name(parts[0]) == DOWNLOADS


def add_download(workspace: Workspace, path: str, data: bytes, max_bytes: int) -> Path:
    """Write into that folder under the first free name: what people sent is never replaced.

    A file that is there already, byte by byte, is not written again.
    """
    wanted = PurePosixPath(DOWNLOADS, *workspace.parts(path)[1:])
    for number in range(1, _MAX_NAMESAKES + 1):
        name = wanted.name if number == 1 else f"{wanted.stem}_{number}{wanted.suffix}"
        free = str(wanted.with_name(name))
        try:
            return workspace.write_bytes(free, data, exclusive=True, max_bytes=max_bytes)
        except FileExistsError:
            if workspace.holds(free, data):
                return workspace.root / free
    raise ToolkitError(f"There are already {_MAX_NAMESAKES} files named {wanted.name}.")
