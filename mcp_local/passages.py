"""Full-text search (BM25) over the sources of a session: the passages that answer a query.

A passage is a verbatim piece of its source, so that a report can quote it.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter

from mcp_local.sources import NumberedSource

MAX_PASSAGE_CHARS = 1000
_SHORT_CHARS = 200
_REPEAT_DISCOUNT = 0.8
"""Of a source's further passages, and once more of each beyond its half of the answer."""

_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"#{1,6}[ \t]+([^\n]*)")
_SIGN = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
"""In scripts without spaces each sign is a term."""
_TERM = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W_]+")
_STOP_WORDS = frozenset(
    _TERM.findall(
        "a about an and are as at be been but by can did do does for from had has have how i if in"
        " into is it its me my no not of on or our out so such than that the their them then there"
        " these they this to us was we were what when where which who why will with you your"
        " der die das den dem des ein eine und oder ist sind von zu mit auf für im nicht wie"
        " le la les un une et ou est sont de du dans pour sur que qui comment"
        " el los las una unos y o es son del en para por con como"
    )
)

_Span = tuple[str, int, int]
"""A heading, and where the passage below it begins and ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A paragraph of a source, or as many whole sentences of it as fit."""

    source: NumberedSource
    heading: str
    """The nearest heading above it, or nothing."""
    text: str
    number: int
    """Among the passages of its source, from 1; the same as long as the source's text is."""


def find_passages(sources: Iterable[NumberedSource], query: str, limit: int) -> list[Passage]:
    """The `limit` best passages, best first; only such as share a word with the query."""
    passages = list(chain.from_iterable(map(passages_of, sources)))
    uses: Counter[int] = Counter()
    discounted: list[tuple[float, Passage]] = []
    for score, at in _scores(passages, query):
        n = passages[at].source.n
        repeats = min(uses[n], 1) + max(0, uses[n] - limit // 2)
        discounted.append((score * _REPEAT_DISCOUNT**repeats, passages[at]))
        uses[n] += 1
    discounted.sort(key=itemgetter(0), reverse=True)
    return [passage for _, passage in discounted[:limit]]


def passages_of(source: NumberedSource) -> list[Passage]:
    """All passages of a source in reading order; a source without text has its title."""
    pieces = split_passages(source.text or source.title)
    return [
        Passage(source=source, heading=heading, text=text, number=number)
        for number, (heading, text) in enumerate(pieces, start=1)
    ]


def _scores(passages: Sequence[Passage], query: str) -> list[tuple[float, int]]:
    """BM25 scores with the passages' indexes, the highest first."""
    words = set(_TERM.findall(query.lower())) - _STOP_WORDS
    if not words:
        return []
    rows = (
        (at, _SIGN.sub(r" \g<0> ", f"{each.source.title} {each.heading} {each.text}"))
        for at, each in enumerate(passages)
    )
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE passages USING fts5(words, tokenize='porter')")
        index.executemany("INSERT INTO passages (rowid, words) VALUES (?, ?)", rows)
        any_word = " OR ".join(f'"{word}"' for word in words)
        scored = index.execute(
            "SELECT -rank, rowid FROM passages WHERE words MATCH ? ORDER BY rank", (any_word,)
        )
        return scored.fetchall()


def split_passages(text: str) -> list[tuple[str, str]]:
    """(heading, passage) pairs in reading order; every passage is a verbatim piece of `text`."""
    spans: list[_Span] = []
    for heading, start, end in _spans(text):
        if spans:  # a short passage takes in the next one under its heading, while there is room
            last_heading, last_start, last_end = spans[-1]
            is_short = last_end - last_start < _SHORT_CHARS
            has_room = end - last_start <= MAX_PASSAGE_CHARS
            is_adjacent = not text[last_end:start].strip()
            if is_short and has_room and is_adjacent and last_heading == heading:
                spans.pop()
                start = last_start
        spans.append((heading, start, end))
    return [(heading, text[start:end]) for heading, start, end in spans]


def _spans(text: str) -> Iterator[_Span]:
    heading = ""
    for block in _BLOCK.finditer(text):
        start, end = block.span()
        while match := _HEADING.match(text, start, end):
            heading = match[1].strip()
            start = min(match.end() + 1, end)
        if start < end:
            for piece in _pieces(text, start, end):
                yield heading, *piece


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The block whole, or cut between its sentences and lines."""
    if end - start <= MAX_PASSAGE_CHARS:
        yield start, end
        return
    piece_start = start
    piece_end = start
    for line in _LINE.finditer(text, start, end):
        for first, last in sentence_spans(line[0]):
            sentence_end = line.start() + last
            if piece_end > piece_start and sentence_end - piece_start > MAX_PASSAGE_CHARS:
                yield piece_start, piece_end
                piece_start = line.start() + first
            piece_end = sentence_end
    yield piece_start, piece_end


# Punctuation of several scripts is meant here, not mistyped.
_END = re.compile(r"(?:(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$))|(?:[。！？]+[」』”’)]*)")  # noqa: RUF001
_ABBREVIATION = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|fig|approx|ca|inc|ltd|corp|co|jr|sr|vol|pp|bzw"
    r"|cf|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z](?:\.[a-z])*|(?:am|vom|zum|bis|der|den|dem|ab|seit)\s\d\d?)\.$",
    re.IGNORECASE,
)
_LOOK_BACK = 12
_NO_SPACE = re.compile(r"\S")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of each sentence, in order, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = _skip_space(text, 0)
    for match in _END.finditer(text):
        end = match.end()
        if end > start and _ends_sentence(text, match):
            spans.append((start, end))
            start = _skip_space(text, end)
    text_end = len(text.rstrip())
    if start < text_end:
        spans.append((start, text_end))
    return spans


def _skip_space(text: str, start: int) -> int:
    match = _NO_SPACE.search(text, start)
    if match is None:
        return len(text)
    return match.start()


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    position = _skip_space(text, end.end())
    following = text[position : position + 1]
    if not following:
        return True
    if following.islower():
        return False
    mark = end.start()
    look_back = max(0, mark - _LOOK_BACK)
    before = text[look_back : mark + 1]
    return not _ABBREVIATION.search(before)
