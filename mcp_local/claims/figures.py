"""Figures and dates of a sentence, by value: numbers in digits and in words, with unit and scale.

Two figures agree when one is the other as rounded by its own digits, in the same or a convertible
unit; two dates agree when no part that both name differs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import chain
from typing import Literal, get_args

from babel import Locale
from text_to_num import alpha2digit

Language = Literal["en", "de", "fr", "es", "it", "pt", "nl"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_COMMON = {
    "en": "the of and was with for that his their which",
    "de": "der die das und mit von den ist für auf",
    "fr": "le les des et dans une est pour avec du",
    "es": "el los las y con una por del que más",
    "it": "il gli che di della una per con sono nel",
    "pt": "os uma não com em do da para foi mais",
    "nl": "het een van en met voor zijn op niet werd",
}
COMMON_WORDS = frozenset(" ".join(_COMMON.values()).split()) | frozenset(
    "a an in on at to by as is were be been he she it its her had has have not after before who"
    " would also but or this they when during where from".split()
)
_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> Language:
    """The language whose commonest words stand most often at the beginning of the text."""
    words = _WORD.findall(text[:20_000].casefold())

    def count(language: Language) -> int:
        common = set(_COMMON[language].split())
        return sum(word in common for word in words)

    return max(LANGUAGES, key=count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as it may be meant: "1.250" has two values."""

    text: str
    values: tuple[float, ...]
    half_step: float
    """How far a value may be off that is rounded to this one."""
    unit: str = ""
    """What it counts, where that is known: percent, points, a currency, or a dimension."""
    is_ordinal: bool = False
    is_back_reference: bool = False
    """Whether it counts what was named before: "the other two"."""
    counted: frozenset[str] = frozenset()
    """The words around it, of which one says what it counts."""

    @property
    def is_small(self) -> bool:
        """A bare number as lists and sentences count with."""
        return not self.unit and self.values[0] <= _SMALL and self.half_step >= _HALF


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date, or the parts of one that are named; 0 is not named."""

    text: str
    year: int = 0
    last_year: int = 0
    """Of a decade or century."""
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The figures and dates of a sentence; a year is a date, but may be meant as a number."""

    figures: tuple[Figure, ...]
    days: tuple[Day, ...]


_SMALL = 12
_HALF = 0.5
_SPACES = re.compile(r"[\u00a0\u2007\u2009\u202f]")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_JOINED = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])|(?<=\d)-(?=[^\W\d_])")


def read_facts(text: str, language: Language) -> Facts:
    """The figures and dates of a sentence."""
    plain = _DASHES.sub("-", _SPACES.sub(" ", text))
    plain = _JOINED.sub(" ", plain)
    plain = alpha2digit(plain, language, 0)
    days: list[Day] = []
    rest = plain
    for match, readings in _read_days(plain):
        days.extend(readings)
        blank = " " if not readings[0].text.isdigit() else ""
        if blank:
            rest = rest[: match.start()] + "\0" * len(match[0]) + rest[match.end() :]
    return Facts(figures=tuple(_read_figures(rest)), days=tuple(days))


# Numbers

