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
from mcp_local.claims.evidence import NEAR, TOP, Evidence, Sentence, Support
from mcp_local.claims.figures import UNIT_OF, Facts, Figure, is_scale, read_facts
from mcp_local.claims.language import (
    COMMON_WORDS,
    WORDS,
    language_of,
    same_stem,
    words_of,
)
from mcp_local.claims.names import names_in

Kind = Literal["figure", "date", "quotation", "name", "opposite", "negation"]

_QUOTE = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_OMISSION = re.compile(r"\[[^\]]*\]|…|\.\.\.")
_NAMED_NUMBER = re.compile(r"\b[^\W\d_a-z][\w.-]* \d+\b(?![.,]\d)")
"""A name that ends in a number, such as Expo 2020."""
_MIN_QUOTE_WORDS = 2
_MAX_TERM_WORDS = 3
_SHORT_WORD = 3
_CLOSE = 0.4
_SHORT_SOURCE = 12
_CLOSE_TO_SHORT = 0.5
"""Names and words are checked where a source speaks of the claim in many of its words. A short
one, such as a snippet, speaks in more of them."""
_TITLE_SHARE = 0.5
"""A source may name a work in short, or by another edition's title."""
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


_Words = frozenset[str]
_OPPOSITES: list[tuple[_Words, _Words]] = []
for pair in WORDS.opposites:
    one = frozenset(pair["one"].split())
    other = frozenset(pair["other"].split())
    _OPPOSITES.append((one, other))
    _OPPOSITES.append((other, one))
_DENIALS = WORDS.listed("denials")
_DENIAL_STEM = re.compile("|".join(WORDS.listed("denial_stems")))
_NO_DENIAL = re.compile(
    r"\b(?:not?|nicht|pas|no) (?:only|just|until|merely|longer|later|more|less|fewer|nur|erst|mehr"
    r"|weniger|seulement|plus|moins|solo|más|menos)\b",
    re.IGNORECASE,
)


def check_claim(claim: str, sources: Sequence[Evidence], *, row: str = "") -> ClaimVerdict:
    """Look up what a claim says in its sources.

    `row` is the whole row where the claim is a cell of a table.
    """
    return _ClaimCheck(claim, sources, row).verdict()


class _ClaimCheck:
    """A claim and its sources, each with how much its sentences speak of the claim."""

    def __init__(self, claim: str, sources: Sequence[Evidence], row: str) -> None:
        self._claim = claim
        self._words = words_of(row or claim)
        self._is_cell = bool(row)
        self._language = language_of(claim)
        self._facts = read_claimed(claim)
        self._quotations = [*_quotations(claim)]
        self._titles = [*filter(_is_title, _quoted(claim))]
        untitled = _QUOTE.sub(_without_title, claim)
        self._names = [*names_in(untitled, self._language)]
        self._derived = 0
        self._sources = sources
        self._readings: list[_Reading] = []
        for source in sources:
            scores = source.relevance(self._words)
            self._readings.append(_Reading(source, scores))

    def verdict(self) -> ClaimVerdict:
        doubts = [*self._doubted_facts()]
        if self._speak_of():
            doubts += self._doubted_names()
            doubts += self._opposites()
            doubts += self._denials()
        facts = len(self._facts.figures) + len(self._facts.days)
        return ClaimVerdict(
            checked=facts + len(self._quotations) + len(self._names),
            doubts=tuple(doubts),
            derived=self._derived,
            supports=self._supports(),
        )

    def _doubted_facts(self) -> Iterator[Doubt]:
        verbatim = self._verbatim_numbers()
        for figure in self._facts.figures:
            if figure.text in verbatim or self._knows_figure(figure):
                continue
            if self._is_derived(figure):
                self._derived += 1
            else:
                yield Doubt(kind="figure", text=figure.text)
        for text in self._unknown_dates():
            if text not in verbatim:
                yield Doubt(kind="date", text=text)
        for quotation in self._quotations:
            if not self._has_quotation(quotation):
                yield Doubt(kind="quotation", text=quotation)

    def _doubted_names(self) -> Iterator[Doubt]:
        for name in self._names:
            if not any(source.knows_name(name) for source in self._sources):
                yield Doubt(kind="name", text=name)
        for title in self._titles:
            words = words_of(title)
            shares = [source.share_of(words) for source in self._sources]
            if max(shares, default=1.0) < _TITLE_SHARE:
                yield Doubt(kind="name", text=title)

    def _supports(self) -> tuple[Support | None, ...]:
        supports: list[Support | None] = []
        for each in self._readings:
            support = each.source.support(self._words, self._facts, each.scores)
            supports.append(support)
        return tuple(supports)

    def _verbatim_numbers(self) -> set[str]:
        """The numbers of names and of titles in quotes which a source has word for word."""
        names = [match[0] for match in _NAMED_NUMBER.finditer(self._claim)]
        names += self._titles
        numbers: set[str] = set()
        for name in names:
            words = words_of(name)
            if any(source.has_words(words) for source in self._sources):
                numbers.update(word for word in words if word.isdigit())
        return numbers

    def _knows_figure(self, figure: Figure) -> bool:
        for each in self._readings:
            if each.source.knows_figure(figure, each.scores, is_cell=self._is_cell):
                return True
        return False

    def _is_derived(self, figure: Figure) -> bool:
        """Whether two figures of one sentence that speaks of the claim make up this one."""
        if figure.is_small:
            return False
        for sentence in self._near(NEAR):
            known = [each for each in sentence.figures if each.text and not each.is_small]
            for one, other in permutations(known, 2):
                if _makes(figure, one, other):
                    return True
        return False

    def _near(self, share: float) -> Iterator[Sentence]:
        """The sentences that speak of the claim so much."""
        for reading in self._readings:
            yield from reading.source.near(reading.scores, share)

    def _unknown_dates(self) -> Iterator[str]:
        """Each date that no source knows in any of its meanings."""
        meanings: dict[object, list[Day]] = {}
        for day in self._facts.days:
            key: object = day
            if day.is_ambiguous:
                key = day.text
            meanings.setdefault(key, []).append(day)
        for days in meanings.values():
            if not any(self._knows_day(day) for day in days):
                yield days[0].text

    def _knows_day(self, day: Day) -> bool:
        has_years = False
        for each in self._readings:
            if each.source.knows_day(day, each.scores):
                return True
            has_years |= not each.source.names_no_year()
        return not day.month and not has_years

    def _has_quotation(self, quotation: str) -> bool:
        words = words_of(quotation)
        if _is_term(words):
            return any(source.share_of(words) == 1 for source in self._sources)
        parts = map(words_of, _OMISSION.split(quotation))
        spoken = [part for part in parts if part]
        return any(all(map(source.has_words, spoken)) for source in self._sources)

    def _speak_of(self) -> bool:
        """Whether the sources speak of the claim in its own language and many of its words."""
        close = 0.0
        sentences = 0
        for each in self._readings:
            if each.source.language != self._language:
                return False
            close = max(close, each.source.closeness(self._words, each.scores))
            sentences = max(sentences, len(each.source.sentences))
        return close >= (_CLOSE if sentences >= _SHORT_SOURCE else _CLOSE_TO_SHORT)

    def _opposites(self) -> Iterator[Doubt]:
        """Words whose opposite stands closer to what the claim compares."""
        words = words_of(_QUOTE.sub(" ", self._claim))
        for said, contrary in _OPPOSITES:
            claimed = said.intersection(words)
            if not claimed or contrary.intersection(words):
                continue
            topic = _beside(words, claimed)
            against = self._speaks_of_topic(contrary, topic)
            if against < _CONTRARY:
                continue
            if against > self._speaks_of_topic(said, topic):
                yield Doubt(kind="opposite", text=min(claimed))

    def _speaks_of_topic(self, targets: frozenset[str], topic: set[str]) -> float:
        """How many words of the topic stand beside a target where the sources speak of it."""
        best = 0.0
        for reading in self._readings:
            highest = max(reading.scores, default=0.0)
            for n, sentence in enumerate(reading.source.sentences):
                share = reading.scores[n] / (highest or 1.0)
                is_near = share >= NEAR
                if is_near and targets & sentence.words:
                    beside = _beside(sentence.in_order, targets)
                    shared = [word for word in topic if _has_form(word, beside)]
                    best = max(best, len(shared) * share)
        return best

    def _denials(self) -> Iterator[Doubt]:
        """A denial where no sentence that speaks of the claim denies anything."""
        claim = _QUOTE.sub(" ", self._claim)
        words = words_of(claim)
        if not _denies(words) or _NO_DENIAL.search(claim):
            return
        for sentence in self._near(TOP):
            if _denies(sentence.words):
                return
            if any(map(_DENIAL_STEM.match, sentence.words)):
                return
        denial = min(_DENIALS.intersection(words), default="not")
        yield Doubt(kind="negation", text=denial)


