"""The name of a report's file: topic, month, year, and a version that is never overwritten."""

import re
import unicodedata
from datetime import date
from pathlib import PurePosixPath

from mcp_local.errors import ToolkitError
from mcp_local.workspace import Workspace

REPORTS_DIRECTORY = "work_products"
MAX_SLUG_CHARS = 60
_MAX_VERSIONS = 500
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
    """Write the report under the first free name and return its path relative to the session."""
    stem = f"{topic_slug(title)}_{_MONTHS[day.month - 1]}_{day.year}"
    for version in range(1, _MAX_VERSIONS + 1):
        suffix = "" if version == 1 else f"_v{version}"
        path = str(PurePosixPath(REPORTS_DIRECTORY) / f"{stem}{suffix}.html")
        try:
            workspace.write_text(path, html, exclusive=True)
        except FileExistsError:
            continue
        return path
    raise ToolkitError(f"There are already {_MAX_VERSIONS} versions of this report.")
