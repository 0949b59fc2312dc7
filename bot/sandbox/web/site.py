"""What the small web serves: documents, robots.txt files, and how a request finds its document."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from bot.sandbox.web.page import PageKind


class NoPagesError(Exception):
    """A folder or a catalogue holds nothing that could be served; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What the search engine stored when a page could still be read."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One URL and everything about how it answers."""

    url: str
    file: Path | None
    """The bytes to send; None for a redirect or a page that is gone."""
    status: int = 200
    location: str | None = None
    """Where a redirect leads."""
    delay_s: float = 0.0
    kind: PageKind | None = None
    """None: a page with a date counts as news."""
    source: str | None = None
    """None: the name that the page gives itself, or its host."""
    date: datetime | None = None
    """None: the date that the page gives itself."""
    listed: bool = True
    """Whether the search engine knows this URL."""
    snapshot: Snapshot | None = None
    """None: the search engine has what the file holds."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """All documents of a small web by host and path."""

    documents: tuple[Document, ...]
    robots: Mapping[str, str] = field(default_factory=dict[str, str])
    """The text of robots.txt by host; a host that is not here has none."""

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(sorted({document.host for document in self.documents}))


def index_documents(documents: Iterable[Document]) -> dict[tuple[str, bytes], Document]:
    """The documents by host and decoded path; the query of a URL plays no part."""
    return {(doc.host, decode_path(urlsplit(doc.url).path)): doc for doc in documents}


def decode_path(raw_path: str) -> bytes:
    """The bytes that a percent-encoded path stands for, so that two spellings of it are equal."""
    return unquote_to_bytes(raw_path.partition("?")[0])
