"""Crawler: reads a batch of pages for a session: permission, fetch, main text, file, one row each.

What failed for good is for the bot to remember: its blacklist comes with each call, and each row
says whether its page or its host is gone.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Hashable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

from cachetools import LRUCache

from mcp_local.browser import Browsers
from mcp_local.claims.language import measured_language
from mcp_local.errors import FetchDenied, FetchFailed, HostGone, NeedsBrowser, ToolkitError
from mcp_local.extract import NO_TEXT, ExtractedPage
from mcp_local.extract.reader import Readers, read_page
from mcp_local.fair_semaphore import FairSemaphore
from mcp_local.fetch.client import Client, FetchedPage, Manners, Validators
from mcp_local.sources import (
    StoredPage,
    find_page,
    host_of,
    page_files,
    page_path,
    save_page,
)
from mcp_local.workspace import Workspace

MAX_PAGES_PER_SESSION = 2_000
"""In its directory; what is being fetched at the moment may come on top."""

MAX_KEPT_CHARS = 16_000_000
"""Of the articles that are kept for other sessions."""

MAX_AT_ONCE = 20
MAX_AT_ONCE_PER_SESSION = 10
MAX_AT_ONCE_PER_HOST = 4

CrawlProgress = Callable[[int, int], Awaitable[None]]
"""Progress callback: how many pages are done, and of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Result of one URL."""

    url: str
    status: str
    """`success`, or `failed: ` and why."""
    title: str = ""
    words: int = 0
    path: str = ""
    note: str = ""
    """What of the page's text is left out."""
    gone: Literal["", "page", "host"] = ""
    """What failed for good: trying it again is pointless."""

    @property
    def ok(self) -> bool:
        """Whether the page's text is in its file."""
        return self.status == "success"


class Crawler:
    """Reads pages for all sessions of this process, within the limits of each."""

    def __init__(
        self,
        open_client: Callable[[], Client],
        browsers: Browsers,
    ) -> None:
        self._open_client = open_client
        self._readers = Readers()
        self._browsers = browsers
        self._manners = Manners(time.monotonic)
        self._kept: LRUCache[str, tuple[ExtractedPage, Validators]] = LRUCache(
            MAX_KEPT_CHARS, getsizeof=lambda entry: 1_000 + len(entry[0].markdown)
        )
        """By URL: articles that any session may be served, asked for anew by their validators."""
        self._all = FairSemaphore(MAX_AT_ONCE)
        self._shares: WeakValueDictionary[Hashable, FairSemaphore] = WeakValueDictionary()
        """By host and by session."""

    async def crawl(
        self,
        workspace: Workspace,
        urls: list[str],
        progress: CrawlProgress,
        blocked: Collection[str] = (),
    ) -> list[Row]:
        """One row for each different URL, in order; a page read before comes from its file.

        `blocked` URLs are not opened: they failed too often in the last days.
        """
        unique = list({page_path(url): url for url in reversed(urls)}.values())[::-1]
        done = 0

        async def row(client: Client, url: str) -> Row:
            nonlocal done
            result = await self._row(client, workspace, url, is_blocked=url in blocked)
            done += 1
            await progress(done, len(unique))
            return result

        async with self._open_client() as client, asyncio.TaskGroup() as group:
            tasks = [group.create_task(row(client, url)) for url in unique]
        return [task.result() for task in tasks]

    async def _row(
        self, client: Client, workspace: Workspace, url: str, *, is_blocked: bool
    ) -> Row:
        page = await asyncio.to_thread(find_page, workspace, url)
        try:
            if page is None and is_blocked:
                raise FetchDenied("blocked by earlier failures")
            page = page or await self._read(client, workspace, url)
        except HostGone as error:
            return Row(url=url, status=f"failed: {error}", gone="host")
        except ToolkitError as error:
            is_gone = isinstance(error, FetchFailed) and error.permanent
            return Row(url=url, status=f"failed: {error}", gone="page" if is_gone else "")
        return Row(
            url=url,
            status="success",
            title=page.title,
            words=page.words,
            path=page.path,
            note=page.note,
        )

    async def _read(self, client: Client, workspace: Workspace, url: str) -> StoredPage:
        session = workspace.root
        async with (
            self._share(host_of(url), MAX_AT_ONCE_PER_HOST, session),
            self._share(session, MAX_AT_ONCE_PER_SESSION, session),
            self._all.slot(session),
        ):
            if len(await asyncio.to_thread(page_files, workspace)) >= MAX_PAGES_PER_SESSION:
                raise FetchDenied(f"this session has used its {MAX_PAGES_PER_SESSION:,} pages")
            fetched_at = datetime.now(UTC)
            kept, validators = self._kept.get(url) or (None, ())
            page = await client.page(url, self._manners, validators)
            try:
                article = kept if page.is_unchanged else await self._article(page, session)
            except NeedsBrowser:
                article = None
            page = replace(page, content="")  # it lies in memory no longer than its slots are held
        if article and page.validators:
            with suppress(ValueError):  # it is larger than all that may be kept
                self._kept[url] = (article, page.validators)
        if article is None:
            article = await self._rendered(page.final_url, session)
        stored = StoredPage(
            url=url,
            final_url=article.canonical_url or page.final_url,
            title=article.title or page.final_url,
            description=article.description,
            fetched_at=fetched_at,
            words=len(article.markdown.split()),
            path=page_path(url),
            markdown=article.markdown,
            publisher=article.publisher,
            author=article.author,
            language=article.language or measured_language(article.markdown),
            published=article.published,
            note=article.note,
        )
        await asyncio.to_thread(save_page, workspace, stored)
        return stored

    def _share(self, key: Hashable, count: int, session: Path) -> AbstractAsyncContextManager[None]:
        return self._shares.setdefault(key, FairSemaphore(count)).slot(session)

    async def _rendered(self, url: str, session: Path) -> ExtractedPage:
        html = await self._browsers.render(url, session=session)
        try:
            page = FetchedPage(final_url=url, kind="html", content=html)
            return await self._article(page, session)
        except NeedsBrowser:
            raise FetchFailed(f"{NO_TEXT}, in a browser neither") from None

    async def _article(self, page: FetchedPage, session: Path) -> ExtractedPage:
        return await self._readers.run(
            read_page,
            page.kind,
            page.content,
            page.final_url,
            session=session,
        )
