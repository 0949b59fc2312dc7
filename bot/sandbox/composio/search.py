"""The web search: the pages in a full-text index of SQLite, the best first."""

import asyncio
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta

from bot.sandbox.composio.records import Data
from bot.sandbox.web import WebPage

PageSource = Iterable[WebPage] | Callable[[], Awaitable[Sequence[WebPage]]]

_INDEX = """CREATE VIRTUAL TABLE pages USING fts5(
    title, text, tokenize = 'porter unicode61 remove_diacritics 2')"""
_FIND = """SELECT rowid, snippet(pages, 1, '', '', '…', 40) FROM pages
    WHERE pages MATCH ? ORDER BY bm25(pages, 4.0, 1.0)"""
"""A word in the title counts as four in the text."""
_IDLE = """a about an and are at be by can do does for from how in is it its of on or say that the
their they this to was were what when where which who why will with your"""
"""Words that no page is looked for by."""
_ANSWERING = 3
"""So many of the first pages have a say in the short answer."""
_UNITS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24, "y": 366 * 24}
"""In hours."""
_WHEN = re.compile(r"\s*(\d{0,3})\s*([hdwmy])\s*", re.IGNORECASE)


class SearchEngine:
    """Searches pages, which are read at the first search."""

    def __init__(self, pages: PageSource, clock: Callable[[], datetime]) -> None:
        self._source = pages
        self._clock = clock
        self._index: asyncio.Task[tuple[Sequence[WebPage], sqlite3.Connection]] | None = None

    async def web(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_WEB: the pages, and an answer out of the first of them."""
        hits = (await self._find(given["query"]))[: given["num_results"]]
        said = [f"{snippet} ([{page.title}]({page.url}))" for page, snippet in hits[:_ANSWERING]]
        citations = [
            {
                "id": page.url,
                "url": page.url,
                "title": page.title,
                "snippet": (f"{_write_date(page.date)} · " if page.date else "") + snippet,
            }
            for page, snippet in hits
        ]
        return {"answer": " ".join(said), "citations": citations}

    async def news(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_NEWS: articles, within a range of time where one is asked for."""
        now = self._clock()
        within = _WHEN.fullmatch(given.get("when", ""))
        hours = int(within[1] or 1) * _UNITS[within[2].lower()] if within else 0
        hits = [
            (page, snippet)
            for page, snippet in await self._find(given["query"])
            if page.kind == "news"
            and (not within or (page.date and now - page.date <= timedelta(hours=hours)))
        ]
        return {
            "news_results": [
                {
                    "position": position,
                    "title": page.title,
                    "link": page.url,
                    "source": page.source,
                    "snippet": snippet,
                    **({"date": _describe_date(page.date, now)} if page.date else {}),
                }
                for position, (page, snippet) in enumerate(hits[: given["num_results"]], 1)
            ]
        }

    async def close(self) -> None:
        """End the reading of the pages, wherever it is."""
        if self._index is not None:
            self._index.cancel()
            await asyncio.wait([self._index])

    async def _find(self, query: str) -> list[tuple[WebPage, str]]:
        """The pages that hold a word of the query, with the words around what they say of it."""
        if self._index is None:
            self._index = asyncio.create_task(self._read())
        pages, index = await asyncio.shield(self._index)
        words = re.findall(r"\w+", query.casefold())
        wanted = [f'"{word}"' for word in words if word not in _IDLE.split()]
        asked = " OR ".join(wanted) or '""'
        rows = await asyncio.to_thread(lambda: index.execute(_FIND, [asked]).fetchall())
        return [(pages[place], " ".join(snippet.split())) for place, snippet in rows]

    async def _read(self) -> tuple[Sequence[WebPage], sqlite3.Connection]:
        pages = await self._source() if callable(self._source) else tuple(self._source)
        return pages, await asyncio.to_thread(_index_of, pages)


def _index_of(pages: Sequence[WebPage]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(_INDEX)
    rows = [(place, page.title, page.text) for place, page in enumerate(pages)]
    index.executemany("INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)", rows)
    return index


def _describe_date(date: datetime, now: datetime) -> str:
    """How old a page of the last four weeks is ("2 hours ago"), else its date ("Jan 23, 2026")."""
    hours = (now - date) / timedelta(hours=1)
    if not 0 <= hours < 28 * 24:
        return _write_date(date)
    units = (("w", "week"), ("d", "day"), ("h", "hour"))
    unit, name = next((each for each in units if hours >= _UNITS[each[0]]), ("h", "hour"))
    number = max(1, int(hours / _UNITS[unit]))
    return f"{number} {name}{'' if number == 1 else 's'} ago"


def _write_date(date: datetime) -> str:
    return f"{date:%b} {date.day}, {date.year}"
