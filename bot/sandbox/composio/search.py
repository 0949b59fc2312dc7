"""The web search: the pages in a full-text index of SQLite, the best first."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from bot.sandbox.composio.records import Data
from bot.sandbox.web import WebPage

PageSource = Sequence[WebPage] | Callable[[], Awaitable[Sequence[WebPage]]]
Hit = tuple[WebPage, str]
"""A page and its snippet."""

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
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24, "y": 366 * 24}
_AGES = (("week", 7 * 24), ("day", 24), ("hour", 1))
_MAX_AGE = timedelta(weeks=4)
"""Older pages are shown with their date."""
_WHEN = re.compile(r"\s*(\d{0,3})\s*([hdwmy])\s*", re.IGNORECASE)


class SearchEngine:
    """Searches pages, which are read at the first search."""

    def __init__(self, pages: PageSource, clock: Callable[[], datetime]) -> None:
        self._source = pages
        self._clock = clock
        self._index: asyncio.Task[tuple[Sequence[WebPage], sqlite3.Connection]] | None = None

    async def web(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_WEB: the pages, and an answer out of the first of them."""
        hits = await self._find(given["query"])
        hits = hits[: given["num_results"]]
        quotes = [f"{snippet} ([{page.title}]({page.url}))" for page, snippet in hits[:_ANSWERING]]
        return {
            "answer": " ".join(quotes),
            "citations": [_citation(page, snippet) for page, snippet in hits],
        }

    async def news(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_NEWS: articles, within a range of time where one is asked for."""
        now = self._clock()
        hits = [hit for hit in await self._find(given["query"]) if hit[0].kind == "news"]
        span = _WHEN.fullmatch(given.get("when", ""))
        if span:
            hours = int(span[1] or 1) * _HOURS[span[2].lower()]
            since = now - timedelta(hours=hours)
            hits = [(page, snippet) for page, snippet in hits if page.date and page.date >= since]
        results: list[Data] = []
        for position, (page, snippet) in enumerate(hits[: given["num_results"]], start=1):
            result = {
                "position": position,
                "title": page.title,
                "link": page.url,
                "source": page.source,
                "snippet": snippet,
            }
            if page.date:
                result["date"] = _describe_date(page.date, now)
            results.append(result)
        return {"news_results": results}

    async def close(self) -> None:
        """Cancel the reading of the pages."""
        if self._index is not None:
            self._index.cancel()
            await asyncio.wait([self._index])

    async def _find(self, query: str) -> list[Hit]:
        """The pages that hold a word of the query."""
        if self._index is None:
            self._index = asyncio.create_task(self._read())
        pages, index = await asyncio.shield(self._index)
        idle = _IDLE.split()
        words = re.findall(r"\w+", query.casefold())
        wanted = [f'"{word}"' for word in words if word not in idle]
        expression = " OR ".join(wanted) or '""'
        rows = await asyncio.to_thread(lambda: index.execute(_FIND, [expression]).fetchall())
        return [(pages[row_id], " ".join(snippet.split())) for row_id, snippet in rows]

    async def _read(self) -> tuple[Sequence[WebPage], sqlite3.Connection]:
        pages = await self._source() if callable(self._source) else self._source
        return pages, await asyncio.to_thread(_index_of, pages)


def _citation(page: WebPage, snippet: str) -> Data:
    date = f"{_write_date(page.date)} · " if page.date else ""
    return {"id": page.url, "url": page.url, "title": page.title, "snippet": date + snippet}


def _index_of(pages: Sequence[WebPage]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(_INDEX)
    rows = [(row_id, page.title, page.text) for row_id, page in enumerate(pages)]
    index.executemany("INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)", rows)
    return index


def _describe_date(date: datetime, now: datetime) -> str:
    """How old a page of the last four weeks is ("2 hours ago"), else its date ("Jan 23, 2026")."""
    age = now - date
    if not timedelta() <= age < _MAX_AGE:
        return _write_date(date)
    for unit, hours in _AGES:
        number = int(age / timedelta(hours=hours))
        if number > 1:
            return f"{number} {unit}s ago"
        if number == 1:
            return f"1 {unit} ago"
    return "1 hour ago"


def _write_date(date: datetime) -> str:
    return f"{date:%b} {date.day}, {date.year}"
