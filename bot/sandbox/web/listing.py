"""Builds what the search engine knows of a site: one entry for each page it could read."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

from bot.sandbox.web.page import Page
from bot.sandbox.web.site import Document, Site
from bot.sandbox.web.text import PageText, read_html

MAX_INDEXED_BYTES = 2_000_000
"""How much of one page the search engine reads."""


def list_pages(site: Site, *, stopped: Callable[[], bool] = lambda: False) -> tuple[Page, ...]:
    """The entries of all listed documents that hold text; takes about 10 ms a page.

    Unreadable and empty files have none. Gives up early, with what it has, once `stopped`
    says so.
    """
    pages: list[Page] = []
    for document in site.documents:
        if stopped():
            break
        if document.listed and (page := build_page(document)) is not None:
            pages.append(page)
    return tuple(pages)


def build_page(document: Document) -> Page | None:
    """The search engine's entry of a document, or None where it has no text."""
    found = _read_text(document)
    if not found.text:
        return None
    date = document.date or found.date
    return Page(
        url=document.url,
        title=found.title or document.url.rsplit("/", 1)[-1],
        text=found.text,
        date=date,
        source=document.source or found.site_name or document.host,
        kind=document.kind or ("news" if date else "web"),
    )


def _read_text(document: Document) -> PageText:
    stored = document.snapshot
    if stored is not None:
        return PageText(title=stored.title, text=stored.text.strip(), date=None, site_name=None)
    return read_html(b"" if document.file is None else _read_head(document.file))


def _read_head(file: Path) -> bytes:
    """The first part of a page file, unpacked; what a broken archive still gives, or nothing."""
    head = bytearray()
    try:
        with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            while len(head) < MAX_INDEXED_BYTES and (chunk := stream.read1(64 * 1024)):
                head += chunk
    except (OSError, EOFError, zlib.error):
        pass
    return bytes(head)
