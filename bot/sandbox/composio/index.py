"""The search engine's index: pages in an SQLite full-text table, in memory."""

import math
import sqlite3
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.sandbox.composio.terms import match_any, read_terms
from bot.sandbox.web import Page, PageKind

TITLE_WEIGHT = 4.0
SNIPPET_TOKENS = 40
MIN_COVERAGE = 0.2
SCHEMA = """
CREATE VIRTUAL TABLE pages USING fts5(
    title, text, tokenize = 'porter unicode61 remove_diacritics 2'
);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    page: Page
    snippet: str
    """A passage of the page around the words that were asked for."""


class SearchIndex:
    """Answers queries over a fixed set of pages. Safe to call from several threads."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = tuple(pages)
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.executescript(SCHEMA)
        self._connection.executemany(
            "INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)",
            ((row, page.title, page.text) for row, page in enumerate(self._pages)),
        )

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def search(
        self,
        query: str,
        *,
        limit: int,
        kind: PageKind | None = None,
        since: datetime | None = None,
    ) -> list[Hit]:
        """The best pages for any text, best first.

        Ordered by how much of the query a page holds, rare words and words in the title
        counting more, and by bm25. Pages that hold less than a fifth of what the best one
        holds are left out, and with `since` those without a date.
        """
        terms = read_terms(query)
        allowed = {row for row, page in enumerate(self._pages) if _fits(page, kind, since)}
        with self._lock:
            coverage = self._weigh(terms, allowed)
            rows = self._rank(terms, coverage)[:limit]
            snippets = self._read_snippets(terms, rows)
        return [Hit(page=self._pages[row], snippet=snippets[row]) for row in rows]

    def _weigh(self, terms: tuple[str, ...], allowed: set[int]) -> dict[int, float]:
        """How much of the query each allowed page holds."""
        coverage: dict[int, float] = {}
        for term in terms:
            holding = self._find(match_any((term,)), allowed)
            in_title = self._find(f"title : {match_any((term,))}", allowed)
            weight = math.log1p(len(allowed) / max(1, len(holding)))
            for row in holding:
                coverage[row] = coverage.get(row, 0.0) + weight * (2 if row in in_title else 1)
        return coverage

    def _rank(self, terms: tuple[str, ...], coverage: dict[int, float]) -> list[int]:
        """The rows worth showing, best first.

        Coverage counts more than bm25, because SQLite's bm25 gives words that most pages hold
        no weight at all, and in a small web those are the words people ask for.
        """
        if not coverage:
            return []
        most = max(coverage.values())
        ranked = self._connection.execute(
            "SELECT rowid, -bm25(pages, ?, 1.0) FROM pages WHERE pages MATCH ?",
            (TITLE_WEIGHT, match_any(terms)),
        )
        relevance = {
            row: score for row, score in ranked if coverage.get(row, 0.0) >= MIN_COVERAGE * most
        }
        best = max(relevance.values())
        scores = {row: 2 * coverage[row] / most + relevance[row] / best for row in relevance}
        return sorted(scores, key=lambda row: (-scores[row], row))

    def _find(self, expression: str, allowed: set[int]) -> set[int]:
        found = self._connection.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ?", (expression,)
        )
        return {row for (row,) in found} & allowed

    def _read_snippets(self, terms: tuple[str, ...], rows: list[int]) -> dict[int, str]:
        if not rows:
            return {}
        marks = ",".join("?" * len(rows))
        found = self._connection.execute(
            "SELECT rowid, snippet(pages, 1, '', '', '…', ?) FROM pages"  # noqa: S608 - marks only
            f" WHERE pages MATCH ? AND rowid IN ({marks})",
            (SNIPPET_TOKENS, match_any(terms), *rows),
        )
        return {row: " ".join(snippet.split()) for row, snippet in found}


def _fits(page: Page, kind: PageKind | None, since: datetime | None) -> bool:
    if kind is not None and page.kind != kind:
        return False
    return since is None or (page.date is not None and page.date >= since)
