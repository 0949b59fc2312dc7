"""Dates of a sentence, whole or in part, in the languages that claims are read in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from babel import Locale

from mcp_local.claims.language import LANGUAGES

_MID_MONTH = 15
_CENTURY = 100
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_SUFFIX = r"(?:st|nd|rd|th|er|º|\.)?"
_DAYS = rf"{_DAY}{_SUFFIX}(?:\s?(?:-|to|and|&|,|bis|und|et|y)\s?{_DAY}{_SUFFIX}(?!\d)){{0,3}}"
_YEAR = r"(?:1\d{3}|20\d\d)"
_LINK = r"(?:\s?,)?\s?(?:(?:of|de|del|do)\s)?"
_ORDINAL = r"(?:st|nd|rd|th|er|e|ème|[ºª]|\.(?:[ºª]|ᵉʳ)?)\s"
_QUARTER = r"(?:quarter|quartals?|trimestre|trimester|kwartaal)\b"
_HALF = r"(?:half|halbjahre?s?|semestre|semester|mitad)\b"
_FIRST_MONTHS = rf"1{_ORDINAL}(?P<months>[2-9]|1[01])\s(?:months|monaten?)\b"
_ALSO_WORDS = ("may", "march", "mars", "mai", "maart", "mei", "marzo", "março")
"""Months whose names mean something else as well: they count beside a number or after "in"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date, or the parts of one that are named; 0 is not named."""

    text: str = ""
    year: int = 0
    last_year: int = 0
    """Of a decade or a century."""
    month: int = 0
    last_month: int = 0
    """Of a quarter, of half a year, or of the first months of one."""
    day: int = 0
    is_ambiguous: bool = False
    """Whether the same text may mean another day: `3.4.2020`, or the year `’92`."""  # noqa: RUF001

    @property
    def parts(self) -> tuple[int, int, int, int]:
        """Year, months and day: what makes two dates the same."""
        return self.year, self.month, self.last_month, self.day

    @property
    def is_whole(self) -> bool:
        """Whether it names a day of a year."""
        return bool(self.year and self.month and self.day)

    def moment(self) -> date | None:
        """The day, or the middle of the month; None where there is no such day."""
        try:
            return date(self.year, self.month, self.day or _MID_MONTH)
        except ValueError:
            return None


def day_of(moment: date) -> Day:
    """A whole date."""
    return Day(year=moment.year, month=moment.month, day=moment.day)


@cache
def month_numbers() -> dict[str, int]:
    """The number of each month by its names and their abbreviations."""
    names = {"sept": 9}
    for language in LANGUAGES:
        formats = Locale(language).months["format"]
        for width in ("wide", "abbreviated"):
            for number, name in formats[width].items():
                names.setdefault(name.casefold().rstrip("."), number)
    return names


@cache
def _pattern() -> re.Pattern[str]:
    names = "|".join(sorted(month_numbers(), key=len, reverse=True))
    wide = "|".join(
        name
        for language in LANGUAGES
        for name in Locale(language).months["format"]["wide"].values()
        if name.casefold() not in _ALSO_WORDS
    )
    also = "|".join(_ALSO_WORDS)
    forms = (
        rf"(?P<iso>{_YEAR}[-/](?:0\d|1[0-2])[-/](?:[0-2]\d|3[01]))(?!\d)",
        rf"(?P<numeric>{_DAY}[./]{_DAY}[./]{_YEAR}|{_DAY}/{_DAY}/\d\d)(?![/\d])",
        r"(?<=\b(?:in|of|de|by)\s['’])(?P<brief>\d\d)(?![\w%])",  # noqa: RUF001
        rf"(?P<d1>{_DAYS})(?:\s(?:of|de))?\s?(?P<m1>{names})\b\.?(?:{_LINK}(?P<y1>{_YEAR})(?!\d))?",
        rf"(?P<m2>{names})\b\.?\s(?P<d2>{_DAYS})(?!\d|\s?%|\sper)(?:{_LINK}(?P<y2>{_YEAR})(?!\d))?",
        rf"(?P<m3>{names})\b\.?{_LINK}(?P<y3>{_YEAR})(?!\d)",
        rf"(?P<m4>{wide}|(?<=\b(?:in|im|en|of)\s)(?:{also}))\b",
        rf"(?:(?-i:Q)(?P<q1>[1-4])\b|(?P<q2>[1-4]){_ORDINAL}{_QUARTER})"
        rf"(?:{_LINK}(?P<y5>{_YEAR})(?!\d))?",
        rf"(?:(?-i:H)(?P<h1>[12])\b|(?P<h2>[12]){_ORDINAL}{_HALF}|{_FIRST_MONTHS})"
        rf"{_LINK}(?P<y6>{_YEAR})(?!\d)",
        r"(?P<century>\d\d?)(?:th|st|nd|rd|\.|e|ème)?\s(?:century|centuries|jahrhunderts?|siècle)\b",
        rf"(?P<first>{_YEAR})[-/](?P<short>\d\d)(?![\d-])",
        rf"(?P<y4>{_YEAR})(?P<decade>['’]?s)?(?![\w%]|[.,]\d|\s(?:%|percent))",  # noqa: RUF001
    )
    # The first letter decides first: a long text is left without a try of all forms at each place.
    begins = "".join({name[0] for name in (*month_numbers(), *_ALSO_WORDS, "q", "h")})
    return re.compile(rf"(?<![\w.])(?=[\d{begins}])(?:{'|'.join(forms)})", re.IGNORECASE)


def read_days(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    """Each date with what it may mean: `3.4.2020` is two days, and so is `3 and 4 May`."""
    for match in _pattern().finditer(text):
        yield match, [*_readings(match)]


def _readings(match: re.Match[str]) -> Iterator[Day]:
    text = match[0].strip()
    parts = {name: part for name, part in match.groupdict().items() if part}
    if "iso" in parts:
        year, month, day = (int(part) for part in re.split(r"[-/]", text))
        yield Day(text=text, year=year, month=month, day=day)
    elif "numeric" in parts:
        first, second, year = (int(part) for part in re.split(r"[./]", text))
        if year < _CENTURY:
            year += 2000
        day = Day(text=text, year=year, month=second, day=first, is_ambiguous=True)
        yield day
        yield replace(day, month=first, day=second)
    elif "brief" in parts:
        year = Day(text=text, year=1900 + int(text), is_ambiguous=True)
        yield year
        yield replace(year, year=year.year + _CENTURY)
    elif parts.keys() & {"century", "first", "decade"}:
        yield from _spans(text, parts)
    else:
        yield from _named(text, parts)


def _spans(text: str, parts: dict[str, str]) -> Iterator[Day]:
    """Centuries and decades, and both years of `2013-14`."""
    if "century" in parts:
        end = int(parts["century"]) * _CENTURY
        yield Day(text=text, year=end - _CENTURY, last_year=end)
    elif "first" in parts:
        begin = int(parts["first"])
        yield Day(text=text, year=begin)
        yield Day(text=text, year=begin - begin % 100 + int(parts["short"]))
    else:
        begin = int(parts["y4"])
        span = 9 if begin % 100 else 99
        is_round = begin % 10 == 0  # 1941s is no decade
        last_year = begin + span if is_round else 0
        yield Day(text=text, year=begin, last_year=last_year)


def _named(text: str, parts: dict[str, str]) -> Iterator[Day]:
    """Dates with the month's name, parts of a year, and bare years."""
    days = ""
    month = 0
    last_month = 0
    year = 0
    for name, part in parts.items():
        if name.startswith("d"):
            days = part
        elif name == "months":
            month = 1
            last_month = int(part)
        elif name.startswith("m"):
            month = month_numbers()[part.casefold()]
        elif name.startswith(("q", "h")):
            length = 3 if name.startswith("q") else 6
            last_month = int(part) * length
            month = last_month - length + 1
        else:
            year = int(part)
    for day in re.findall(r"\d+", days) or ["0"]:
        yield Day(text=text, year=year, month=month, last_month=last_month, day=int(day))
