"""Dates as search results write them, relative ones included. Pure."""

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

_UNITS = {
    "s": "second",
    "sec": "second",
    "second": "second",
    "m": "minute",
    "min": "minute",
    "minute": "minute",
    "h": "hour",
    "hr": "hour",
    "hour": "hour",
    "d": "day",
    "day": "day",
    "w": "week",
    "wk": "week",
    "week": "week",
    "mo": "month",
    "mon": "month",
    "month": "month",
    "y": "year",
    "yr": "year",
    "year": "year",
}
_AGO = re.compile(r"(?:about |over )?(\d{1,6}|an?|one)\s*([a-z]{1,6}?)s?\.?(?: ago)?")
_DAYS_BACK = {"now": 0, "just now": 0, "today": 0, "yesterday": 1}
_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name}
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_US = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?!\d)")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?,?(?: (\d{4}))?\b")


def parse_relative_date(text: str, now: datetime) -> str | None:
    """The day that a search result means, as YYYY-MM-DD; None when it names none.

    Args:
        text: Such as "2 hours ago", "yesterday", "3d", "Jan 23, 2026", "23 January", or ISO.
        now: When the result came; relative dates count from it, in its time zone.
    """
    said = " ".join(text.split()).casefold()
    for read in (_relative, _absolute):
        try:
            found = read(said, now)
        except (ValueError, OverflowError):
            continue
        if found is not None:
            return found.isoformat()
    return None


def _relative(said: str, now: datetime) -> date | None:
    if said in _DAYS_BACK:
        return (now - timedelta(days=_DAYS_BACK[said])).date()
    found = _AGO.fullmatch(said)
    unit = _UNITS.get(found[2]) if found else None
    if found is None or unit is None:
        return None
    count = int(found[1]) if found[1].isdecimal() else 1
    if unit in ("month", "year"):
        return _months_before(now.date(), count * (12 if unit == "year" else 1))
    return (now - timedelta(**{f"{unit}s": count})).date()


def _months_before(day: date, months: int) -> date:
    """The same day of an earlier month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    if year < 1:
        raise OverflowError
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def _absolute(said: str, now: datetime) -> date | None:
    forms: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], date | None]], ...] = (
        (_ISO, lambda m: date(int(m[1]), int(m[2]), int(m[3]))),
        (_US, lambda m: date(int(m[3]), int(m[1]), int(m[2]))),
        (_MONTH_FIRST, lambda m: _named(m[1], m[2], m[3], now)),
        (_DAY_FIRST, lambda m: _named(m[2], m[1], m[3], now)),
    )
    for pattern, read in forms:
        if found := pattern.match(said):
            return read(found)
    return None


def _named(month: str, day: str, year: str | None, now: datetime) -> date | None:
    number = _MONTHS.get(month[:3])
    if number is None:
        return None
    if year:
        return date(int(year), number, int(day))
    # Without a year it is the latest such day that is not in the future.
    this_year = date(now.year, number, int(day))
    return this_year if this_year <= now.date() else this_year.replace(year=now.year - 1)
