"""Reads the catalogue of the built-in pages: how each URL answers and what search knows of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bot.sandbox.web.page import PageKind
from bot.sandbox.web.site import Document, NoPagesError, Site, Snapshot

PAGES = Path(__file__).with_name("pages")


class StoredText(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    text: str


class Entry(BaseModel):
    """One URL in `index.yaml`. Its bytes lie in `<host>/<path>.html` unless it has none."""

    model_config = ConfigDict(extra="forbid")
    url: str
    source: str
    kind: PageKind = "web"
    date: AwareDatetime | None = None
    age_h: Annotated[float, Field(ge=0)] | None = None
    """In place of `date`: how old the page is whenever the sandbox starts."""
    status: int = 200
    location: str | None = None
    delay_s: Annotated[float, Field(ge=0, le=30)] = 0.0
    listed: bool = True
    snapshot: StoredText | None = None

    @property
    def has_file(self) -> bool:
        return self.location is None

    def relative_path(self) -> Path:
        """Where the page's bytes lie below the folder of the catalogue."""
        parts = urlsplit(self.url)
        path = parts.path.strip("/") or "index"
        name = path if path.endswith(".html") else f"{path}.html"
        return Path(parts.hostname or "") / name


class Catalogue(BaseModel):
    model_config = ConfigDict(extra="forbid")
    robots: dict[str, str] = {}
    pages: list[Entry]


def read_catalogue(folder: Path, *, now: datetime, pace: float = 1.0) -> Site:
    """The site that `index.yaml` in `folder` describes.

    `pace` multiplies every delay: 0 makes the slow page as quick as the others.
    Raises NoPagesError when a page's file is missing.
    """
    raw = yaml.safe_load((folder / "index.yaml").read_text(encoding="utf-8"))
    catalogue = Catalogue.model_validate(raw)
    documents = tuple(build_document(entry, folder, now, pace) for entry in catalogue.pages)
    return Site(documents=documents, robots=catalogue.robots)


def build_document(entry: Entry, folder: Path, now: datetime, pace: float) -> Document:
    """The document of one entry; raises NoPagesError when its file is missing."""
    file = folder / entry.relative_path() if entry.has_file else None
    if file is not None and not file.is_file():
        raise NoPagesError(f"{entry.url} is in the catalogue, but {file} is missing")
    age = None if entry.age_h is None else now - timedelta(hours=entry.age_h)
    return Document(
        url=entry.url,
        file=file,
        status=entry.status,
        location=entry.location,
        delay_s=entry.delay_s * pace,
        kind=entry.kind,
        source=entry.source,
        date=age or entry.date,
        listed=entry.listed,
        snapshot=None if entry.snapshot is None else Snapshot(**entry.snapshot.model_dump()),
    )


def read_clock() -> datetime:
    """The real time."""
    return datetime.now(UTC)
