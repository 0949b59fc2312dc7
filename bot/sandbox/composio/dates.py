"""Dates as a search engine shows them, and the time ranges it is asked for."""

import re
from datetime import datetime, timedelta

UNITS = {
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=31),
    "y": timedelta(days=366),
}
WHEN = re.compile(r"\s*(\d{0,3})\s*([hdwmy])\s*", re.IGNORECASE)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def describe_date(date: datetime, *, now: datetime) -> str:
    """How old a page of the last four weeks is ("2 hours ago"), else its date ("Jan 23, 2026")."""
    age = now - date
    if not timedelta() <= age < timedelta(weeks=4):
        return write_date(date)
    for unit, name in (("w", "week"), ("d", "day"), ("h", "hour")):
        if age >= UNITS[unit]:
            return _count(age // UNITS[unit], name)
    return _count(max(1, age // timedelta(minutes=1)), "minute")


def write_date(date: datetime) -> str:
    """A date in the American short form, in English whatever the machine's language is."""
    return f"{MONTHS[date.month - 1]} {date.day}, {date.year}"


def parse_when(when: str | None, *, now: datetime) -> datetime | None:
    """The start of a range such as "d", "2d" or "w"; None for no range or one not understood."""
    match = WHEN.fullmatch(when or "")
    if match is None:
        return None
    count, unit = match.groups()
    return now - int(count or 1) * UNITS[unit.lower()]


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'} ago"
