"""The HTTP server of the small web: many host names on one loopback port."""

import asyncio
import contextlib
import gzip
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from aiohttp import web

from bot.sandbox.web.catalogue import PAGES, read_catalogue, read_clock
from bot.sandbox.web.folder import read_folder
from bot.sandbox.web.listing import list_pages
from bot.sandbox.web.page import Page
from bot.sandbox.web.site import Document, Site, decode_path, index_documents

LOOPBACK = "127.0.0.1"
ALL_HOSTS = "*.test"
"""A pattern for every host: `.test` names exist nowhere else."""
NOT_FOUND_HTML = (
    "<!doctype html><html><head><title>Page not found</title></head><body><h1>404</h1>"
    "<p>The page you are looking for has moved or never existed.</p></body></html>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request that the small web has answered."""

    host: str
    path: str
    status: int
    user_agent: str


class SmallWeb:
    """Serves a site by the Host header; an asynchronous context manager.

    A client reaches a page under its made-up name by dialling `127.0.0.1:port` for it, which
    is what `crawl_connect` says in the words of curl's `--connect-to`.
    """

    def __init__(self, site: Site) -> None:
        self.requests: list[Visit] = []
        self.hosts = site.hosts
        self.port = 0
        self._site = site
        self._documents = index_documents(site.documents)
        self._stop = threading.Event()
        self._open = contextlib.AsyncExitStack()
        self._listing: asyncio.Task[tuple[Page, ...]] | None = None

    @classmethod
    def builtin(cls, *, pace: float = 1.0, clock: Callable[[], datetime] = read_clock) -> Self:
        """The pages that come with the sandbox; `pace` multiplies the delay of the slow one."""
        return cls(read_catalogue(PAGES, now=clock(), pace=pace))

    @classmethod
    def folder(cls, folder: Path) -> Self:
        """The user's own pages; raises NoPagesError where there are none."""
        return cls(read_folder(folder))

    @property
    def crawl_allow(self) -> str:
        """The value for CRAWL_ALLOW that lets a crawler open every page."""
        return ALL_HOSTS

    @property
    def crawl_connect(self) -> str:
        """The value for CRAWL_CONNECT that leads a crawler to this server."""
        return f"{ALL_HOSTS}={LOOPBACK}:{self.port}"

    @property
    def pages(self) -> tuple[Page, ...]:
        """The search engine's entries; raises RuntimeError before `ready()` has returned."""
        if self._listing is None or not self._listing.done():
            raise RuntimeError("the pages are still being read: await ready() first")
        return self._listing.result()

    async def ready(self) -> tuple[Page, ...]:
        """The search engine's entries as soon as all pages are read."""
        if self._listing is None:
            raise RuntimeError("the small web is not open")
        return await asyncio.shield(self._listing)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            await self._listen(stack)
            self._listing = asyncio.create_task(self._list_pages())
            stack.push_async_callback(self._end_listing, self._listing)
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    async def _listen(self, stack: contextlib.AsyncExitStack) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, LOOPBACK, 0).start()
        self.port = int(runner.addresses[0][1])

    async def _list_pages(self) -> tuple[Page, ...]:
        return await asyncio.to_thread(list_pages, self._site, stopped=self._stop.is_set)

    async def _end_listing(self, listing: asyncio.Task[tuple[Page, ...]]) -> None:
        self._stop.set()
        await asyncio.wait([listing])

    async def _answer(self, request: web.Request) -> web.Response:
        host = request.host.partition(":")[0].lower()
        response = await self._respond(request, host)
        agent = request.headers.get("User-Agent", "")
        visit = Visit(host=host, path=request.raw_path, status=response.status, user_agent=agent)
        self.requests.append(visit)
        return response

    async def _respond(self, request: web.Request, host: str) -> web.Response:
        path = decode_path(request.raw_path)
        if host not in self.hosts:
            return web.Response(status=421, text=f"no site here is called {host!r}")
        if path == b"/robots.txt" and host in self._site.robots:
            return web.Response(text=self._site.robots[host])
        document = self._documents.get((host, path))
        if document is None:
            return web.Response(status=404, text=NOT_FOUND_HTML, content_type="text/html")
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        await asyncio.sleep(document.delay_s)
        return await send_document(document, request)


async def send_document(document: Document, request: web.Request) -> web.Response:
    """The document's answer, its file's bytes untouched."""
    if document.location is not None:
        return web.Response(status=document.status, headers={"Location": document.location})
    try:
        body = b"" if document.file is None else await asyncio.to_thread(document.file.read_bytes)
    except OSError:
        return web.Response(status=404, text=NOT_FOUND_HTML, content_type="text/html")
    headers = {"Content-Type": "text/html"}
    if document.file is not None and document.file.suffix.lower() == ".gz":
        body, encoding = await asyncio.to_thread(encode_body, body, request)
        headers |= encoding
    return web.Response(status=document.status, body=body, headers=headers)


def encode_body(packed: bytes, request: web.Request) -> tuple[bytes, dict[str, str]]:
    """The packed bytes with their encoding named, or unpacked for a client that cannot."""
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        with contextlib.suppress(OSError, EOFError, zlib.error):
            return gzip.decompress(packed), {}
    return packed, {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
