"""Whether sources say what a sentence claims: figures, dates, quotations, names, comparisons."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Literal

from mcp_local.claims.dates import Day
from mcp_local.claims.evidence import NEAR, Evidence
from mcp_local.claims.figures import Facts, Figure, read_facts
from mcp_local.claims.language import WORDS, language_of, words_of
from mcp_local.claims.names import names_in

Kind = Literal["figure", "date", "quotation", "name", "opposite", "negation"]

_QUOTE = re.compile(r"\"([^\"]+)\"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»")
_OMISSION = re.compile(r"\[[^\]]*\]|…|\.\.\.")
_MIN_QUOTE_WORDS = 2
_SHORT_WORD = 3
_CLOSE = 0.4
_SHORT_SOURCE = 12
_CLOSE_TO_SHORT = 0.5
"""Names and words are checked where a source speaks of the claim in many of its words. A short
one, such as a snippet, speaks in more of them."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Doubt:
    """Something in a claim that no source of it says."""

    kind: Kind
    text: str


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class ClaimVerdict:
    """What the check of one claim came to."""

    checked: int
    """How many things in it could be looked up."""
    doubts: tuple[Doubt, ...]
    derived: int = 0
    """Figures that are a sum, difference or change of two that stand beside each other."""


@dataclass(
    frozen=True,
    slots=True,
)
class _Reading:
    """A source, and how much each of its sentences speaks of the claim."""

    source: Evidence
    scores: list[float]


def check_claim(
    claim: str,
    sources: Sequence[Evidence],
    *,
    row: str = "",
) -> ClaimVerdict:
    """Look up what a claim says in its sources.

    `row` is the whole row where the claim is a cell of a table.
    """
    words = words_of(row or claim)
    readings = [_Reading(source, source.relevance(words)) for source in sources]
    facts = _FactLookup(
        claim,
        readings,
        is_cell=bool(row),
    )
    doubts = [*facts.figures(), *facts.dates()]
    quotations = [*_quotations(claim)]
    doubts += _unknown(
        "quotation",
        quotations,
        _has_quotation,
        sources,
    )
    names = [*names_in(claim, language_of(claim))]
    if _speak_of(
        claim,
        words,
        readings,
    ):
        doubts += _unknown(
            "name",
            names,
            Evidence.knows_name,
            sources,
        )
        doubts += _opposites(_QUOTE.sub(" ", claim), readings)
    return ClaimVerdict(
        checked=facts.checked + len(quotations) + len(names),
        doubts=tuple(doubts),
        derived=facts.derived,
    )


def _unknown(
    kind: Kind,
    texts: Sequence[str],
    knows: Callable[[Evidence, str], bool],
    sources: Sequence[Evidence],
) -> Iterator[Doubt]:
    """A doubt for each text that no source knows."""
    for text in texts:
        if not any(knows(source, text) for source in sources):
            yield Doubt(
                kind=kind,
                text=text,
            )


def _speak_of(
    claim: str,
    words: Sequence[str],
    readings: Sequence[_Reading],
) -> bool:
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
    return Facts(
        figures=tuple(figures),
        days=facts.days,
    )


class _FactLookup:
    """The figures and dates of a claim, looked up."""

    def __init__(
        self,
        claim: str,
        readings: Sequence[_Reading],
        *,
        is_cell: bool,
    ) -> None:
        self._claimed = read_claimed(claim)
        self._readings = readings
        self._is_cell = is_cell
        self.checked = len(self._claimed.figures) + len(self._claimed.days)
        self.derived = 0

    def figures(self) -> Iterator[Doubt]:
        for figure in self._claimed.figures:
            is_known = any(
                each.source.knows_figure(
                    figure,
                    each.scores,
                    is_cell=self._is_cell,
                )
                for each in self._readings
            )
            if is_known:
                continue
            if any(_is_derived(figure, each) for each in self._readings):
                self.derived += 1
            else:
                yield Doubt(
                    kind="figure",
                    text=figure.text,
                )

    def dates(self) -> Iterator[Doubt]:
        readings: dict[str, list[Day]] = {}
        for day in self._claimed.days:
            is_ambiguous = re.fullmatch(r"\d+[./]\d+[./]\d+", day.text)
            key = day.text if is_ambiguous else f"{day.text} {day.year} {day.day}"
            readings.setdefault(key, []).append(day)
        for days in readings.values():
            if not any(self._knows(day) for day in days):
                yield Doubt(
                    kind="date",
                    text=days[0].text,
                )

    def _knows(self, day: Day) -> bool:
        if not day.month and all(each.source.names_no_year() for each in self._readings):
            return True
        return any(each.source.knows_day(day, each.scores) for each in self._readings)


def _is_derived(
    figure: Figure,
    reading: _Reading,
) -> bool:
    """Whether two figures of one sentence that speaks of the claim make up this one."""
    if figure.is_small:
        return False
    for sentence in reading.source.near(reading.scores, NEAR):
        known = [each for each in sentence.figures if each.text and not each.is_small]
        if any(
            _makes(
                figure,
                one,
                other,
            )
            for one, other in permutations(known, 2)
        ):
            return True
    return False


def _makes(
    figure: Figure,
    one: Figure,
    other: Figure,
) -> bool:
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


def _quotations(claim: str) -> Iterator[str]:
    """Quotations of two words and more; a title in quotes is none."""
    for match in _QUOTE.finditer(claim):
        quotation = next(filter(None, match.groups()))
        words = re.findall(r"[^\W\d_]+", quotation)
        long_words = [word for word in words if len(word) > _SHORT_WORD]
        is_title = quotation[:1].isupper() and all(word[0].isupper() for word in long_words)
        if len(words) >= _MIN_QUOTE_WORDS and not is_title:
            yield quotation


def _has_quotation(
    source: Evidence,
    quotation: str,
) -> bool:
    parts = [words_of(part) for part in _OMISSION.split(quotation)]
    return all(source.has_words(part) for part in parts if part)


_OPPOSITES = [
    (frozenset(pair["one"].split()), frozenset(pair["other"].split())) for pair in WORDS.opposites
]
_DENIALS = WORDS.listed("denials")
_NOT_ONLY = re.compile(r"\b(?:not|nicht|pas) (?:only|just|nur|seulement)\b", re.IGNORECASE)


def _opposites(
    claim: str,
    readings: Sequence[_Reading],
) -> Iterator[Doubt]:
    """Words whose opposite alone stands where the sources speak of the claim, and denials."""
    words = set(words_of(claim))
    sentences = chain.from_iterable(each.source.near(each.scores) for each in readings)
    near = {word for sentence in sentences for word in sentence.words}
    for pair in _OPPOSITES:
        for said, contrary in (pair, pair[::-1]):
            claimed = words & said
            if claimed and not words & contrary and near & contrary and not near & said:
                yield Doubt(
                    kind="opposite",
                    text=min(claimed),
                )
    if _denies(words) and not _denies(near) and not _NOT_ONLY.search(claim):
        yield Doubt(
            kind="negation",
            text=min(words & _DENIALS, default="not"),
        )


def _denies(words: set[str]) -> bool:
    return bool(words & _DENIALS) or any(word.endswith("n't") for word in words)
