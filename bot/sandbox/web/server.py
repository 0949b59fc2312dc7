"""The small web: its pages, how each address answers, and what a search engine knows of them."""

import asyncio
import contextlib
import gzip
import logging
import os
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

import yaml
from aiohttp import web

from bot.sandbox.loopback import LOOPBACK, serve
from bot.sandbox.web.search import PageKind, SearchEngine, WebPage

_ALL_HOSTS = "*.test"
"""A pattern for every host: `.test` names exist nowhere else."""
_NOT_FOUND = (
    "<!doctype html><html><head><title>Page not found</title></head><body><h1>404</h1>"
    "<p>The page you are looking for has moved or never existed.</p></body></html>"
)
_BUILT_IN = Path(__file__).with_name("pages")
_FOLDER_HOST = "pages.test"
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+test")
_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_MAX_INDEXED_BYTES = 2_000_000
"""How much of one page the search engine reads."""


class NoPagesError(Exception):
    """A folder holds nothing that could be served; the text says why."""


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
    """The pages that come with the sandbox, and the text of robots.txt by host.

    The bytes of a page lie in `<host>/<path>.html`.
    """
    index = (_BUILT_IN / "index.yaml").read_bytes()
    content = yaml.load(index, Loader=yaml.CSafeLoader)
    entries: list[IndexEntry] = []
    for page in content["pages"]:
        fields: dict[str, Any] = {"kind": "web", **page}
        if "age_h" in fields:
            fields["date"] = now - timedelta(hours=fields.pop("age_h"))
        entry = IndexEntry(**fields)
        if not entry.location:
            path = urlsplit(entry.url).path.strip("/").removesuffix(".html")
            entry = replace(entry, file=_BUILT_IN / entry.host / f"{path}.html")
        entries.append(entry)
    return entries, content["robots"]


def read_folder(folder: Path) -> list[IndexEntry]:
    """All pages in `folder` and below it.

    A page's URL is `http://pages.test/` and its path inside the folder, so it ends in the
    file's name (percent-encoded where a URL needs it); below a folder such as `news.test` that
    is its host. Raises NoPagesError where the folder is
    missing or holds no page.
    """
    if not folder.is_dir():
        raise NoPagesError(f"{folder} is not a folder")
    entries: list[IndexEntry] = []
    for file in sorted(folder.rglob("[!.]*")):
        if file.name.lower().endswith(_SUFFIXES):
            inside = file.relative_to(folder)
            top = inside.parts[0]
            host = _FOLDER_HOST
            if _HOST.fullmatch(top):
                host = top
                inside = inside.relative_to(top)
            path = os.fsencode(inside.as_posix())
            url = f"http://{host}/{quote_from_bytes(path)}"
            entries.append(IndexEntry(url=url, file=file))
    if not entries:
        raise NoPagesError(f"{folder} holds no page: none of its files ends in .html, .htm or .gz")
    return entries


def read_page(entry: IndexEntry) -> WebPage | None:
    """What the search engine knows of an entry, in some 20 ms; None where it has no text."""
    from trafilatura import bare_extraction, html2txt

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # a broken page is no news here
    title = ""
    text = ""
    date = entry.date
    source = entry.source or entry.host
    data = read_bytes(entry.file)[:_MAX_INDEXED_BYTES] if entry.file else b""
    if data:
        # Not `extensive_search`: a date in the text is no day of publication.
        dates = {"original_date": True, "extensive_search": False}
        article: Any = bare_extraction(
            data, favor_recall=True, with_metadata=True, date_extraction_params=dates
        )
        if article:
            title = article.title
            text = article.text
            source = entry.source or article.sitename or source
            if article.date and date is None:
                date = datetime.fromisoformat(article.date).replace(tzinfo=UTC)
        text = text or html2txt(data)
    if entry.snapshot is not None:
        title = entry.snapshot["title"]
        text = entry.snapshot["text"].strip()
    if not text.strip():
        return None
    return WebPage(
        url=entry.url,
        title=title or entry.url.rsplit("/", 1)[-1],
        text=text,
        date=date,
        source=source,
        kind=entry.kind or ("news" if date else "web"),
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

    def __init__(self, entries: Sequence[IndexEntry], robots: Mapping[str, str]) -> None:
        self.port = 0
        self.delay_s = 0.0
        """Of every page."""
        self._entries: dict[tuple[str, bytes], IndexEntry] = {}
        for entry in entries:
            path = unquote_to_bytes(urlsplit(entry.url).path)
            self._entries[entry.host, path] = entry
        self._robots = robots
        self._pages: list[WebPage] | None = None
        self._reading = asyncio.Lock()
        self._engine = SearchEngine(self.ready)
        self._open = contextlib.AsyncExitStack()

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
        """What lets a bot open and search every page, and leads it here, as its environment."""
        connect = f"{_ALL_HOSTS}={LOOPBACK}:{self.port}"
        return {
            "CRAWL_ALLOW": _ALL_HOSTS,
            "CRAWL_CONNECT": connect,
            "SEARCH_BACKEND": f"http://{LOOPBACK}:{self.port}",
        }

    async def ready(self) -> Sequence[WebPage]:
        """The search engine's pages; all are read when it is first asked for them."""
        async with self._reading:
            if self._pages is None:
                self._pages = await asyncio.to_thread(self._read)
        return self._pages

    def _read(self) -> list[WebPage]:
        listed = [entry for entry in self._entries.values() if entry.listed]
        return list(filter(None, map(read_page, listed)))

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        hosts = {host for host, _ in self._entries}
        self.port = await self._open.enter_async_context(serve(app, sites=hosts))
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    async def _answer(self, request: web.Request) -> web.Response:
        host = request.host.partition(":")[0].lower()
        path = unquote_to_bytes(request.raw_path.partition("?")[0])
        if path == b"/robots.txt" and host in self._robots:
            return web.Response(text=self._robots[host])
        if host == LOOPBACK and path == b"/search":
            kind = "news" if request.query.get("categories") == "news" else "web"
            return web.json_response(await self._engine.json(request.query.get("q", ""), kind))
        entry = self._entries.get((host, path))
        if entry is None:
            return web.Response(status=404, text=_NOT_FOUND, content_type="text/html")
        if entry.file is None:
            return web.Response(status=entry.status, headers={"Location": entry.location})
        await asyncio.sleep(self.delay_s)
        body = await asyncio.to_thread(read_bytes, entry.file)
        return web.Response(
            status=entry.status,
            body=body,
            headers={"Content-Type": "text/html"},
        )
