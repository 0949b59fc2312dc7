"""Recurrence rules (RFC 5545) in a time zone: checked, and the slots that follow from them.

dateutil computes the wall-clock times. It goes on looking for a next one up to the year 9999, which
takes seconds where there is none. So it is run at the end of its calendar: the years 9901 to 9999
have the same days as 1985 to 2083, and a search costs milliseconds. Nothing is due behind 2083.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import islice, pairwise
from typing import Literal
from zoneinfo import ZoneInfo

from dateutil import rrule as dateutil

from agent_core.clock import find_zone
from agent_core.errors import ScheduleError

MIN_APART = timedelta(minutes=15)
MAX_RECURRENCE_CHARS = 300
LAST_YEAR = 2083

_CHECKED_SLOTS = 3_000
_CHECKED_TIME = timedelta(days=400)
_LONGEST_WAIT = timedelta(days=3_653)
_SECOND = timedelta(seconds=1)
_END = datetime(
    LAST_YEAR + 1,
    1,
    1,
    tzinfo=UTC,
)
# 20 calendar cycles of 400 years, less 3 of the 28 years after which weekdays and leap years recur.
_TO_THE_END = timedelta(days=20 * 146_097 - 3 * 10_227)

Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"]
RuleFault = Literal["unreadable", "unknown_zone", "too_often", "never", "over"]

_UNITS: dict[Frequency, timedelta] = {
    "WEEKLY": timedelta(weeks=1),
    "DAILY": timedelta(days=1),
    "HOURLY": timedelta(hours=1),
    "MINUTELY": timedelta(minutes=1),
}
ELAPSED: tuple[Frequency, ...] = ("HOURLY", "MINUTELY")
"""Frequencies that count elapsed time, whatever the clocks do."""

_SHAPE = re.compile(r"[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*")
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS = {str(day): day for day in dateutil.weekdays}
_MAX_NTH: dict[Frequency, int] = {"YEARLY": 53, "MONTHLY": 5}
_VALUES = {
    "INTERVAL": range(1, 1_000_000),
    "BYMONTH": range(1, 13),
    "BYMONTHDAY": frozenset(range(-31, 32)) - {0},
    "BYSETPOS": frozenset(range(-366, 367)) - {0},
    "BYHOUR": range(24),
    "BYMINUTE": range(60),
    "BYSECOND": range(1),
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
}


class BadRule(ScheduleError):
    """A rule that no schedule may have, and the kind of its fault."""

    def __init__(self, reason: RuleFault) -> None:
        super().__init__(f"No schedule may recur so: {reason}.")
        self.reason: RuleFault = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Moments that recur. A wall-clock time stays the same over daylight saving."""

    recurrence: str
    """An RFC 5545 RRULE value such as `FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9;BYMINUTE=0`."""
    zone: str
    """An IANA time zone such as `Europe/Berlin`."""
    begins: datetime
    """Nothing is due before it. An aware moment in UTC, whole seconds."""
    ends: datetime | None = None
    """Nothing is due behind it; an aware moment in UTC. None: it goes on for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A recurrence in numbers, each list in ascending order; an empty one was not stated."""

    frequency: Frequency
    interval: int = 1
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    """Negative: counted from the end of the month."""
    weekdays: tuple[dateutil.weekday, ...] = ()
    positions: tuple[int, ...] = ()
    """Which of a period's days are meant: -1 is the last."""
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()


def slots_after(rule: Rule, moment: datetime) -> Iterator[datetime]:
    """The moments at which the rule is due, strictly after `moment`: in UTC, in order, each once.

    By days, weeks, months and years a slot is a wall-clock time of the rule's zone: one that the
    clocks skip is due at the first moment behind the gap, one that they read twice is due the first
    time. By hours and minutes it is elapsed time since `begins`: on clocks that nobody changes.
    Computed one by one; the years since `begins` cost nothing. Raises `BadRule` if it cannot be
    read.
    """
    recurrence = read_recurrence(rule.recurrence)
    clocks: tzinfo = zone_named(rule.zone)
    if recurrence.frequency in ELAPSED:
        offset = rule.begins.astimezone(clocks).utcoffset()
        clocks = timezone(offset or timedelta())
    since = min(max(moment, rule.begins), _END)
    walls = _wall_times(
        recurrence,
        begins=wall_at(rule.begins, clocks),
        since=wall_at(since, clocks),
    )
    moments = (moment_at(wall, clocks) for wall in walls)
    return _due(rule, moments, moment)


def newest_slot(rule: Rule, *, after: datetime, until: datetime) -> tuple[datetime | None, int]:
    """The last slot with `after` < slot <= `until`, and how many there are.

    A year of slots that are 15 minutes apart takes a third of a second.
    """
    newest = None
    number = 0
    for slot in slots_after(rule, after):
        if slot > until:
            break
        newest = slot
        number += 1
    return newest, number


def check_rule(rule: Rule, now: datetime) -> None:
    """Raise `BadRule` unless the rule may be a schedule's from `now` on.

    It must be readable, due within ten years and not over, and its slots at least `MIN_APART`: the
    next 3,000 of them are looked at, as far as 400 days from the first.
    """
    start = max(now, rule.begins - _SECOND)
    first = next(slots_after(rule, start), None)
    if first is None and rule.ends is not None and rule.begins <= now:
        raise BadRule("over")
    if first is None or first - now > _LONGEST_WAIT:
        raise BadRule("never")
    slots = islice(slots_after(rule, start), _CHECKED_SLOTS)
    for earlier, later in pairwise(slots):
        if later - first > _CHECKED_TIME:
            return
        if later - earlier < MIN_APART:
            raise BadRule("too_often")


