"""The web search: the pages in a full-text index of SQLite, the best first."""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from bot.sandbox.composio.records import Data
from bot.sandbox.web import PageLoader, WebPage

_INDEX = """CREATE VIRTUAL TABLE pages USING fts5(
    title, text, tokenize = 'porter unicode61 remove_diacritics 2')"""
_FIND = """SELECT rowid, snippet(pages, 1, '', '', '…', 40) FROM pages
    WHERE pages MATCH ? ORDER BY bm25(pages, 4.0, 1.0)"""
"""A word in the title counts as four in the text."""
_IDLE = """a about an and are at be by can do does for from how in is it its of on or say that the
their they this to was were what when where which who why will with your"""
"""Words that no page is looked for by."""
_ANSWERING = 3
"""How many of the first pages the short answer quotes."""
_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 31, "y": 366}
_WHEN = re.compile(r"(\d{0,3})([hdwmy])")


class SearchEngine:
    """Searches pages, which are read at the first search."""

    def __init__(self, load: PageLoader, clock: Callable[[], datetime]) -> None:
        self._load = load
        self._clock = clock
        self._pages: Sequence[WebPage] = ()
        self._index: sqlite3.Connection | None = None
        self._loading = asyncio.Lock()

    async def web(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_WEB: the pages, and an answer out of the first of them."""
        citations: list[Data] = []
        quotes: list[str] = []
        hits = await self._find(given["query"])
        for page, snippet in hits[: given["num_results"]]:
            quotes.append(f"{snippet} ([{page.title}]({page.url}))")
            citation = {
                "id": page.url,
                "url": page.url,
                "title": page.title,
                "snippet": snippet,
            }
            if page.date:
                citation["snippet"] = f"{_write_date(page.date)} · {snippet}"
            citations.append(citation)
        return {
            "answer": " ".join(quotes[:_ANSWERING]),
            "citations": citations,
        }

    async def news(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_NEWS: articles, within a range of time where one is asked for."""
        since = None
        span = _WHEN.fullmatch(given.get("when", ""))
        if span:
            days = int(span[1] or 1) * _DAYS[span[2]]
            since = self._clock() - timedelta(days=days)
        results: list[Data] = []
        for page, snippet in await self._find(given["query"]):
            is_old = since and (page.date is None or page.date < since)
            if page.kind == "web" or is_old:
                continue
            result = {
                "position": len(results) + 1,
                "title": page.title,
                "link": page.url,
                "source": page.source,
                "snippet": snippet,
            }
            if page.date:
                result["date"] = _write_date(page.date)
            results.append(result)
        return {"news_results": results[: given["num_results"]]}

    async def _find(self, query: str) -> list[tuple[WebPage, str]]:
        """The pages that hold a word of the query, with their snippets."""
        async with self._loading:
            if self._index is None:
                self._pages = await self._load()
                self._index = await asyncio.to_thread(_index_of, self._pages)
        idle = _IDLE.split()
        words = re.findall(r"\w+", query.casefold())
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


def _write_date(date: datetime) -> str:
    return f"{date:%b} {date.day}, {date.year}"