_GROUPED = r"\d{1,3}(?:[.,'’ ]\d{3})+(?![.,]?\d)"
_NUMBER = re.compile(
    rf"(?<![\w.,:])(?<![\w]-)(?P<before>(?:US|A|C)?\$|€|£|¥|\b(?:USD|EUR|GBP|CHF)\s?)?\s?"
    rf"(?P<number>{_GROUPED}|\d+(?:[.,]\d+)*)"
    r"(?P<ordinal>(?:st|nd|rd|th|er|e|ème|[ºª])\b)?(?!:\d)"
)
_SCALES = (
    (r"trillion\w*|tn|trn|bio\.?|Billionen|10{12}", 1e12),
    (r"billions?|bn|mrd\.?|mld\.?|md|milliard\w*|miliard\w*|bilh\w+|10{9}", 1e9),
    (r"million\w*|mio\.?|mn|mln|millón|millones|milion[ei]|milh\w+|miljoen|10{6}", 1e6),
    (r"crore", 1e7),
    (r"lakh", 1e5),
    (r"thousand|tsd\.?|tausend|mila|k|10{3}", 1e3),
    (r"hundred|100", 1e2),
    (r"dozen", 12.0),
)
_SCALE = re.compile(
    r"\s?(?:" + "|".join(f"({words})" for words, _ in _SCALES) + r"|(m))(?![\w²³])",
    re.IGNORECASE,
)
_GLUED_MILLION = len(_SCALES) + 1
_UNITS: dict[str, dict[float, str]] = {
    "percent": {1: "% percent pct prozent pourcent percento procent"},
    "points": {1: "pp prozentpunkt prozentpunkte prozentpunkten"},
    "$": {1: "$ dollar dollars usd", 0.01: "cent cents"},
    "€": {1: "€ euro euros eur"},
    "£": {1: "£ gbp sterling"},
    "¥": {1: "¥ yen yuan"},
    "chf": {1: "chf franken"},
    "length": {
        1: "metres meters metre meter metern mètres metros", 1000: "km kilometre kilometres "
        "kilometer kilometers kilometern kilomètres kilómetros", 1609.34: "mile miles mi meilen",
        0.3048: "ft feet foot fuß", 0.01: "cm centimetres centimeters zentimeter",
        0.001: "mm millimetres millimeters millimeter", 0.0254: "inch inches zoll",
        0.9144: "yard yards",
    },
    "area": {
        1e6: "km² km2 sqkm quadratkilometer", 2.59e6: "sqmi", 1e4: "ha hectare hectares hektar",
        4046.86: "acre acres", 1: "m² m2 quadratmeter", 0.0929: "sqft",
    },
    "mass": {
        1: "kg kilogram kilograms kilos kilogramm", 1000: "tonne tonnes ton tons tonnen",
        0.4536: "lb lbs", 0.001: "grams gramm grammes",
    },
    "time": {
        1: "day days tag tage tagen jours días", 7: "week weeks wochen semaines semanas",
        1 / 24: "hour hours h stunden heures horas", 1 / 1440: "minute minutes min minuten minutos",
        1 / 86400: "second seconds sekunden secondes segundos",
    },
    "years": {
        1: "year years jahr jahre jahren ans années años", 10: "decade decades jahrzehnte",
        1 / 12: "month months monate monaten mois meses", 100: "century centuries",
    },
    "power": {1: "w watt watts", 1e3: "kw", 1e6: "mw megawatt megawatts", 1e9: "gw gigawatt "
        "gigawatts", 1e12: "tw terawatt"},
    "energy": {1e3: "kwh", 1e6: "mwh", 1e9: "gwh", 1e12: "twh"},
    "data": {1e3: "kb", 1e6: "mb", 1e9: "gb", 1e12: "tb"},
    "celsius": {1: "°c celsius"},
    "fahrenheit": {1: "°f fahrenheit"},
    "speed": {1: "kmh km/h kph", 1.609: "mph"},
}  # fmt: skip
_UNIT_OF = {
    word: (unit, factor)
    for unit, factors in _UNITS.items()
    for factor, words in factors.items()
    for word in words.split()
}
_PHRASES = (
    (re.compile(r"per cent|pour cent|por ciento|per cento", re.IGNORECASE), "%"),
    (re.compile(r"(?:%|percent|percentage|pct\.?|per cent)[ -]points?", re.IGNORECASE), "pp"),
    (re.compile(r"(?:points? de pourcentage|puntos porcentuales)", re.IGNORECASE), "pp"),
    (re.compile(r"(?:square|sq\.?) (?:kilomet\w+|km)", re.IGNORECASE), "km²"),
    (re.compile(r"(?:square|sq\.?) (?:miles?|mi)", re.IGNORECASE), "sqmi"),
    (re.compile(r"(?:square|sq\.?) (?:feet|foot|ft)", re.IGNORECASE), "sqft"),
    (re.compile(r"(?:square|sq\.?) (?:met\w+|m)", re.IGNORECASE), "m²"),
)
_UNIT_WORD = re.compile(r"[ -]?(km/h|[^\W\d_]+[²³2]?|%|°\s?[CF]|[€$£¥])", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:about|around|some|nearly|almost|roughly|approximately|approx\.?|over|than|under|least"
    r"|most|up to|circa|ca?\.?|rund|etwa|fast|knapp|über|als|gut|environ|près de|de|casi|unos"
    r"|unas|estimated|an? )\s?$|[~≈><]\s?$",
    re.IGNORECASE,
)
_BACK = re.compile(r"\b(?:other|remaining|final|last|these|those|all|latter)\s?$", re.IGNORECASE)
_RANGE = re.compile(r"\s?(?:-|to|and|bis|à|a|und)\s?[$€£¥]?\s?(?=\d)")
_LOOK_BACK = 16


def _read_figures(text: str) -> Iterator[Figure]:
    """Each number; the first of a range takes scale and unit of the second."""
    numbers: list[tuple[int, int, Figure, float]] = []
    position = 0
    while match := _NUMBER.search(text, position):
        figure, scale, position = _read_figure(text, match)
        numbers.append((match.start("number"), position, figure, scale))
    for index, (_, end, figure, scale) in enumerate(numbers):
        if index + 1 < len(numbers) and scale == 1 and not figure.unit:
            start, _, second, factor = numbers[index + 1]
            follower = _RANGE.match(text, end)
            if follower and follower.end() == start:
                yield Figure(
                    text=figure.text,
                    values=tuple(value * factor for value in figure.values),
                    half_step=figure.half_step * factor,
                    unit=second.unit,
                )
                continue
        yield figure
    yield from _worded(text)


