"""The pages of a small web: how each address answers, and what a search engine knows of it."""

import gzip
import logging
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote_from_bytes, urlsplit

import yaml

PageKind = Literal["web", "news"]
_BUILT_IN = Path(__file__).with_name("pages")
_FOLDER_HOST = "pages.test"
_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_MAX_INDEXED_BYTES = 2_000_000
"""How much of one page the search engine reads."""


class NoPagesError(Exception):
    """A folder holds nothing that could be served; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One entry of the search index: the page as it looked when it was crawled."""

    url: str
    title: str
    text: str
    """The main text, one block a line, without markup."""
    date: datetime | None
    """When the page was published, with a time zone; None where the page does not say."""
    source: str
    """The publisher's name as a search result shows it."""
    kind: PageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One URL and everything about how it answers; the fields of an entry in `index.yaml`."""

    url: str
    file: Path | None = None
    """The bytes to send; None for a redirect."""
    status: int = 200
    location: str = ""
    """Where a redirect leads."""
    kind: PageKind | None = None
    """None: a page with a date counts as news."""
    source: str = ""
    """Empty: the name that the page gives itself, or its host."""
    date: datetime | None = None
    """None: the date that the page gives itself."""
    listed: bool = True
    """Whether the search engine knows this URL."""
    snapshot: Mapping[str, str] | None = None
    """Title and text that the search engine kept; None: it has what the file holds."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


def read_built_in(now: datetime) -> tuple[list[Document], Mapping[str, str]]:
    """The pages that come with the sandbox, and the text of robots.txt by host."""
    told = yaml.safe_load((_BUILT_IN / "index.yaml").read_text(encoding="utf-8"))
    return [_document(entry, now) for entry in told["pages"]], told["robots"]


def _document(entry: dict[str, Any], now: datetime) -> Document:
    """What an entry says. Its bytes lie in `<host>/<path>.html` unless it leads elsewhere."""
    parts = urlsplit(str(entry["url"]))
    path = parts.path.strip("/").removesuffix(".html")
    if "location" not in entry:
        entry["file"] = _BUILT_IN / (parts.hostname or "") / f"{path}.html"
    if (age_h := entry.pop("age_h", None)) is not None:
        entry["date"] = now - timedelta(hours=age_h)
    fields: dict[str, Any] = {"kind": "web", **entry}
    return Document(**fields)


def read_folder(folder: Path) -> list[Document]:
    """All pages in `folder` and below it.

    A page's URL is `http://pages.test/` and its path inside the folder, so it ends in the
    file's name (percent-encoded where a URL needs it).

    Raises:
        NoPagesError: the folder is missing or holds no page.
    """
    if not folder.is_dir():
        raise NoPagesError(f"{folder} is not a folder")
    documents = [
        Document(url=_url(file, folder), file=file)
        for file in sorted(folder.rglob("[!.]*"))
        if file.name.lower().endswith(_SUFFIXES)
    ]
    if not documents:
        raise NoPagesError(f"{folder} holds no page: none of its files ends in .html, .htm or .gz")
    return documents


def _url(file: Path, folder: Path) -> str:
    relative = os.fsencode(file.relative_to(folder).as_posix())
    return f"http://{_FOLDER_HOST}/{quote_from_bytes(relative)}"


def read_page(document: Document) -> Page | None:
    """What the search engine knows of a document, in some 20 ms; None where it has no text."""
    from trafilatura import bare_extraction, html2txt

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # a broken page is no news here
    head = read_bytes(document.file)[:_MAX_INDEXED_BYTES] if document.file else b""
    found: Any = bare_extraction(head, favor_recall=True, with_metadata=True) if head else None
    title = found.title if found else ""
    text: str = found.text if found and found.text else html2txt(head) if head else ""
    if document.snapshot is not None:
        title, text = document.snapshot["title"], document.snapshot["text"].strip()
    if not text.strip():
        return None
    date = document.date
    if date is None and found and found.date:
        date = datetime.fromisoformat(found.date).replace(tzinfo=UTC)
    return Page(
        url=document.url,
        title=title or document.url.rsplit("/", 1)[-1],
        text=text,
        date=date,
        source=document.source or (found.sitename if found else "") or document.host,
        kind=document.kind or ("news" if date else "web"),
    )


def read_bytes(file: Path) -> bytes:
    """A page file, unpacked; nothing where it cannot be read."""
    try:
        data = file.read_bytes()
        return gzip.decompress(data) if file.suffix.lower() == ".gz" else data
    except (OSError, EOFError, zlib.error):
        return b""
