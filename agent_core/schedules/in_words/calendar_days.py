"""Days of the calendar as people name them: Friday, 24 December, 24.12., tomorrow."""

import calendar
import re
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from agent_core.schedules.in_words.words.vocabulary import DAY_CODES, Words, folded_keys

_YEARS = (2_000, 2_080)
_YEARS_AHEAD = 8
"""Within these there is a 29 February."""


def day_of(match: re.Match[str], words: Words, today: date) -> date | None:
    """The day that a match of one of the language's date patterns names, from today on.

    None where there is no such day, where its weekday is another, or where it could be two days.
    """
    said = {name: value for name, value in match.groupdict().items() if value}
    if "relative" in said:
        return today + timedelta(days=folded_keys(words.relative_days)[_plain(said["relative"])])
    if "month_end" in said:
        return _month_end(said, words, today)
    weekday = folded_keys(words.days)[_plain(said["wd"])] if "wd" in said else ""
    if "d" not in said and "a" not in said:
        return _next_weekday(weekday, today)
    found = _numbered(said, words, today)
    return found if found and weekday in ("", DAY_CODES[found.weekday()]) else None


def span_of(match: re.Match[str], words: Words) -> relativedelta | None:
    """How long a match of the language's words for a length of time is; None for hours and less."""
    said, unit = _plain(match["n"]), folded_keys(words.units)[_plain(match["unit"])]
    n = int(said) if said.isdecimal() else folded_keys(words.numbers)[said]
    match unit:
        case "day":
            return relativedelta(days=n)
        case "week":
            return relativedelta(weeks=n)
        case "month":
            return relativedelta(months=n)
        case "quarter":
            return relativedelta(months=3 * n)
        case "year":
            return relativedelta(years=n)
        case _:
            return None


def month_of(name: str, words: Words) -> int:
    """The number of a month's name."""
    return folded_keys(words.months)[_plain(name)]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _next_weekday(code: str, today: date) -> date:
    return today + timedelta(days=(DAY_CODES.index(code) - today.weekday() - 1) % 7 + 1)


def _month_end(said: dict[str, str], words: Words, today: date) -> date | None:
    month = month_of(said["month"], words) if "month" in said else today.month
    year = int(said["y"]) if "y" in said else today.year + (month < today.month)
    return _day(year, month, calendar.monthrange(year, month)[1])


def _numbered(said: dict[str, str], words: Words, today: date) -> date | None:
    day, month = _day_and_month(said, words)
    if "y" in said:
        return _day(int(said["y"]), month, day)
    years = range(today.year, today.year + _YEARS_AHEAD + 1)
    days = (_day(year, month, day) for year in years)
    return next((found for found in days if found and found >= today), None)


def _day_and_month(said: dict[str, str], words: Words) -> tuple[int, int]:
    if "month" in said:
        return int(said["d"]), month_of(said["month"], words)
    if "mn" in said:
        return int(said["d"]), int(said["mn"])
    first, second = int(said["a"]), int(said["b"])
    if words.day_before_month or first > 12:
        return first, second
    return (second, first) if second > 12 else (0, 0)


def _day(year: int, month: int, day: int) -> date | None:
    if not _YEARS[0] <= year <= _YEARS[1]:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
