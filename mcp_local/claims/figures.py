"""Figures of a sentence by value: numbers in digits and in words, with unit, currency and scale.

Two figures agree when one is the other as rounded by its own digits, in the same or a convertible
unit.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

from text_to_num import alpha2digit  # pyright: ignore[reportUnknownVariableType] (no types)

from mcp_local.claims.dates import Day, read_days
from mcp_local.claims.language import COMMON_WORDS, WORDS, LanguageCode, words_of

_SMALL = 12
_MILLION = 1e6
_ROUND_ZEROS = 2
"""From so many zeros at its end on, a number may be a rounded one."""
_ROUNDED = 0.05
"""A number with zeros at its end is at most so far from the one that it was rounded from."""
_LOOK_BACK = 16
_LOOK_AHEAD = 40
_SLACK = 1.0001
"""For what is lost in floating point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as it may be meant: "1.250" has two values."""

    text: str
    values: tuple[float, ...]
    half_step: float
    """How far a value may be off that is rounded to the first one."""
    unit: str = ""
    """What it counts, where that is known: percent, points, a currency, or a dimension."""
    factor: float = 1.0
    """How much of its dimension's base the unit is."""
    digits: float = 0.0
    """The number alone, without scale and unit."""
    is_back_reference: bool = False
    """Whether it counts what was named before: "the other two"."""
    counted: frozenset[str] = frozenset()
    """The words around it, of which one says what it counts."""

    @property
    def size(self) -> float:
        """The number as it is written, or with its scale where that makes it larger."""
        return max(self.digits, self.values[0])

    @property
    def is_small(self) -> bool:
        """A bare number as lists and sentences count with."""
        value = self.values[0]
        is_bare = not self.unit
        return is_bare and value <= _SMALL and value.is_integer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The figures and dates of a sentence; a year is a date, but may be meant as a number."""

    figures: tuple[Figure, ...]
    days: tuple[Day, ...]


_LARGE_NUMBERS = {12: "trillion", 9: "billion", 6: "million"}
_SPACES = re.compile(r"[\u00a0\u2007\u2009\u202f]")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_in_digits = cast("Callable[[str, str, float], str]", alpha2digit)
_JOINED = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])|(?<=\d)-(?=[^\W\d_])")


def read_facts(text: str, language: LanguageCode) -> Facts:
    """The figures and dates of a sentence."""
    plain = _DASHES.sub("-", _SPACES.sub(" ", text))
    plain = _JOINED.sub(" ", plain)
    for rewrite in WORDS.rewrites:  # before a hundred or a half is read as a number
        plain = rewrite.pattern.sub(rewrite.text, plain)
    plain = _in_digits(plain, language, 0)
    days: list[Day] = []
    undated = plain
    for match, readings in read_days(plain):
        days.extend(readings)
        if not match[0].isdigit():  # a bare year may be a number as well
            start, end = match.span()
            blank = "\0" * len(match[0])
            rest = undated[end:]
            undated = undated[:start] + blank + rest
    figures = tuple(_read_figures(undated))
    return Facts(figures=figures, days=tuple(days))


_GROUPED = r"\d{1,3}(?:[.,'\u2019 ]\d{3})+(?![.,]?\d)"
_NUMBER = re.compile(
    rf"(?<![\w.,:])(?<![^\W\d]-)(?P<before>(?:US|A|C)?\$|€|£|¥|\b(?:USD|EUR|GBP|CHF)\s?)?\s?"
    rf"(?P<number>{_GROUPED}|\d{{1,15}}(?:[.,]\d{{1,15}}){{0,3}})(?!\d)"
    r"(?P<ordinal>(?:st|nd|rd|th|er|e|ème|[ºª])\b)?(?!:\d)"
)
_SCALES = WORDS.scales
_SCALE_WORDS = "|".join(f"({scale.words})" for scale in _SCALES)
_SCALE = re.compile(rf"\s?(?:{_SCALE_WORDS}|(m))(?![\w²³])", re.IGNORECASE)
_GLUED_MILLION = len(_SCALES) + 1


def is_scale(word: str) -> bool:
    """Whether it multiplies the number before it, as "million" does."""
    return _SCALE.fullmatch(word) is not None


_Measure = tuple[str, float]
CURRENCIES = {"$", "€", "£", "¥", "chf"}
UNIT_OF: dict[str, _Measure] = {}
for known_unit in WORDS.units:
    measure = (known_unit.unit, known_unit.factor)
    for unit_word in known_unit.words.split():
        UNIT_OF[unit_word] = measure
_LABEL = re.compile(r"((?:US|A|C)?[$€£¥]|USD|EUR|GBP|CHF|)\s?(.*)")
_UNIT_WORD = re.compile(
    r"[ -]?(?:(?:de|of) |d['’])?(km/h|[^\W\d_]+[²³2]?|%|°\s?[CF]|[€$£¥])",  # noqa: RUF001
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:about|around|some|nearly|almost|roughly|approximately|approx\.?|over|than|under|least"
    r"|most|up to|circa|ca?\.?|rund|etwa|fast|knapp|über|als|gut|environ|près de|de|casi|unos"
    r"|unas|estimated|an? )\s?$|[~≈><]\s?$",
    re.IGNORECASE,
)
_BACK_REFERENCE = re.compile(
    r"\b(?:other|remaining|final|last|these|those|all|latter)\s?$", re.IGNORECASE
)
_RANGE = re.compile(r"\s?(?:-|to|and|bis|à|a|und)\s?[$€£¥]?\s?")


def _read_figures(text: str) -> Iterator[Figure]:
    """Each number; the first of a range takes scale and unit of the second."""
    before: Figure | None = None
    end = 0
    position = 0
    while match := _NUMBER.search(text, position):
        figure, position = _read_figure(text, match)
        if before:
            between = text[end : match.start("number")]
            is_plain = before.values[0] == before.digits
            if is_plain and not before.unit and _RANGE.fullmatch(between):
                before = _scaled_like(before, figure)
            yield before
        before = figure
        end = position
    if before:
        yield before
    yield from _worded(text)


def _scaled_like(figure: Figure, second: Figure) -> Figure:
    """The first figure of a range such as "3 to 5 million euros"; it may be a plain number too."""
    scale = second.values[0] / (second.digits or 1.0)
    scaled = tuple(value * scale for value in figure.values)
    plain = tuple(value * second.factor for value in figure.values)
    return replace(
        figure,
        values=scaled + plain,
        half_step=figure.half_step * scale,
        unit=second.unit,
        factor=second.factor,
    )


def _read_figure(text: str, match: re.Match[str]) -> tuple[Figure, int]:
    """The figure, and where its scale ends."""
    digits = match["number"]
    before = (match["before"] or "").strip()
    is_money = bool(before)
    scale, end = _read_scale(text, match.end(), is_money=is_money)
    unit, factor, unit_end = _read_unit(text, end, before)
    whole_factor = factor * scale
    values, decimals = _values_of(digits)
    half_step = 0.5 * 10.0**-decimals
    start = match.start()
    first = max(0, start - _LOOK_BACK)
    lead = text[first:start]
    significant = digits.rstrip("0")
    zeros = len(digits) - len(significant)
    is_hedged = _HEDGE.search(lead) is not None
    is_round = is_hedged or (zeros >= _ROUND_ZEROS and scale == 1)
    if is_round and zeros and not decimals:
        last_digit = half_step * 10.0**zeros
        rounded = min(last_digit, values[0] * _ROUNDED)
        half_step = max(half_step, rounded)
    rest = text[unit_end : unit_end + _LOOK_AHEAD]
    around = words_of(lead)[-1:]
    around += words_of(rest)[:2]
    counted = {word.rstrip("s") for word in around}
    figure = Figure(
        text=_shown(text[match.start() : unit_end]),
        values=tuple(value * whole_factor for value in values),
        half_step=half_step * whole_factor,
        unit=unit,
        factor=factor,
        digits=values[0],
        counted=frozenset(counted - COMMON_WORDS),
        is_back_reference=_BACK_REFERENCE.search(lead) is not None,
    )
    return figure, end


def _shown(text: str) -> str:
    """The figure as it is named to somebody: 3000000 was three million before."""
    for zeros, word in _LARGE_NUMBERS.items():
        pattern = rf"(?:(?<=\d) 1|(?<=\d))0{{{zeros}}}(?!\d)"
        text = re.sub(pattern, f" {word}", text)
    return text.strip()


def _read_scale(text: str, end: int, *, is_money: bool) -> tuple[float, int]:
    """What the digits are multiplied by, and where that ends; "m" is a million in money alone."""
    scale = 1.0
    while scaled := _SCALE.match(text, end):
        number = scaled.lastindex or 1
        if number == _GLUED_MILLION and not is_money:
            break
        factor = _MILLION
        if number != _GLUED_MILLION:
            factor = _SCALES[number - 1].factor
        scale *= factor
        end = scaled.end()
    return scale, end


def _values_of(digits: str) -> tuple[list[float], int]:
    """The values of a number and its decimals; one group of three may be decimals as well."""
    *groups, last = re.split(r"[.,]", digits)
    if not re.fullmatch(_GROUPED, digits):
        if not groups:
            return [float(digits)], 0
        whole = "".join(groups)
        return [float(f"{whole}.{last}")], len(last)
    grouped = float(re.sub(r"\D", "", digits))
    if len(groups) != 1:
        return [grouped], 0
    whole = groups[0]
    decimal = float(f"{whole}.{last}")
    if groups == ["0"]:
        return [decimal], len(last)
    return [grouped, decimal], 0


def _read_unit(text: str, end: int, before: str) -> tuple[str, float, int]:
    """The unit, how much of its base it is, and where it ends."""
    if before:
        currency = before.casefold().lstrip("usac")
        unit, factor = UNIT_OF.get(currency, ("$", 1.0))
        return unit, factor, end
    start = end
    if text.startswith((" ", "-"), end):
        start += 1
    for phrase in WORDS.phrases:
        match = phrase.pattern.match(text, start)
        if match:
            return *UNIT_OF[phrase.word], match.end()
    match = _UNIT_WORD.match(text, end)
    if match:
        word = match[1].casefold().replace(" ", "")
        if word in UNIT_OF:
            return *UNIT_OF[word], match.end()
    return "", 1.0, end


_WORDED_WORDS = "|".join(f"({worded.words})" for worded in WORDS.worded)
_WORDED = re.compile(rf"\b(?:{_WORDED_WORDS})\b", re.IGNORECASE)


def _worded(text: str) -> Iterator[Figure]:
    """What words say without a number; they support a figure and are none."""
    for match in _WORDED.finditer(text):
        worded = WORDS.worded[(match.lastindex or 1) - 1]
        value = (worded.value,)
        yield Figure(text="", values=value, half_step=0.0, unit=worded.unit)


def agrees(claimed: Figure, known: Figure) -> bool:
    """Whether the one rounds to the other, in a unit that does not contradict.

    A value that was converted is as exact as the one that it was converted from.
    """
    if claimed.unit != known.unit:
        if not _may_lack_unit(claimed, known):
            return False
        claimed = _without_unit(claimed)
        known = _without_unit(known)
    # Each reading is rounded in its own scale.
    value = claimed.values[0] or 1.0
    share = claimed.half_step / value * _SLACK
    converted = 0.0
    if claimed.factor != known.factor:
        converted = known.half_step
    for one in claimed.values:
        slack = max(abs(one) * share, converted)
        for other in known.values:
            if abs(one - other) <= slack:
                return True
    return False


def _may_lack_unit(claimed: Figure, known: Figure) -> bool:
    """Whether one without a unit may mean the other; the first of a range may also be small."""
    is_contrary = claimed.unit and known.unit
    is_small = len(claimed.values) == 1 and claimed.size <= _SMALL
    return not (is_contrary or is_small or claimed.unit == "points")


def _without_unit(figure: Figure) -> Figure:
    """The number with its scale alone."""
    values = tuple(value / figure.factor for value in figure.values)
    half_step = figure.half_step / figure.factor
    return replace(figure, values=values, half_step=half_step, factor=1.0)


def agrees_in_digits(claimed: Figure, known: Figure) -> bool:
    """Whether the digits are the same: scale and unit of a table may stand in its head."""
    if claimed.is_small or claimed.digits != known.digits:
        return False
    is_claimed_plain = claimed.digits == claimed.values[0]
    is_known_plain = known.digits == known.values[0]
    return is_claimed_plain or is_known_plain


def measured(figures: Iterable[Figure], label: str, language: LanguageCode) -> Iterator[Figure]:
    """Bare figures of a table, with scale and unit of their row or head: `Output (GWh)`."""
    one = _LABEL.sub(r"\g<1>1 \2", label, count=1)
    for named in read_facts(one, language).figures:
        if named.unit or named.values[0] > 1:
            for figure in figures:
                yield _scaled_like(figure, named)
