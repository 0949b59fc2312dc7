"""The HTTP server of the small web: many host names on one loopback port."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from urllib.parse import unquote_to_bytes, urlsplit

from aiohttp import web

from bot.sandbox.web.site import Document, Page, read_built_in, read_bytes, read_folder, read_page

_LOOPBACK = "127.0.0.1"
_ALL_HOSTS = "*.test"
"""A pattern for every host: `.test` names exist nowhere else."""
_NOT_FOUND = (
    "<!doctype html><html><head><title>Page not found</title></head><body><h1>404</h1>"
    "<p>The page you are looking for has moved or never existed.</p></body></html>"
)


class SmallWeb:
    """Serves pages by the Host header; an asynchronous context manager.

    A client reaches a page under its made-up name by dialling `127.0.0.1:port` for it, which
    is what `crawl_connect` says in the words of curl's `--connect-to`.

    Args:
        documents: How each address answers.
        robots: The text of robots.txt by host; a host that is not here has none.
    """

    def __init__(self, documents: Sequence[Document], robots: Mapping[str, str]) -> None:
        self.port = 0
        self._documents = {
            (each.host, unquote_to_bytes(urlsplit(each.url).path)): each for each in documents
        }
        self._hosts = {each.host for each in documents}
        self._robots = robots
        self._is_closed = threading.Event()
        self._open = contextlib.AsyncExitStack()
        self._listing: asyncio.Task[tuple[Page, ...]] | None = None

    @classmethod
    def builtin(cls, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Self:
        """The pages that come with the sandbox."""
        return cls(*read_built_in(clock()))

    @classmethod
    def folder(cls, folder: Path) -> Self:
        """The user's own pages; raises NoPagesError where there are none."""
        return cls(read_folder(folder), {})

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
            self._listing = asyncio.create_task(asyncio.to_thread(self._list))
        return await asyncio.shield(self._listing)

    def _list(self) -> tuple[Page, ...]:
        listed = (each for each in self._documents.values() if each.listed)
        read = (read_page(each) for each in listed if not self._is_closed.is_set())
        return tuple(page for page in read if page is not None)

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            app = web.Application()
            app.router.add_get("/{path:.*}", self._answer)
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
            await runner.setup()
            stack.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, _LOOPBACK, 0).start()
            self.port = int(runner.addresses[0][1])
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
        if host not in self._hosts:
            return web.Response(status=421, text=f"no site here is called {host!r}")
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
