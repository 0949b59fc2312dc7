"""Writes days and times of day as an RFC 5545 recurrence."""

from collections.abc import Sequence
from itertools import product

from agent_core.schedules.in_words.pieces import Cadence
from agent_core.schedules.in_words.words.vocabulary import ANY_DAY

_FREQUENCIES = {
    "second": "SECONDLY", "minute": "MINUTELY", "hour": "HOURLY", "day": "DAILY",
    "week": "WEEKLY", "month": "MONTHLY", "quarter": "MONTHLY", "year": "YEARLY",
}  # fmt: skip
_QUARTERS = "1,4,7,10"


def recurrence_text(days: Cadence, minutes: Sequence[int]) -> str | None:
    """A recurrence for complete days, and the minutes of the day at which they are due.

    None where one recurrence cannot say it, such as 9:00 and 17:30 on the first workday.
    """
    parts = _frequency(days) | _days(days)
    if not minutes:
        return _joined(parts)
    hours = sorted({minute // 60 for minute in minutes})
    past = sorted({minute % 60 for minute in minutes})
    parts |= {"BYHOUR": _numbers(hours), "BYMINUTE": _numbers(past)}
    grid = [hour * 60 + minute for hour, minute in product(hours, past)]
    if len(grid) == len(set(minutes)):
        return _joined(parts | _positions(days, len(grid)))
    places = [place for place, minute in enumerate(grid, 1) if minute in minutes]
    return _with_places(parts, days, places)


def _frequency(days: Cadence) -> dict[str, str]:
    parts = {"FREQ": _FREQUENCIES[days.unit or "day"]}
    if days.interval > 1:
        parts["INTERVAL"] = str(days.interval)
    if days.unit == "quarter":
        parts["BYMONTH"] = _QUARTERS
    if days.unit == "year":
        parts["BYMONTH"] = str(days.month)
    return parts


def _days(days: Cadence) -> dict[str, str]:
    if days.month_days:
        return {"BYMONTHDAY": _numbers(sorted(days.month_days))}
    if days.days == (ANY_DAY,):
        return {"BYMONTHDAY": _numbers(sorted(days.nth))}
    if len(days.days) == 1 and days.nth:
        return {"BYDAY": ",".join(f"{nth}{days.days[0]}" for nth in sorted(days.nth))}
    return {"BYDAY": ",".join(days.days)} if days.days else {}


def _positions(days: Cadence, a_day: int) -> dict[str, str]:
    """The first workday with two times is the first two of the month's moments."""
    if not days.nth or len(days.days) < 2:
        return {}
    places = [
        (nth - 1) * a_day + place if nth > 0 else nth * a_day + place - 1
        for nth in days.nth
        for place in range(1, a_day + 1)
    ]
    return {"BYSETPOS": _numbers(sorted(places))}


def _with_places(parts: dict[str, str], days: Cadence, places: list[int]) -> str | None:
    """Times that are no grid of hours and minutes: chosen by place from a period of one day."""
    if days.unit == "week" and len(days.days) > 1:
        if days.interval > 1:
            return None
        parts = parts | {"FREQ": "DAILY"}
    elif len(days.month_days) > 1 or len(days.nth) > 1 or (days.nth and len(days.days) > 1):
        return None
    return _joined(parts | {"BYSETPOS": _numbers(places)})


def _numbers(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _joined(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())