def read_recurrence(text: str) -> Recurrence:
    """Read a recurrence string. Raises `BadRule` for any other text.

    Left out is what nobody orders (`BYWEEKNO`, `BYYEARDAY`) and what a `Rule` says itself (`COUNT`,
    `UNTIL`, `DTSTART`).
    """
    try:
        return _read(text)
    except ValueError as error:
        if "SECOND" in text:
            raise BadRule("too_often") from error
        raise BadRule("unreadable") from error


def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises `BadRule` for any other text."""
    zone = find_zone(name)
    if zone is None:
        raise BadRule("unknown_zone")
    return zone


def wall_at(moment: datetime, zone: tzinfo) -> datetime:
    """What the clocks of the zone read at a moment; without a zone of its own."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_at(wall: datetime, zone: tzinfo) -> datetime:
    """The first moment, in UTC, at which the clocks of the zone have reached a wall-clock time.

    A time that occurs twice gives its first occurrence. A time that the clocks skip gives the
    first moment behind the gap: clocks change at full minutes.
    """
    moment = wall.replace(tzinfo=zone).astimezone(UTC)
    if wall_at(moment, zone) == wall:
        return moment
    before_gap = wall.replace(tzinfo=zone, fold=1, second=0)
    moment = before_gap.astimezone(UTC)
    while wall_at(moment, zone) < wall:
        moment += timedelta(minutes=1)
    return moment


def _read(text: str) -> Recurrence:
    parts = _parts(text)
    frequencies: list[Frequency] = [each for each in _PARTS if parts["FREQ"] == [each]]
    [frequency] = frequencies
    if parts.keys() - _PARTS[frequency]:
        raise ValueError(text)

    def numbers(name: str) -> tuple[int, ...]:
        values = {int(value) for value in parts.get(name, ())}
        if not all(value in _VALUES[name] for value in values):
            raise ValueError(name)
        return tuple(sorted(values))

    [interval] = numbers("INTERVAL") or (1,)
    hours = numbers("BYHOUR")
    minutes = numbers("BYMINUTE")
    numbers("BYSECOND")
    if parts.get("WKST", ["MO"]) != ["MO"]:
        raise ValueError(text)
    if "BYSETPOS" in parts and max(len(hours), len(minutes)) > 1:
        raise ValueError(text)  # with several times a day it would count times and not days
    max_nth = _MAX_NTH.get(frequency, 0)
    weekdays = {_weekday(day, max_nth) for day in parts.get("BYDAY", ())}
    in_order = sorted(weekdays, key=lambda each: (each.weekday, each.n or 0))
    return Recurrence(
        frequency=frequency,
        interval=interval,
        months=numbers("BYMONTH"),
        month_days=numbers("BYMONTHDAY"),
        weekdays=tuple(in_order),
        positions=numbers("BYSETPOS"),
        hours=hours,
        minutes=minutes,
    )


def _parts(text: str) -> dict[str, list[str]]:
    """The values of each part by its name. Raises ValueError for a text of another shape."""
    if len(text) > MAX_RECURRENCE_CHARS or not _SHAPE.fullmatch(text):
        raise ValueError(text)
    parts: dict[str, list[str]] = {}
    for part in text.split(";"):
        name, _, values = part.partition("=")
        if name in parts:
            raise ValueError(text)
        parts[name] = values.split(",")
    parts.setdefault("FREQ", [])
    return parts


def _weekday(item: str, max_nth: int) -> dateutil.weekday:
    match = _WEEKDAY.fullmatch(item)
    if match is None:
        raise ValueError(item)
    weekday = _WEEKDAYS[match[2]]
    if match[1] is None:
        return weekday
    nth = int(match[1])
    if not 1 <= abs(nth) <= max_nth:
        raise ValueError(item)
    return weekday(nth)


def _wall_times(stated: Recurrence, begins: datetime, since: datetime) -> Iterator[datetime]:
    """Ascending, from `since` or somewhat earlier on; intervals count from the period of `begins`.

    A stated hour is a full hour; what else is left open is as in `begins`.
    """
    if since.year > LAST_YEAR:
        return
    frequency = stated.frequency
    weekdays = stated.weekdays
    first = begins
    is_timed = stated.hours or stated.minutes
    if frequency == "WEEKLY":  # dateutil would take the first week for one that begins with it
        weekdays = weekdays or (dateutil.weekday(begins.weekday()),)
        first -= timedelta(days=begins.weekday())
    if frequency in _UNITS:
        every = stated.interval * _UNITS[frequency]
        first += (since - first) // every * every
    walls = dateutil.rrule(
        getattr(dateutil, frequency),
        dtstart=first + _TO_THE_END,
        interval=stated.interval,
        wkst=dateutil.MO,
        bymonth=stated.months or None,
        bymonthday=stated.month_days or None,
        byweekday=weekdays or None,
        bysetpos=stated.positions or None,
        byhour=stated.hours or None,
        byminute=stated.minutes or (0 if stated.hours else None),
        bysecond=0 if is_timed else None,
    )
    try:
        for wall in walls:
            yield wall - _TO_THE_END
    except ValueError:  # dateutil follows the last week behind the end of the calendar
        return


def _due(rule: Rule, moments: Iterator[datetime], after: datetime) -> Iterator[datetime]:
    """The slots among ascending moments; two wall-clock times may have met behind a gap."""
    latest = after
    for moment in moments:
        if moment >= _END or (rule.ends is not None and moment > rule.ends):
            return
        if moment > latest and moment >= rule.begins:
            latest = moment
            yield moment