def _read_figure(text: str, match: re.Match[str]) -> tuple[Figure, float, int]:
    """The figure, what its digits are multiplied by, and where it ends."""
    digits = match["number"]
    end = match.end()
    scale = 1.0
    before = (match["before"] or "").strip()
    while scaled := _SCALE.match(text, end):
        is_glued = bool(scaled[_GLUED_MILLION])
        if is_glued and not before:
            break
        scale *= 1e6 if is_glued else _SCALES[(scaled.lastindex or 1) - 1][1]
        end = scaled.end()
    unit, factor = _read_unit(text, end, before)
    values, decimals = _values_of(digits)
    half_step = 0.5 * 10.0**-decimals
    zeros = len(digits) - len(digits.rstrip("0"))
    is_hedged = bool(_HEDGE.search(text[max(0, match.start() - _LOOK_BACK) : match.start()]))
    if not decimals and scale == 1 and (zeros >= 2 or (zeros and is_hedged)):
        half_step *= 10.0 ** zeros
    factor *= scale
    around = [*_WORD.findall(text[:match.start()])[-1:], *_WORD.findall(text[end : end + 40])[:2]]
    figure = Figure(
        text=text[match.start() : end].strip(),
        values=tuple(value * factor for value in values),
        half_step=half_step * factor,
        unit=unit,
        is_ordinal=bool(match["ordinal"]),
        counted=frozenset(word.casefold().rstrip("s") for word in around) - COMMON_WORDS,
        is_back_reference=bool(_BACK.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])),
    )
    return figure, factor, end


def _values_of(digits: str) -> tuple[list[float], int]:
    """The values of a number and its decimals; one group of three may be decimals as well."""
    if re.fullmatch(_GROUPED, digits):
        grouped = float(re.sub(r"\D", "", digits))
        parts = re.split(r"[.,]", digits)
        if len(parts) == 2 and parts[0] != "0":  # noqa: PLR2004 (two parts)
            return [grouped, float(".".join(parts))], 0
        if len(parts) == 2:  # noqa: PLR2004
            return [float(".".join(parts))], 3
        return [grouped], 0
    parts = re.split(r"[.,]", digits)
    whole = "".join(parts[:-1])
    if not whole:
        return [float(digits)], 0
    return [float(f"{whole}.{parts[-1]}")], len(parts[-1])


def _read_unit(text: str, end: int, before: str) -> tuple[str, float]:
    if before:
        return _UNIT_OF.get(before.casefold().lstrip("usac") or "$", ("$", 1.0))
    start = end + (text[end : end + 1] in (" ", "-"))
    for phrase, word in _PHRASES[::-1]:
        if phrase.match(text, start):
            return _UNIT_OF[word]
    match = _UNIT_WORD.match(text, end)
    if match is None:
        return "", 1.0
    word = match[1].casefold().replace(" ", "")
    return _UNIT_OF.get(word, ("", 1.0))


_WORDED: tuple[tuple[str, float, str], ...] = (
    (r"half|halves|halved|hälfte|moitié|mitad", 50, "percent"),
    (r"(?:a|one|1) third|drittel|tiers|tercio", 100 / 3, "percent"),
    (r"2 (?:thirds|3rds|drittel|tiers)", 200 / 3, "percent"),
    (r"quarter|viertel|quart|cuarto", 25, "percent"),
    (r"3 (?:quarters|viertel|quarts)", 75, "percent"),
    (r"(?:a|one|1) fifth|fünftel", 20, "percent"),
    (r"doubled|doubling|twofold|verdoppel\w+|doublé", 100, "percent"),
    (r"both|couple|pair|twins?|twice|double[ds]?|duo|beide\w*|zwei\w*|duet|either|respectively", 2, ""),
    (r"trio|tripled?s?|triplets|thrice|trilogy|drei\w*", 3, ""),
    (r"quartet|quadruple|tetralogy", 4, ""),
    (r"quintet", 5, ""),
    (r"freshm[ae]n", 9, ""),
    (r"dozen|dutzend|douzaine|docena", 12, ""),
    (r"decade|jahrzehnt|décennie|década", 10, "years"),
)
_WORDED_PATTERN = re.compile(
    r"\b(?:" + "|".join(f"({words})" for words, _, _ in _WORDED) + r")\b", re.IGNORECASE
)


def _worded(text: str) -> Iterator[Figure]:
    """What words say without a number; they support a figure and are none."""
    for match in _WORDED_PATTERN.finditer(text):
        _, value, unit = _WORDED[(match.lastindex or 1) - 1]
        yield Figure(text="", values=(float(value),), half_step=0.0, unit=unit)


