"""The HTTP server of the small web: many host names on one loopback port."""

import asyncio
import contextlib
import gzip
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from aiohttp import web

from bot.sandbox.web.site import (
    Document,
    Page,
    Site,
    decode_path,
    list_pages,
    read_built_in,
    read_folder,
)

_LOOPBACK = "127.0.0.1"
_ALL_HOSTS = "*.test"
"""A pattern for every host: `.test` names exist nowhere else."""
_NOT_FOUND = (
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
        self.hosts = tuple(sorted({document.host for document in site.documents}))
        self.port = 0
        self._site = site
        self._documents = {
            (each.host, decode_path(urlsplit(each.url).path)): each for each in site.documents
        }
        self._stop = threading.Event()
        self._open = contextlib.AsyncExitStack()
        self._listing: asyncio.Task[tuple[Page, ...]] | None = None

    @classmethod
    def builtin(
        cls, *, pace: float = 1.0, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> Self:
        """The pages that come with the sandbox; `pace` multiplies the delay of the slow one."""
        return cls(read_built_in(now=clock(), pace=pace))

    @classmethod
    def folder(cls, folder: Path) -> Self:
        """The user's own pages; raises NoPagesError where there are none."""
        return cls(read_folder(folder))

    @property
    def crawl_allow(self) -> str:
        """The value for CRAWL_ALLOW that lets a crawler open every page."""
        return _ALL_HOSTS

    @property
    def crawl_connect(self) -> str:
        """The value for CRAWL_CONNECT that leads a crawler to this server."""
        return f"{_ALL_HOSTS}={_LOOPBACK}:{self.port}"

    async def ready(self) -> tuple[Page, ...]:
        """The search engine's entries; all pages are read when it is first asked for them."""
        if self._listing is None:
            self._listing = asyncio.create_task(
                asyncio.to_thread(list_pages, self._site, stopped=self._stop.is_set)
            )
        return await asyncio.shield(self._listing)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            app = web.Application()
            app.router.add_route("*", "/{path:.*}", self._answer)
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, _LOOPBACK, 0).start()
            self.port = int(runner.addresses[0][1])
            stack.push_async_callback(self._end_listing)
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    async def _end_listing(self) -> None:
        self._stop.set()
        if self._listing is not None:
            await asyncio.wait([self._listing])

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
            return web.Response(status=404, text=_NOT_FOUND, content_type="text/html")
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405, headers={"Allow": "GET, HEAD"})
        await asyncio.sleep(document.delay_s)
        return await _send(document, request)


async def _send(document: Document, request: web.Request) -> web.Response:
    """The document's answer, its file's bytes untouched; unpacked for a client that cannot."""
    if document.file is None:
        location = {"Location": document.location or ""}
        return web.Response(status=document.status, headers=location)
    try:
        body = await asyncio.to_thread(document.file.read_bytes)
    except OSError:
        return web.Response(status=404, text=_NOT_FOUND, content_type="text/html")
    headers = {"Content-Type": "text/html"}
    if document.file.suffix.lower() == ".gz":
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        else:
            with contextlib.suppress(OSError, EOFError, zlib.error):
                body = await asyncio.to_thread(gzip.decompress, body)
    return web.Response(status=document.status, body=body, headers=headers)
