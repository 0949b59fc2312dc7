"""Whether sources say what a sentence claims: figures, dates, quotations, names, comparisons.

Figures, dates and quotations are looked up first; names and comparisons, which are less certain,
only where the sources speak of the claim in its own words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from mcp_local.claims.dates import Day
from mcp_local.claims.evidence import NEAR, Evidence, Support
from mcp_local.claims.figures import UNIT_OF, Facts, Figure, read_facts
from mcp_local.claims.language import COMMON_WORDS, WORDS, language_of, same_stem, words_of
from mcp_local.claims.names import names_in

Kind = Literal["figure", "date", "quotation", "name", "opposite", "negation"]

_QUOTE = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_OMISSION = re.compile(r"\[[^\]]*\]|…|\.\.\.")
_NAMED_NUMBER = re.compile(r"\b[^\W\d_a-z][\w.-]* \d+\b(?![.,]\d)")
"""A name that ends in a number, such as Expo 2020."""
_MIN_QUOTE_WORDS = 2
_SHORT_WORD = 3
_CLOSE = 0.4
_SHORT_SOURCE = 12
_CLOSE_TO_SHORT = 0.5
"""Names and words are checked where a source speaks of the claim in many of its words. A short
one, such as a snippet, speaks in more of them."""
_CONTRARY = 0.8
_BESIDE = 6
"""So many words may stand between a comparison and what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Something in a claim that no source of it says."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """What the check of one claim came to."""

    checked: int
    """How many things in it could be looked up."""
    doubts: tuple[Doubt, ...]
    derived: int = 0
    """Figures that are a sum, difference or change of two that stand beside each other."""
    supports: tuple[Support | None, ...] = ()
    """What it rests on, source by source."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A source, and how much each of its sentences speaks of the claim."""

    source: Evidence
    scores: list[float]


def check_claim(claim: str, sources: Sequence[Evidence], *, row: str = "") -> ClaimVerdict:
    """Look up what a claim says in its sources.

    `row` is the whole row where the claim is a cell of a table.
    """
    words = words_of(row or claim)
    readings = [_Reading(source, source.relevance(words)) for source in sources]
    facts = read_claimed(claim)
    verbatim = _verbatim_numbers(claim, sources)
    unknown = [
        figure
        for figure in facts.figures
        if figure.text not in verbatim and not _knows_figure(figure, readings, is_cell=bool(row))
    ]
    doubted = [figure for figure in unknown if not _is_derived(figure, readings)]
    doubts = [Doubt(kind="figure", text=figure.text) for figure in doubted]
    doubts += [each for each in _unknown_dates(facts, readings) if each.text not in verbatim]
    quotations = [*_quotations(claim)]
    for quotation in quotations:
        if not any(_has_quotation(source, quotation) for source in sources):
            doubts.append(Doubt(kind="quotation", text=quotation))
    names = [*names_in(claim, language_of(claim))]
    if _speak_of(claim, words, readings):
        for name in names:
            if not any(each.source.knows_name(name, each.scores) for each in readings):
                doubts.append(Doubt(kind="name", text=name))
        doubts += _opposites(_QUOTE.sub(" ", claim), readings)
    return ClaimVerdict(
        checked=len(facts.figures) + len(facts.days) + len(quotations) + len(names),
        doubts=tuple(doubts),
        derived=len(unknown) - len(doubted),
        supports=tuple(each.source.support(words, facts, each.scores) for each in readings),
    )


def read_claimed(claim: str) -> Facts:
    """The figures and dates that a sentence claims, without what it counts by the way."""
    facts = read_facts(claim, language_of(claim))
    years = {day.text for day in facts.days}
    figures = [
        figure
        for figure in facts.figures
        if figure.text
        and figure.text not in years
        and figure.values[0] > 1
        and not figure.is_back_reference
    ]
    return Facts(figures=tuple(figures), days=facts.days)


def _verbatim_numbers(claim: str, sources: Sequence[Evidence]) -> set[str]:
    """The numbers of names and of titles in quotes which a source has word for word."""
    titles = [quote for quote in _quoted(claim) if _is_title(quote)]
    named = [match[0] for match in _NAMED_NUMBER.finditer(claim)]
    numbers: set[str] = set()
    for name in (*titles, *named):
        words = words_of(name)
        if any(source.has_words(words) for source in sources):
            numbers.update(word for word in words if word.isdigit())
    return numbers


def _knows_figure(figure: Figure, readings: Sequence[_Reading], *, is_cell: bool) -> bool:
    return any(each.source.knows_figure(figure, each.scores, is_cell=is_cell) for each in readings)


def _is_derived(figure: Figure, readings: Sequence[_Reading]) -> bool:
    """Whether two figures of one sentence that speaks of the claim make up this one."""
    if figure.is_small:
        return False
    for reading in readings:
        for sentence in reading.source.near(reading.scores, NEAR):
            known = [each for each in sentence.figures if each.text and not each.is_small]
            if any(_makes(figure, one, other) for one, other in permutations(known, 2)):
                return True
    return False


def _makes(figure: Figure, one: Figure, other: Figure) -> bool:
    if one.unit != other.unit or not other.values[0]:
        return False
    first = one.values[0]
    second = other.values[0]
    if figure.unit == "percent" and one.unit != "percent":
        share = first / second * 100
        results = [share, abs(share - 100)]
    elif figure.unit in (one.unit, "points"):
        results = [abs(first - second), first + second]
    else:
        return False
    value = figure.values[0]
    return any(abs(value - result) <= figure.half_step for result in results)


