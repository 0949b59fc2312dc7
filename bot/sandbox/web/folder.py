"""Finds the pages of a folder that the user brings along."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote_from_bytes

from bot.sandbox.web.site import Document, NoPagesError, Site

HOST = "pages.test"
SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")


def read_folder(folder: Path) -> Site:
    """The site of all pages in `folder` and below it.

    A page's URL is `http://pages.test/` and its path inside the folder, so it ends in the
    file's name (percent-encoded where a URL needs it). Raises NoPagesError when the folder
    is missing or holds no page.
    """
    if not folder.is_dir():
        raise NoPagesError(f"{folder} is not a folder")
    documents = tuple(Document(url=build_url(file, folder), file=file) for file in walk(folder))
    if not documents:
        raise NoPagesError(f"{folder} holds no page: none of its files ends in .html, .htm or .gz")
    return Site(documents=documents)


def walk(folder: Path) -> Iterator[Path]:
    """The page files below `folder` in a stable order, hidden names and linked folders left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if _is_page(name) and (file := Path(parent, name)).is_file():
                yield file


def _is_page(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(SUFFIXES)


def build_url(file: Path, folder: Path) -> str:
    """The page's URL; names that are not valid Unicode keep their bytes."""
    relative = os.fsencode(file.relative_to(folder).as_posix())
    return f"http://{HOST}/{quote_from_bytes(relative)}"