def read_claimed(claim: str) -> Facts:
    """The figures and dates that a sentence claims, without what it counts by the way."""
    facts = read_facts(claim, language_of(claim))
    years = {day.text for day in facts.days}
    figures = [
        figure
        for figure in facts.figures
        if figure.text
        and figure.text not in years
        and (figure.size > 1 or not figure.digits.is_integer())
        and not figure.is_back_reference
    ]
    return Facts(figures=tuple(figures), days=facts.days)


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
    distances = [abs(value - result) for result in results]
    return min(distances) <= figure.half_step


def _quoted(claim: str) -> Iterator[str]:
    for match in _QUOTE.finditer(claim):
        yield next(filter(None, match.groups()))


def _is_term(words: Sequence[str]) -> bool:
    """Whether it is a name or a term, which a source may write in another order or in short."""
    return len(words) <= _MAX_TERM_WORDS and COMMON_WORDS.isdisjoint(words)


def _without_title(quoted: re.Match[str]) -> str:
    """A quotation as it is; nothing in place of a title."""
    return "" if any(map(_is_title, _quoted(quoted[0]))) else quoted[0]


def _is_title(quotation: str) -> bool:
    """Whether it begins as a title does and has capitals, or nothing but a number."""
    words = re.findall(r"[^\W\d_]+", quotation)
    long_words = [word for word in words if len(word) > _SHORT_WORD]
    is_capital = quotation[:1].isupper() or not words
    if not is_capital:
        return False
    return all(word[0].isupper() for word in long_words)


def _quotations(claim: str) -> Iterator[str]:
    """Quotations of two words and more; a title in quotes is none."""
    for quotation in _quoted(claim):
        words = re.findall(r"[^\W\d_]+", quotation)
        if len(words) >= _MIN_QUOTE_WORDS and not _is_title(quotation):
            yield quotation


def _beside(words: Sequence[str], targets: frozenset[str]) -> set[str]:
    """The telling words within reach of a target."""
    beside: set[str] = set()
    for n, word in enumerate(words):
        if word in targets:
            first = max(0, n - _BESIDE)
            beside.update(words[first : n + _BESIDE + 1])
    beside -= targets | COMMON_WORDS | UNIT_OF.keys()
    return {word for word in beside if not word[0].isdigit() and not is_scale(word)}


def _has_form(word: str, others: set[str]) -> bool:
    return word in others or any(same_stem(word, other) for other in others)


def _denies(words: Iterable[str]) -> bool:
    return any(word in _DENIALS or word.endswith("n't") for word in words)