def _unknown_dates(facts: Facts, readings: Sequence[_Reading]) -> Iterator[Doubt]:
    """A doubt for each date that no source knows in any of its meanings."""
    meanings: dict[str, list[Day]] = {}
    for day in facts.days:
        key = day.text if day.is_ambiguous else f"{day.text} {day.year} {day.day}"
        meanings.setdefault(key, []).append(day)
    for days in meanings.values():
        if not any(_knows_day(day, readings) for day in days):
            yield Doubt(kind="date", text=days[0].text)


def _knows_day(day: Day, readings: Sequence[_Reading]) -> bool:
    if not day.month and all(each.source.names_no_year() for each in readings):
        return True
    return any(each.source.knows_day(day, each.scores) for each in readings)


def _quoted(claim: str) -> Iterator[str]:
    for match in _QUOTE.finditer(claim):
        yield next(filter(None, match.groups()))


def _is_title(quotation: str) -> bool:
    """Whether it begins as a title does and has capitals, or nothing but a number."""
    words = re.findall(r"[^\W\d_]+", quotation)
    long_words = [word for word in words if len(word) > _SHORT_WORD]
    is_capital = quotation[:1].isupper() or not words
    return is_capital and all(word[0].isupper() for word in long_words)


def _quotations(claim: str) -> Iterator[str]:
    """Quotations of two words and more; a title in quotes is none."""
    for quotation in _quoted(claim):
        words = re.findall(r"[^\W\d_]+", quotation)
        if len(words) >= _MIN_QUOTE_WORDS and not _is_title(quotation):
            yield quotation


def _has_quotation(source: Evidence, quotation: str) -> bool:
    parts = [words_of(part) for part in _OMISSION.split(quotation)]
    return all(source.has_words(part) for part in parts if part)


def _speak_of(claim: str, words: Sequence[str], readings: Sequence[_Reading]) -> bool:
    """Whether the sources speak of the claim in its own language and many of its words."""
    language = language_of(claim)
    if any(each.source.language != language for each in readings):
        return False
    close = 0.0
    sentences = 0
    for each in readings:
        close = max(close, each.source.closeness(words, each.scores))
        sentences = max(sentences, len(each.source.sentences))
    return close >= (_CLOSE if sentences >= _SHORT_SOURCE else _CLOSE_TO_SHORT)


_OPPOSITES = [
    (frozenset(pair["one"].split()), frozenset(pair["other"].split())) for pair in WORDS.opposites
]
_DENIALS = WORDS.listed("denials")
_DENIAL_STEM = re.compile("|".join(WORDS.listed("denial_stems")))
_NO_DENIAL = re.compile(
    r"\b(?:not?|nicht|pas|no) (?:only|just|until|merely|longer|later|more|less|fewer|nur|erst|mehr"
    r"|weniger|seulement|plus|moins|solo|más|menos)\b",
    re.IGNORECASE,
)


def _opposites(claim: str, readings: Sequence[_Reading]) -> Iterator[Doubt]:
    """Words whose opposite alone stands beside what the claim compares, and denials."""
    words = words_of(claim)
    for pair in _OPPOSITES:
        for said, contrary in (pair, pair[::-1]):
            claimed = said.intersection(words)
            if not claimed or contrary.intersection(words):
                continue
            topic = _beside(words, claimed)
            against = _speaks_of_topic(readings, contrary, topic)
            if against >= _CONTRARY and against > _speaks_of_topic(readings, said, topic):
                yield Doubt(kind="opposite", text=min(claimed))
    closest = [each for reading in readings for each in reading.source.near(reading.scores)]
    known = {word for sentence in closest for word in sentence.words}
    is_denied = _denies(words) and not _NO_DENIAL.search(claim)
    if is_denied and not _denies(known) and not any(map(_DENIAL_STEM.match, known)):
        yield Doubt(kind="negation", text=min(_DENIALS.intersection(words), default="not"))


def _beside(words: Sequence[str], targets: frozenset[str]) -> set[str]:
    """The telling words within reach of a target."""
    beside: set[str] = set()
    for n, word in enumerate(words):
        if word in targets:
            beside.update(words[max(0, n - _BESIDE) : n + _BESIDE + 1])
    telling = {word for word in beside if not word[0].isdigit() and word not in UNIT_OF}
    return telling - targets - COMMON_WORDS


def _speaks_of_topic(
    readings: Sequence[_Reading], targets: frozenset[str], topic: set[str]
) -> float:
    """How many words of the topic stand beside a target where the sources speak of the claim."""
    best = 0.0
    for reading in readings:
        highest = max(reading.scores, default=0.0) or 1.0
        for sentence, score in zip(reading.source.sentences, reading.scores, strict=True):
            if score >= NEAR * highest and targets & sentence.words:
                beside = _beside(sentence.in_order, targets)
                shared = [word for word in topic if _has_form(word, beside)]
                best = max(best, len(shared) * score / highest)
    return best


def _has_form(word: str, others: set[str]) -> bool:
    return word in others or any(same_stem(word, other) for other in others)


def _denies(words: Iterable[str]) -> bool:
    return any(word in _DENIALS or word.endswith("n't") for word in words)
