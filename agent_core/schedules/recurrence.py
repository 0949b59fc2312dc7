"""The recurrence strings that we accept, in numbers: a strict part of RFC 5545's RRULE values.

Left out is what nobody says in words (`BYWEEKNO`, `BYYEARDAY`) and what a `Rule` says itself
(`COUNT`, `UNTIL`, `DTSTART`).
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]

MAX_CHARS = 300

_SHAPE = re.compile(r"[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,6}")
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def _either_side(highest: int) -> frozenset[int]:
    """1 to highest, counted from the front or, negative, from the back."""
    return frozenset(range(-highest, highest + 1)) - {0}


_VALUES: dict[str, range | frozenset[int]] = {
    "INTERVAL": range(1, 1_000_000),
    "BYMONTH": range(1, 13),
    "BYMONTHDAY": _either_side(31),
    "BYSETPOS": _either_side(366),
    "BYHOUR": range(24),
    "BYMINUTE": range(60),
    "BYSECOND": range(60),
}
_EVERY_PART = frozenset({"FREQ", "INTERVAL", "WKST", "BYSECOND"})
_DAY_PARTS = _EVERY_PART | {"BYMONTH", "BYDAY", "BYSETPOS", "BYHOUR", "BYMINUTE"}
_PARTS: dict[Frequency, frozenset[str]] = {
    "YEARLY": _DAY_PARTS | {"BYMONTHDAY"},
    "MONTHLY": _DAY_PARTS | {"BYMONTHDAY"},
    "WEEKLY": _DAY_PARTS,
    "DAILY": _DAY_PARTS,
    "HOURLY": _EVERY_PART | {"BYMINUTE"},
    "MINUTELY": _EVERY_PART,
    "SECONDLY": _EVERY_PART,
}
_MAX_NTH: dict[Frequency, int] = {"YEARLY": 53, "MONTHLY": 5}


@dataclass(frozen=True, slots=True, order=True)
class Weekday:
    """A day of the week, or its nth one in the month or year."""

    day: int
    """0 is Monday."""
    nth: int = 0
    """1 is the first, -1 the last, 0 every one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A recurrence in numbers, each list in ascending order; an empty one was not stated."""

    frequency: Frequency
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    """Negative: counted from the end of the month."""
    weekdays: tuple[Weekday, ...] = ()
    positions: tuple[int, ...] = ()
    """Which of a period's times are meant: -1 is the last."""
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()


def read_recurrence(text: str) -> Recurrence:
    """Read a recurrence string. Raises `ValueError`, saying what is wrong, for any other text."""
    if len(text) > MAX_CHARS:
        raise ValueError(f"it has more than {MAX_CHARS} characters")
    if not _SHAPE.fullmatch(text):
        raise ValueError("it is not a list such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0")
    parts = _split(text)
    frequency = _read_frequency(parts)
    return Recurrence(
        frequency=frequency,
        interval=_read_interval(parts),
        months=_read_numbers(parts, "BYMONTH"),
        month_days=_read_numbers(parts, "BYMONTHDAY"),
        weekdays=_read_weekdays(parts.get("BYDAY", ""), _MAX_NTH.get(frequency, 0)),
        positions=_read_numbers(parts, "BYSETPOS"),
        hours=_read_numbers(parts, "BYHOUR"),
        minutes=_read_numbers(parts, "BYMINUTE"),
        seconds=_read_numbers(parts, "BYSECOND"),
    )


def _split(text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, value = part.split("=")
        if name in parts:
            raise ValueError(f"{name} stands there twice")
        parts[name] = value
    return parts


def _read_frequency(parts: dict[str, str]) -> Frequency:
    for frequency in get_args(Frequency):
        if parts.get("FREQ") == frequency:
            _check_names(parts, frequency)
            return frequency
    raise ValueError("FREQ is missing or unknown")


def _check_names(parts: dict[str, str], frequency: Frequency) -> None:
    for name in parts:
        if name not in _PARTS[frequency]:
            raise ValueError(f"{name} has no place beside FREQ={frequency}")
    if parts.get("WKST", "MO") != "MO":
        raise ValueError("weeks begin on Monday")


def _read_interval(parts: dict[str, str]) -> int:
    match _read_numbers(parts, "INTERVAL"):
        case ():
            return 1
        case (interval,):
            return interval
        case _:
            raise ValueError("INTERVAL is one number")


def _read_numbers(parts: dict[str, str], name: str) -> tuple[int, ...]:
    if name not in parts:
        return ()
    return tuple(sorted({_read_number(item, name) for item in parts[name].split(",")}))


def _read_number(item: str, name: str) -> int:
    if not _NUMBER.fullmatch(item) or int(item) not in _VALUES[name]:
        raise ValueError(f"{name}={item} is not possible")
    return int(item)


def _read_weekdays(value: str, max_nth: int) -> tuple[Weekday, ...]:
    if not value:
        return ()
    return tuple(sorted({_read_weekday(item, max_nth) for item in value.split(",")}))


def _read_weekday(item: str, max_nth: int) -> Weekday:
    found = _WEEKDAY.fullmatch(item)
    if not found:
        raise ValueError(f"BYDAY={item} is not possible")
    nth = int(found[1] or 0)
    if found[1] and not 1 <= abs(nth) <= max_nth:
        raise ValueError(f"BYDAY={item} is not possible")
    return Weekday(day=_WEEKDAYS.index(found[2]), nth=nth)
