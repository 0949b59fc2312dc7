"""The name of a report's file: topic, month, year, and a version that is never overwritten."""

import re
import threading
import unicodedata
from collections.abc import Iterator
from datetime import date
from pathlib import PurePosixPath

from mcp_local.errors import PathDenied, ToolkitError
from mcp_local.workspace import Workspace

REPORTS_DIRECTORY = "work_products"
MAX_SLUG_CHARS = 60
_MAX_VERSIONS = 500
_DATE = re.compile(rb"<time .*?</time>", re.DOTALL)
_WRITING = threading.Lock()
"""An empty page seen under it was begun by a process that died, not by another call."""
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


def topic_slug(title: str) -> str:
    """The title in lower-case ASCII with underscores; `report` if nothing is left of it."""
    plain = unicodedata.normalize("NFKD", title.replace("ß", "ss")).encode("ascii", "ignore")
    words = re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", plain.decode().lower()))  # noqa: RUF001
    slug = "_".join(words)
    if len(slug) > MAX_SLUG_CHARS:
        slug = slug[: MAX_SLUG_CHARS + 1].rpartition("_")[0] or slug[:MAX_SLUG_CHARS]
    return slug or "report"


def write_new_version(workspace: Workspace, title: str, day: date, html: str) -> str:
    """Write the report under the first free name and return its path relative to the session.

    A version that says the same, but for its date, is left as it is and named instead.
    """
    said = _undated(html.encode(errors="replace"))
    with _WRITING:
        for path in _names(title, day):
            try:
                workspace.write_text(path, html, exclusive=True)
            except FileExistsError:
                earlier = _read(workspace, path)
                if earlier == b"":
                    workspace.write_text(path, html)
                elif earlier is None or _undated(earlier) != said:
                    continue
            return path
    raise ToolkitError(f"There are already {_MAX_VERSIONS} versions of this report.")


def _names(title: str, day: date) -> Iterator[str]:
    stem = f"{topic_slug(title)}_{_MONTHS[day.month - 1]}_{day.year}"
    for version in range(1, _MAX_VERSIONS + 1):
        suffix = "" if version == 1 else f"_v{version}"
        yield str(PurePosixPath(REPORTS_DIRECTORY) / f"{stem}{suffix}.html")


def _read(workspace: Workspace, path: str) -> bytes | None:
    try:
        return workspace.read_bytes(path)
    except PathDenied:
        return None


def _undated(page: bytes) -> bytes:
    """The page without the first date in it, which is that of its making."""
    return _DATE.sub(b"", page, count=1)
