"""The search engine of the small web: its pages in a full-text index of SQLite."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

PageKind = Literal["web", "news"]
_INDEX = """CREATE VIRTUAL TABLE pages USING fts5(
    title, text, tokenize = 'porter unicode61 remove_diacritics 2')"""
_FIND = """SELECT rowid, snippet(pages, 1, '', '', '…', 40) FROM pages
    WHERE pages MATCH ? ORDER BY bm25(pages, 4.0, 1.0)"""
"""A word in the title counts as four in the text."""
_IDLE = """a about an and are at be by can do does for from how in is it its of on or say that the
their they this to was were what when where which who why will with your"""
"""Words that no page is looked for by."""


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


PageLoader = Callable[[], Awaitable[Sequence[WebPage]]]
"""Brings the pages that a search engine knows, such as `SmallWeb.ready`."""


async def no_pages() -> Sequence[WebPage]:
    """The pages of a web that has none."""
    return ()


class SearchEngine:
    """Searches pages, which are read at the first search."""

    def __init__(self, load: PageLoader) -> None:
        self._load = load
        self._pages: Sequence[WebPage] = ()
        self._index: sqlite3.Connection | None = None

    async def web(self, given: dict[str, Any]) -> dict[str, Any]:
        """COMPOSIO_SEARCH_WEB: the pages, the best first."""
        hits = await self.find(given["query"])
        citations = [
            {
                "id": page.url,
                "url": page.url,
                "title": page.title,
                "snippet": " · ".join(filter(None, (_write_date(page.date), snippet))),
            }
            for page, snippet in hits[: given["num_results"]]
        ]
        return {"citations": citations}

    async def news(self, given: dict[str, Any]) -> dict[str, Any]:
        """COMPOSIO_SEARCH_NEWS: articles, the best first."""
        hits = await self.find(given["query"])
        results = [
            {
                "title": page.title,
                "link": page.url,
                "source": page.source,
                "snippet": snippet,
                "date": _write_date(page.date),
            }
            for page, snippet in hits
            if page.kind == "news"
        ]
        return {"news_results": results[: given["num_results"]]}

    async def json(self, query: str, kind: PageKind) -> dict[str, Any]:
        """The same pages in the form of a SearXNG."""
        results = [
            {
                "title": page.title,
                "url": page.url,
                "content": snippet,
                "publishedDate": page.date and page.date.isoformat(),
                "source": page.source,
            }
            for page, snippet in await self.find(query)
            if kind in ("web", page.kind)
        ]
        return {"query": query, "results": results}

    async def find(self, query: str) -> list[tuple[WebPage, str]]:
        """The pages that hold a word of the query, with their snippets."""
        if self._index is None:
            self._pages = await self._load()
            self._index = await asyncio.to_thread(_index_of, self._pages)
        idle = _IDLE.split()
        words = re.findall(r"\w+", query.lower())
        wanted = [f'"{word}"' for word in words if word not in idle]
        expression = " OR ".join(wanted) or '""'
        rows = self._index.execute(_FIND, [expression])
        return [(self._pages[row_id], " ".join(snippet.split())) for row_id, snippet in rows]


def _index_of(pages: Sequence[WebPage]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(_INDEX)
    for row_id, page in enumerate(pages):
        row = (row_id, page.title, page.text)
        index.execute("INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)", row)
    return index


def _write_date(date: datetime | None) -> str:
    return f"{date:%b} {date.day}, {date.year}" if date else ""
