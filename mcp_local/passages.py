"""Finding the passages of the session's sources that answer a query, letter by letter."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mcp_local.sources import NumberedSource

MAX_PASSAGE_CHARS = 1000
_SHORT_CHARS = 200
_REPEAT_DISCOUNT = 0.8
"""Each further passage of one source counts this much less, so that several sources are heard."""

# The BM25 constants in common use: how soon repetition saturates, and how much length counts.
_SATURATION = 1.2
_LENGTH_SHARE = 0.5

_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_HEADING = re.compile(r"#{1,6}[ \t]+([^\n]*)")
_TERM = re.compile(r"[぀-ヿ㐀-鿿가-힯]|[^\W_]+")
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ed", "es", "s")
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


def find_passages(sources: Iterable[NumberedSource], query: str, limit: int) -> list[Passage]:
    """The `limit` best passages, best first; only such as share a word with the query."""
    passages = [
        Passage(source=source, heading=heading, text=text)
        for source in sources
        for heading, text in split_passages(source.text or source.title)
    ]
    words = [word for word in _TERM.findall(query.casefold()) if word not in _STOP_WORDS]
    wanted = set(map(_stem, words) if words else _terms(query))
    counted = [
        (found, Counter(_terms(f"{found.source.title} {found.heading} {found.text}")))
        for found in passages
    ]
    return _pick(_score(counted, wanted), limit)


def split_passages(text: str) -> list[tuple[str, str]]:
    """(heading, passage) pairs in reading order; every passage is a verbatim piece of `text`."""
    return [(heading, text[start:end]) for heading, start, end in _joined(text, _spans(text))]


def _spans(text: str) -> Iterator[_Span]:
    heading = ""
    for block in _BLOCK.finditer(text):
        start, end = block.span()
        while found := _HEADING.match(text, start, end):
            heading = found[1].strip()
            start = min(found.end() + 1, end)
        if start < end:
            yield from ((heading, first, last) for first, last in _pieces(text, start, end))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The block whole, or cut between its sentences and lines."""
    if end - start <= MAX_PASSAGE_CHARS:
        yield start, end
        return
    piece_start = piece_end = start
    for line in re.compile(r"[^\n]+").finditer(text, start, end):
        for first, last in sentence_spans(line[0]):
            if piece_end > piece_start and line.start() + last - piece_start > MAX_PASSAGE_CHARS:
                yield piece_start, piece_end
                piece_start = line.start() + first
            piece_end = line.start() + last
    yield piece_start, piece_end


def _joined(text: str, spans: Iterable[_Span]) -> list[_Span]:
    """Join a short passage to the next one under its heading, up to the size of a passage."""
    joined: list[_Span] = []
    for heading, start, end in spans:
        if joined:
            last_heading, last_start, last_end = joined[-1]
            short = last_end - last_start < _SHORT_CHARS and end - last_start <= MAX_PASSAGE_CHARS
            if short and last_heading == heading and not text[last_end:start].strip():
                joined[-1] = (heading, last_start, end)
                continue
        joined.append((heading, start, end))
    return joined


def _terms(text: str) -> list[str]:
    return [_stem(word) for word in _TERM.findall(text.casefold())]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word.removesuffix("e") if len(word) > 4 else word


def _score(
    counted: Sequence[tuple[Passage, Counter[str]]], wanted: set[str]
) -> list[tuple[float, Passage]]:
    total = len(counted)
    mean_length = sum(terms.total() for _, terms in counted) / total if total else 1
    frequency = Counter(term for _, terms in counted for term in wanted & terms.keys())
    weight = {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}
    scored: list[tuple[float, Passage]] = []
    for passage, terms in counted:
        length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * terms.total() / mean_length
        score = sum(
            weight[term] * terms[term] * (_SATURATION + 1) / (terms[term] + _SATURATION * length)
            for term in wanted & terms.keys()
        )
        if score > 0:
            scored.append((score, passage))
    return scored


def _pick(scored: list[tuple[float, Passage]], limit: int) -> list[Passage]:
    """Take the best one by one, discounting a source each time it is taken."""
    queues: dict[int, list[tuple[float, Passage]]] = {}
    for found in sorted(scored, key=lambda found: found[0]):
        queues.setdefault(found[1].source.n, []).append(found)
    taken: Counter[int] = Counter()
    picked: list[Passage] = []
    while queues and len(picked) < limit:
        best = max(queues, key=lambda n: queues[n][-1][0] * _REPEAT_DISCOUNT ** taken[n])
        picked.append(queues[best].pop()[1])
        taken[best] += 1
        if not queues[best]:
            del queues[best]
    return picked


# Punctuation of several scripts is meant here, not mistyped.
_END = re.compile(r"(?:(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$))|(?:[。！？]+[」』”’)]*)")  # noqa: RUF001
_ABBREVIATION = re.compile(
    r"\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|fig|approx|ca|inc|ltd|corp|co|jr|sr|vol|pp|bzw"
    r"|cf|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z](?:\.[a-z])*)\.$",
    re.IGNORECASE,
)
_LOOK_BACK = 12


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of each sentence, in order, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = _skip_space(text, 0)
    for end in _END.finditer(text):
        if end.end() > start and _ends_sentence(text, end):
            spans.append((start, end.end()))
            start = _skip_space(text, end.end())
    tail = text.rstrip()
    if start < len(tail):
        spans.append((start, len(tail)))
    return spans


def _skip_space(text: str, start: int) -> int:
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    at = _skip_space(text, end.end())
    following = text[at : at + 1]
    if following.islower():
        return False
    before = text[max(0, end.start() - _LOOK_BACK) : end.start() + 1]
    return not following or not _ABBREVIATION.search(before)
