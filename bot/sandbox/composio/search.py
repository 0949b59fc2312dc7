"""The two search tools over a set of pages: a small index, and results in Composio's shape."""

import asyncio
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.sandbox.composio.records import Data
from bot.sandbox.web import Page

_STOP_WORDS = """
    a about add after all also an and any are as at be been but by can comprehensive continue could
    detailed did do does for from get give had has have how i if in into is it its just latest make
    me more most my new news not of on or our out over please recent report section should show so
    some tell than that the their them then there these they this to up us use using was we were
    what when where which who why will with would write you your
"""
_ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])|\n")
_MIN_COVERAGE = 0.2
"""Pages that hold less of the query than this share of what the best one holds are left out."""
_SNIPPET_WORDS = 40
_UNITS = {"h": 1, "d": 24, "w": 7 * 24, "m": 31 * 24, "y": 366 * 24}
"""In hours."""
_WHEN = re.compile(r"\s*(\d{0,3})\s*([hdwmy])\s*", re.IGNORECASE)


PageSource = Iterable[Page] | Callable[[], Awaitable[Sequence[Page]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    page: Page
    words: Counter[str]
    """How often each word's stem is in the page."""
    title: frozenset[str]


class SearchEngine:
    """Searches pages, which are read at the first search."""

    def __init__(self, pages: PageSource, clock: Callable[[], datetime]) -> None:
        self._pages = pages
        self._clock = clock
        self._entries: asyncio.Task[list[_Entry]] | None = None

    async def web(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_WEB: the pages, and an answer of a sentence of each of the first."""
        hits = (await self._rank(given["query"]))[: given["num_results"]]
        answer = " ".join(f"{text[0]} ([{page.title}]({page.url}))" for page, text in hits[:3])
        citations = [
            {
                "id": page.url,
                "url": page.url,
                "title": page.title,
                "snippet": (f"{_write_date(page.date)} · " if page.date else "") + _snippet(text),
            }
            for page, text in hits
        ]
        return {"answer": answer, "citations": citations}

    async def news(self, given: Data) -> Data:
        """COMPOSIO_SEARCH_NEWS: articles, within a range of time where one is asked for."""
        now = self._clock()
        within = _WHEN.fullmatch(given.get("when", ""))
        hours = int(within[1] or 1) * _UNITS[within[2].lower()] if within else 0
        hits = [
            (page, text)
            for page, text in await self._rank(given["query"], kind="news")
            if not within or (page.date and now - page.date <= timedelta(hours=hours))
        ]
        return {
            "news_results": [
                {
                    "position": position,
                    "title": page.title,
                    "link": page.url,
                    "source": page.source,
                    "snippet": _snippet(text),
                    **({"date": _describe_date(page.date, now)} if page.date else {}),
                }
                for position, (page, text) in enumerate(hits[: given["num_results"]], 1)
            ]
        }

    async def close(self) -> None:
        """End the reading of the pages, wherever it is."""
        if self._entries is not None:
            self._entries.cancel()
            await asyncio.wait([self._entries])

    async def _rank(self, query: str, *, kind: str = "") -> list[tuple[Page, list[str]]]:
        """The best pages, each with the sentences from the one on that holds most of the query."""
        if self._entries is None:
            self._entries = asyncio.create_task(self._read())
        entries = await asyncio.shield(self._entries)
        allowed = [entry for entry in entries if kind in ("", entry.page.kind)]
        return await asyncio.to_thread(_rank, query, allowed)

    async def _read(self) -> list[_Entry]:
        pages = await self._pages() if callable(self._pages) else self._pages
        return await asyncio.to_thread(lambda: [_index(page) for page in pages])


def _index(page: Page) -> _Entry:
    title = _count_stems(page.title)
    return _Entry(page=page, words=_count_stems(page.text) + title, title=frozenset(title))


def _rank(query: str, entries: Sequence[_Entry]) -> list[tuple[Page, list[str]]]:
    """Ranked by how much of the query a page holds, then by how often it says its words.

    Rare words and words in the title count more.
    """
    asked = _count_stems(query).keys()
    wanted = asked - _count_stems(_STOP_WORDS).keys() or asked
    holding = {stem: sum(stem in entry.words for entry in entries) for stem in wanted}
    weight = {stem: math.log1p(len(entries) / max(1, holding[stem])) for stem in wanted}

    def coverage(entry: _Entry) -> float:
        there = (stem for stem in wanted if stem in entry.words)
        return sum(weight[stem] * (2 if stem in entry.title else 1) for stem in there)

    def relevance(entry: _Entry) -> float:
        return sum(weight[stem] * (1 - 1 / (1 + entry.words[stem])) for stem in wanted)

    def overlap(sentence: str) -> int:
        return len(wanted & _count_stems(sentence).keys())

    def passage(page: Page) -> list[str]:
        sentences = [part for part in _SENTENCE_END.split(page.text) if part] or [page.title]
        start = max(range(len(sentences)), key=lambda place: overlap(sentences[place]))
        return sentences[start:]

    most = max(map(coverage, entries), default=0.0)
    if not most:
        return []
    enough = [entry for entry in entries if coverage(entry) >= _MIN_COVERAGE * most]
    best = max(map(relevance, enough))
    enough.sort(key=lambda entry: -(2 * coverage(entry) / most + relevance(entry) / best))
    return [(entry.page, passage(entry.page)) for entry in enough]


def _snippet(text: list[str]) -> str:
    words = " ".join(text).split()
    return " ".join(words[:_SNIPPET_WORDS]) + ("…" if len(words) > _SNIPPET_WORDS else "")


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
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return f"{months[date.month - 1]} {date.day}, {date.year}"


def _count_stems(text: str) -> Counter[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    marked = "".join(letter for letter in plain if not unicodedata.combining(letter))
    counted: Counter[str] = Counter()
    for word, times in Counter(re.findall(r"[^\W_]+", marked)).items():
        counted[_stem(word)] += times
    return counted


def _stem(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return f"{word.removesuffix(ending)}{instead}".removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word
