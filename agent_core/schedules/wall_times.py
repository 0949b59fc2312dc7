"""The wall-clock times of a recurrence by days, weeks, months or years, by python-dateutil.

dateutil goes on looking for a next time up to the year 9999, which takes seconds where there is
none. So it is run at the end of its calendar: the years 9901 to 9999 have the same days as 1985 to
2083, and a search costs milliseconds. Nothing is due behind 2083.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from dateutil.rrule import DAILY, MO, MONTHLY, WEEKLY, YEARLY, rrule, weekday

from agent_core.schedules.recurrence import Recurrence, Weekday

FIRST_YEAR = 1986
"""The earliest in which a recurrence may begin, in any zone."""
LAST_YEAR = 2083

# 20 calendar cycles of 400 years, less 3 of the 28 years after which weekdays and leap years recur.
_TO_THE_END = timedelta(days=20 * 146_097 - 3 * 10_227)
_FREQUENCIES: dict[str, Literal[0, 1, 2, 3]] = {
    "YEARLY": YEARLY,
    "MONTHLY": MONTHLY,
    "WEEKLY": WEEKLY,
    "DAILY": DAILY,
}


def wall_times(recurrence: Recurrence, *, begins: datetime, since: datetime) -> Iterator[datetime]:
    """The times of a recurrence in ascending order, from the period that `since` is in.

    All are without a zone. What the recurrence leaves open is taken from `begins`, whose period is
    the one that an interval counts from. The cost does not depend on the years between the two.
    """
    near = max(begins, since)
    if near.year > LAST_YEAR:
        return
    stated = _complete(recurrence, begins)
    late_walls = _recur(stated, dtstart=_period_start(stated, begins, near) + _TO_THE_END)
    try:
        for wall in late_walls:
            yield wall - _TO_THE_END
    except ValueError:  # dateutil follows the last week behind the end of the calendar
        return


def _recur(stated: Recurrence, *, dtstart: datetime) -> rrule:
    return rrule(
        _FREQUENCIES[stated.frequency],
        dtstart=dtstart,
        interval=stated.interval,
        wkst=MO,
        bymonth=stated.months or None,
        bymonthday=stated.month_days or None,
        byweekday=[weekday(day.day, day.nth or None) for day in stated.weekdays] or None,
        bysetpos=stated.positions or None,
        byhour=stated.hours,
        byminute=stated.minutes,
        bysecond=stated.seconds,
    )


def _complete(recurrence: Recurrence, begins: datetime) -> Recurrence:
    """State everything: a stated hour is a full hour, the rest is as in `begins`."""
    has_time = bool(recurrence.hours or recurrence.minutes)
    minute = 0 if recurrence.hours else begins.minute
    timed = replace(
        recurrence,
        hours=recurrence.hours or (begins.hour,),
        minutes=recurrence.minutes or (minute,),
        seconds=recurrence.seconds or (0 if has_time else begins.second,),
    )
    return timed if timed.weekdays or timed.month_days else _complete_days(timed, begins)


def _complete_days(recurrence: Recurrence, begins: datetime) -> Recurrence:
    match recurrence.frequency:
        case "WEEKLY":
            return replace(recurrence, weekdays=(Weekday(begins.weekday()),))
        case "MONTHLY":
            return replace(recurrence, month_days=(begins.day,))
        case "YEARLY":
            months = recurrence.months or (begins.month,)
            return replace(recurrence, months=months, month_days=(begins.day,))
        case _:
            return recurrence


def _period_start(recurrence: Recurrence, begins: datetime, near: datetime) -> datetime:
    """The first moment of the last counted period that has begun at `near`."""
    match recurrence.frequency:
        case "YEARLY":
            return _month_start(begins.year * 12, near, every=12 * recurrence.interval)
        case "MONTHLY":
            return _month_start(_month_number(begins), near, every=recurrence.interval)
        case "WEEKLY":
            monday = _midnight(begins) - timedelta(days=begins.weekday())
            return _day_start(monday, near, every=7 * recurrence.interval)
        case _:
            return _day_start(_midnight(begins), near, every=recurrence.interval)


def _month_number(wall: datetime) -> int:
    return wall.year * 12 + wall.month - 1


def _month_start(origin: int, near: datetime, *, every: int) -> datetime:
    month = origin + (_month_number(near) - origin) // every * every
    return _midnight(near).replace(year=month // 12, month=month % 12 + 1, day=1)


def _midnight(wall: datetime) -> datetime:
    return wall.replace(hour=0, minute=0, second=0, microsecond=0)


def _day_start(origin: datetime, near: datetime, *, every: int) -> datetime:
    return origin + timedelta(days=(near - origin).days // every * every)
