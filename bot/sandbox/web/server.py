"""The small web: its pages, how each address answers, and what a search engine knows of them."""

import asyncio
import contextlib
import gzip
import logging
import os
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

import yaml
from aiohttp import web

from bot.sandbox.loopback import LOOPBACK, serve

_ALL_HOSTS = "*.test"
"""A pattern for every host: `.test` names exist nowhere else."""
_NOT_FOUND = (
    "<!doctype html><html><head><title>Page not found</title></head><body><h1>404</h1>"
    "<p>The page you are looking for has moved or never existed.</p></body></html>"
)
PageKind = Literal["web", "news"]
_BUILT_IN = Path(__file__).with_name("pages")
_FOLDER_HOST = "pages.test"
_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_MAX_INDEXED_BYTES = 2_000_000
"""How much of one page the search engine reads."""


class NoPagesError(Exception):
    """A folder holds nothing that could be served; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
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
class IndexEntry:
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


def read_built_in(now: datetime) -> tuple[list[IndexEntry], Mapping[str, str]]:
    """The pages that come with the sandbox, and the text of robots.txt by host."""
    told = yaml.load((_BUILT_IN / "index.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return [_document(entry, now) for entry in told["pages"]], told["robots"]


def _document(entry: dict[str, Any], now: datetime) -> IndexEntry:
    """What an entry says. Its bytes lie in `<host>/<path>.html` unless it leads elsewhere."""
    parts = urlsplit(str(entry["url"]))
    path = parts.path.strip("/").removesuffix(".html")
    if "location" not in entry:
        entry["file"] = _BUILT_IN / (parts.hostname or "") / f"{path}.html"
    if (age_h := entry.pop("age_h", None)) is not None:
        entry["date"] = now - timedelta(hours=age_h)
    fields: dict[str, Any] = {"kind": "web", **entry}
    return IndexEntry(**fields)


def read_folder(folder: Path) -> list[IndexEntry]:
    """All pages in `folder` and below it.

    A page's URL is `http://pages.test/` and its path inside the folder, so it ends in the
    file's name (percent-encoded where a URL needs it). Raises NoPagesError where the folder is
    missing or holds no page.
    """
    if not folder.is_dir():
        raise NoPagesError(f"{folder} is not a folder")
    documents = [
        IndexEntry(url=_url(file, folder), file=file)
        for file in sorted(folder.rglob("[!.]*"))
        if file.name.lower().endswith(_SUFFIXES)
    ]
    if not documents:
        raise NoPagesError(f"{folder} holds no page: none of its files ends in .html, .htm or .gz")
    return documents


def _url(file: Path, folder: Path) -> str:
    relative = os.fsencode(file.relative_to(folder).as_posix())
    return f"http://{_FOLDER_HOST}/{quote_from_bytes(relative)}"


def read_page(document: IndexEntry) -> WebPage | None:
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
    return WebPage(
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


class SmallWeb:
    """Serves pages by the Host header; an asynchronous context manager.

    A client reaches a page under its made-up name by dialling `127.0.0.1:port` for it, which
    is what `CRAWL_CONNECT` says in the words of curl's `--connect-to`. `robots` is by host.
    """

    def __init__(self, documents: Sequence[IndexEntry], robots: Mapping[str, str]) -> None:
        self.port = 0
        self._documents = {
            (each.host, unquote_to_bytes(urlsplit(each.url).path)): each for each in documents
        }
        self._hosts = {each.host for each in documents}
        self._robots = robots
        self._is_closed = threading.Event()
        self._open = contextlib.AsyncExitStack()
        self._listing: asyncio.Task[tuple[WebPage, ...]] | None = None

    @classmethod
    def builtin(cls, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Self:
        """The pages that come with the sandbox."""
        return cls(*read_built_in(clock()))

    @classmethod
    def folder(cls, folder: Path) -> Self:
        """The user's own pages; raises NoPagesError where there are none."""
        return cls(read_folder(folder), {})

    @property
    def environment(self) -> dict[str, str]:
        """What lets a bot open every page, and leads it here, as environment variables."""
        connect = f"{_ALL_HOSTS}={LOOPBACK}:{self.port}"
        return {"CRAWL_ALLOW": _ALL_HOSTS, "CRAWL_CONNECT": connect}

    async def ready(self) -> tuple[WebPage, ...]:
        """The search engine's entries; all pages are read when it is first asked for them."""
        if self._listing is None:
            self._listing = asyncio.create_task(asyncio.to_thread(self._list))
        return await asyncio.shield(self._listing)

    def _list(self) -> tuple[WebPage, ...]:
        listed = (each for each in self._documents.values() if each.listed)
        read = (read_page(each) for each in listed if not self._is_closed.is_set())
        return tuple(page for page in read if page is not None)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            app = web.Application()
            app.router.add_get("/{path:.*}", self._answer)
            self.port = await stack.enter_async_context(serve(app, sites=self._hosts))
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._is_closed.set()
        if self._listing is not None:
            await asyncio.wait([self._listing])
        await self._open.aclose()

    async def _answer(self, request: web.Request) -> web.Response:
        host = request.host.partition(":")[0].lower()
        path = unquote_to_bytes(request.raw_path.partition("?")[0])
        if path == b"/robots.txt" and host in self._robots:
            return web.Response(text=self._robots[host])
        document = self._documents.get((host, path))
        if document is None:
            return web.Response(status=404, text=_NOT_FOUND, content_type="text/html")
        if document.file is None:
            return web.Response(status=document.status, headers={"Location": document.location})
        body = await asyncio.to_thread(read_bytes, document.file)
        return web.Response(
            status=document.status, body=body, headers={"Content-Type": "text/html"}
        )