def agrees(claimed: Figure, known: Figure) -> bool:
    """Whether the one rounds to the other, in a unit that does not contradict."""
    if claimed.unit != known.unit:
        is_bare = not claimed.unit or not known.unit
        if not is_bare or claimed.values[0] <= _SMALL or claimed.unit == "points":
            return False
    slack = claimed.half_step * 1.0001
    return any(abs(one - other) <= slack for one in claimed.values for other in known.values)


# Dates

_ABBREVIATED = {"sept": 9}


@cache
def month_numbers() -> dict[str, int]:
    names: dict[str, int] = dict(_ABBREVIATED)
    for language in LANGUAGES:
        formats = Locale(language).months["format"]
        for width in ("wide", "abbreviated"):
            for number, name in formats[width].items():
                names.setdefault(name.casefold().rstrip("."), number)
    return names


@cache
def _date_pattern() -> re.Pattern[str]:
    names = "|".join(sorted(month_numbers(), key=len, reverse=True))
    wide = "|".join(
        name
        for language in LANGUAGES
        for name in Locale(language).months["format"]["wide"].values()
        if name.casefold() not in ("may", "march", "mars", "mai", "maart", "mei")
    )
    day = r"(?:3[01]|[12]\d|0?[1-9])"
    days = rf"{day}(?:st|nd|rd|th|er|º|\.)?(?:\s?(?:-|to|and|&|,|bis|und|et|y)\s?{day}(?:st|nd|rd|th|\.)?)*"
    year = r"(?:1\d{3}|20\d\d)"
    link = r"(?:\s?,)?\s?(?:(?:of|de|del|do)\s)?"
    return re.compile(
        rf"(?<![\w.])(?:(?P<iso>{year}[-/](?:0\d|1[0-2])[-/](?:[0-2]\d|3[01]))(?!\d)"
        rf"|(?P<numeric>{day}[./]{day}[./]{year})(?!\d)"
        rf"|(?P<d>{days})(?:\s(?:of|de))?\s?(?P<m>{names})\b\.?(?:{link}(?P<y>{year})(?!\d))?"
        rf"|(?P<m2>{names})\b\.?\s(?P<d2>{days})(?!\d)(?!\s(?:per|%))(?:{link}(?P<y2>{year})(?!\d))?"
        rf"|(?P<m3>{names})\b\.?{link}(?P<y3>{year})(?![\d])"
        rf"|(?P<m4>{wide})\b"
        rf"|(?P<m5>(?<=in )May|(?<=in )March|(?<=of )May|(?<=of )March|(?<=since )May)\b"
        rf"|(?P<century>\d\d?)(?:th|st|nd|rd|\.|e|ème)?\s(?:century|centuries|jahrhunderts?|siècle)\b"
        rf"|(?P<range>{year})[-/](?P<short>\d\d)(?![\d-])"
        rf"|(?P<y6>{year})(?P<s>['’]?s)?(?![\w%]|[.,]\d|\s(?:%|percent)))",
        re.IGNORECASE,
    )


def _read_days(text: str) -> Iterator[tuple[re.Match[str], list[Day]]]:
    for match in _date_pattern().finditer(text):
        readings = [*_readings(match)]
        if readings:
            yield match, readings


def _readings(match: re.Match[str]) -> Iterator[Day]:
    """The date that a match says; two for one in figures, of which either part may be the month."""
    text = match[0].strip()
    parts = match.groupdict()
    if parts["iso"]:
        year, month, day = (int(part) for part in re.split(r"[-/]", text))
        yield Day(text=text, year=year, month=month, day=day)
    elif parts["numeric"]:
        first, second, year = (int(part) for part in re.split(r"[./]", text))
        for day, month in {(first, second), (second, first)}:
            if month <= 12:  # noqa: PLR2004 (months of a year)
                yield Day(text=text, year=year, month=month, day=day)
    elif parts["century"]:
        first = int(parts["century"]) * 100 - 100
        yield Day(text=text, year=first, last_year=first + 100)
    elif parts["range"]:
        first = int(parts["range"])
        yield Day(text=text, year=first)
        yield Day(text=text, year=first - first % 100 + int(parts["short"]))
    elif parts["s"]:
        first = int(parts["y6"])
        yield Day(text=text, year=first, last_year=first + (9 if first % 100 else 99))
    else:
        name = next((parts[key] for key in ("m", "m2", "m3", "m4", "m5") if parts[key]), "")
        year = int(next((parts[key] for key in ("y", "y2", "y3", "y6") if parts[key]), "0"))
        month = month_numbers()[name.casefold()] if name else 0
        for day in re.findall(r"\d+", parts["d"] or parts["d2"] or "0"):
            yield Day(text=text, year=year, month=month, day=int(day))
