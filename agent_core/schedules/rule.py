"""When something recurs: an RFC 5545 rule in a time zone, checked, and the moments that follow.

dateutil computes the wall-clock times. It goes on looking for a next one up to the year 9999, which
takes seconds where there is none. So it is run at the end of its calendar: the years 9901 to 9999
have the same days as 1985 to 2083, and a search costs milliseconds. Nothing is due behind 2083.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count, islice, pairwise, takewhile
from typing import Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dateutil import rrule as dateutil

from agent_core.errors import ScheduleError

MIN_APART_S = 900.0
MAX_COUNTED = 10_000
MAX_RECURRENCE_CHARS = 300
FIRST_YEAR, LAST_YEAR = 1986, 2083
"""In which a recurrence may begin, in any zone."""

_CHECKED_SLOTS = 3_000
_CHECKED_TIME = timedelta(days=400)
_LONGEST_WAIT = timedelta(days=3_653)
_SECOND = timedelta(seconds=1)
_END = datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
# 20 calendar cycles of 400 years, less 3 of the 28 years after which weekdays and leap years recur.
_TO_THE_END = timedelta(days=20 * 146_097 - 3 * 10_227)

Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
Fault = Literal["unreadable", "unknown_zone", "too_often", "never", "over"]

_UNIT_S = {"HOURLY": 3_600, "MINUTELY": 60, "SECONDLY": 1}
_SHAPE = re.compile(r"[A-Z]+=[A-Z0-9,+-]+(?:;[A-Z]+=[A-Z0-9,+-]+)*")
_NUMBER = re.compile(r"[+-]?[0-9]{1,6}")
_WEEKDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_MAX_NTH: dict[Frequency, int] = {"YEARLY": 53, "MONTHLY": 5}
_VALUES = {
    "INTERVAL": range(1, 1_000_000),
    "BYMONTH": range(1, 13),
    "BYMONTHDAY": frozenset(range(-31, 32)) - {0},
    "BYSETPOS": frozenset(range(-366, 367)) - {0},
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
# An IANA name such as `America/Argentina/Ushuaia` or `Etc/GMT+3`.
_ZONE = re.compile(r"[A-Z][A-Za-z0-9_+-]{0,31}(?:/[A-Z][A-Za-z0-9_+-]{0,31}){0,2}")


class BadRule(ScheduleError):
    """A rule that no schedule may have; the message says why, in a sentence.

    Attributes:
        reason: The kind of fault, for a caller that has words of its own.
    """

    def __init__(self, reason: Fault, message: str) -> None:
        super().__init__(message)
        self.reason: Fault = reason


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


def slots_after(rule: Rule, moment: datetime) -> Iterator[datetime]:
    """The moments at which the rule is due, strictly after `moment`: in UTC, in order, each once.

    By days, weeks, months and years a slot is a wall-clock time of the rule's zone: one that the
    clocks skip is due at the first moment behind the gap, one that they read twice is due the first
    time. By hours and minutes it is elapsed time since `begins`, whatever the clocks do. Computed
    one by one; the years since `begins` cost nothing. Raises `BadRule` if it cannot be read.
    """
    recurrence, zone = _read(rule)
    since = min(max(moment, rule.begins), _END).astimezone(UTC)
    if recurrence.frequency in _UNIT_S:
        return _due(rule, _elapsed_moments(recurrence, rule, zone, since), moment)
    begins, near = wall_at(rule.begins, zone), wall_at(since, zone)
    walls = _wall_times(recurrence, begins=begins, since=near)
    return _due(rule, (moment_at(wall, zone) for wall in walls), moment)


def newest_slot(rule: Rule, *, after: datetime, until: datetime) -> tuple[datetime | None, int]:
    """The last slot with `after` < slot <= `until`, and how many there are (10,000 at most)."""
    slots = takewhile(lambda slot: slot <= until, slots_after(rule, after))
    counted = list(islice(slots, MAX_COUNTED))
    if len(counted) < MAX_COUNTED:
        return (counted[-1] if counted else None), len(counted)
    newest, look_back = min(until, rule.ends or _END, _END), timedelta(hours=1)
    while True:
        late = takewhile(lambda slot: slot <= newest, slots_after(rule, newest - look_back))
        if found := list(late):
            return found[-1], MAX_COUNTED
        look_back *= 2


def check_rule(rule: Rule, now: datetime) -> None:
    """Raise `BadRule` unless the rule may be a schedule's from `now` on.

    It must be readable, due within ten years and not over, and its slots at least `MIN_APART_S`
    apart: the next 3,000 of them are looked at, as far as 400 days from the first.
    """
    recurrence, zone = _read(rule)
    if recurrence.frequency == "SECONDLY" or any(recurrence.seconds):
        raise BadRule("too_often", "Times are whole minutes, at least 15 apart.")
    start = max(now, rule.begins - _SECOND)
    first = next(slots_after(rule, start), None)
    if first is None or first - start > _LONGEST_WAIT:
        raise _without_slot(rule, now, first)
    slots = islice(slots_after(rule, start), _CHECKED_SLOTS)
    near = takewhile(lambda slot: slot - first <= _CHECKED_TIME, slots)
    for earlier, later in pairwise(near):
        if (later - earlier).total_seconds() < MIN_APART_S:
            day, then = wall_at(earlier, zone), wall_at(later, zone)
            raise BadRule(
                "too_often",
                "Times are at least 15 minutes apart; these are due at "
                f"{day:%H:%M} and again at {then:%H:%M} on {day:%Y-%m-%d}.",
            )


def read_recurrence(text: str) -> Recurrence:
    """Read a recurrence string. Raises `ValueError`, saying what is wrong, for any other text.

    Left out is what nobody orders (`BYWEEKNO`, `BYYEARDAY`) and what a `Rule` says itself (`COUNT`,
    `UNTIL`, `DTSTART`).
    """
    if len(text) > MAX_RECURRENCE_CHARS:
        raise ValueError(f"it has more than {MAX_RECURRENCE_CHARS} characters")
    if not _SHAPE.fullmatch(text):
        raise ValueError("it is not a list such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0")
    pairs = [part.split("=") for part in text.split(";")]
    parts = dict(pairs)
    if len(parts) < len(pairs):
        raise ValueError("a part of it stands there twice")
    frequency = next((each for each in get_args(Frequency) if parts.get("FREQ") == each), None)
    if frequency is None:
        raise ValueError("FREQ is missing or unknown")
    if odd := parts.keys() - _PARTS[frequency]:
        raise ValueError(f"{', '.join(sorted(odd))} has no place beside FREQ={frequency}")
    if parts.get("WKST", "MO") != "MO":
        raise ValueError("weeks begin on Monday")
    intervals = _numbers(parts, "INTERVAL")
    if len(intervals) > 1:
        raise ValueError("INTERVAL is one number")
    days = parts["BYDAY"].split(",") if "BYDAY" in parts else ()
    return Recurrence(
        frequency=frequency,
        interval=next(iter(intervals), 1),
        months=_numbers(parts, "BYMONTH"),
        month_days=_numbers(parts, "BYMONTHDAY"),
        weekdays=tuple(sorted({_weekday(day, _MAX_NTH.get(frequency, 0)) for day in days})),
        positions=_numbers(parts, "BYSETPOS"),
        hours=_numbers(parts, "BYHOUR"),
        minutes=_numbers(parts, "BYMINUTE"),
        seconds=_numbers(parts, "BYSECOND"),
    )


def zone_named(name: str) -> ZoneInfo:
    """The zone of an IANA name. Raises `LookupError` for any other text."""
    if not _ZONE.fullmatch(name):
        raise LookupError(name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise LookupError(name) from error


def wall_at(moment: datetime, zone: ZoneInfo) -> datetime:
    """What the clocks of the zone read at a moment; without a zone of its own."""
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def moment_at(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first moment, in UTC, at which the clocks of the zone have reached a wall-clock time.

    A time that occurs twice gives its first occurrence. A time that the clocks skip gives the
    first moment behind the gap, the second of the change: it lies between the two offsets.
    """
    moment = wall.replace(tzinfo=zone).astimezone(UTC)
    if wall_at(moment, zone) == wall:
        return moment
    low = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    high = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)

    def is_behind(elapsed_s: int) -> bool:
        return wall_at(low + timedelta(seconds=elapsed_s), zone) >= wall

    width_s = int((high - low).total_seconds())
    return low + timedelta(seconds=bisect_left(range(width_s), True, key=is_behind))


def _read(rule: Rule) -> tuple[Recurrence, ZoneInfo]:
    try:
        recurrence = read_recurrence(rule.recurrence)
    except ValueError as error:
        raise BadRule("unreadable", f"The recurrence cannot be read: {error}.") from error
    if not FIRST_YEAR <= rule.begins.year <= LAST_YEAR:
        raise BadRule("unreadable", f"It cannot begin before {FIRST_YEAR} or after {LAST_YEAR}.")
    try:
        return recurrence, zone_named(rule.zone)
    except LookupError as error:
        raise BadRule("unknown_zone", "There is no time zone of this name.") from error


def _numbers(parts: dict[str, str], name: str) -> tuple[int, ...]:
    items = parts[name].split(",") if name in parts else ()
    if odd := [item for item in items if not _NUMBER.fullmatch(item)]:
        raise ValueError(f"{name}={odd[0]} is not possible")
    numbers = tuple(sorted({int(item) for item in items}))
    if odd := [number for number in numbers if number not in _VALUES[name]]:
        raise ValueError(f"{name}={odd[0]} is not possible")
    return numbers


def _weekday(item: str, max_nth: int) -> Weekday:
    found = _WEEKDAY.fullmatch(item)
    if not found or (found[1] and not 1 <= abs(int(found[1])) <= max_nth):
        raise ValueError(f"BYDAY={item} is not possible")
    return Weekday(day=_WEEKDAYS.index(found[2]), nth=int(found[1] or 0))


def _wall_times(recurrence: Recurrence, *, begins: datetime, since: datetime) -> Iterator[datetime]:
    """Ascending, from the period that `since` is in; intervals count from that of `begins`."""
    near = max(begins, since)
    if near.year > LAST_YEAR:
        return
    stated = _complete(recurrence, begins)
    try:
        for wall in _by_dateutil(stated, _period_start(stated, begins, near) + _TO_THE_END):
            yield wall - _TO_THE_END
    except ValueError:  # dateutil follows the last week behind the end of the calendar
        return


def _by_dateutil(stated: Recurrence, dtstart: datetime) -> dateutil.rrule:
    frequencies: dict[str, Literal[0, 1, 2, 3]] = {
        "YEARLY": dateutil.YEARLY,
        "MONTHLY": dateutil.MONTHLY,
        "WEEKLY": dateutil.WEEKLY,
        "DAILY": dateutil.DAILY,
    }
    days = [dateutil.weekday(each.day, each.nth or None) for each in stated.weekdays]
    return dateutil.rrule(
        frequencies[stated.frequency],
        dtstart=dtstart,
        interval=stated.interval,
        wkst=dateutil.MO,
        bymonth=stated.months or None,
        bymonthday=stated.month_days or None,
        byweekday=days or None,
        bysetpos=stated.positions or None,
        byhour=stated.hours,
        byminute=stated.minutes,
        bysecond=stated.seconds,
    )


def _complete(recurrence: Recurrence, begins: datetime) -> Recurrence:
    """State everything: a stated hour is a full hour, the rest is as in `begins`."""
    has_time = bool(recurrence.hours or recurrence.minutes)
    timed = replace(
        recurrence,
        hours=recurrence.hours or (begins.hour,),
        minutes=recurrence.minutes or (0 if recurrence.hours else begins.minute,),
        seconds=recurrence.seconds or (0 if has_time else begins.second,),
    )
    if timed.weekdays or timed.month_days:
        return timed
    match timed.frequency:
        case "WEEKLY":
            return replace(timed, weekdays=(Weekday(begins.weekday()),))
        case "MONTHLY":
            return replace(timed, month_days=(begins.day,))
        case "YEARLY":
            return replace(timed, months=timed.months or (begins.month,), month_days=(begins.day,))
        case _:
            return timed


def _period_start(recurrence: Recurrence, begins: datetime, near: datetime) -> datetime:
    """The first moment of the last counted period that has begun at `near`."""
    every = recurrence.interval
    if recurrence.frequency in ("YEARLY", "MONTHLY"):
        is_yearly = recurrence.frequency == "YEARLY"
        every *= 12 if is_yearly else 1
        origin = begins.year * 12 + (0 if is_yearly else begins.month - 1)
        month = origin + (near.year * 12 + near.month - 1 - origin) // every * every
        return _midnight(near).replace(year=month // 12, month=month % 12 + 1, day=1)
    first = _midnight(begins)
    if recurrence.frequency == "WEEKLY":
        every *= 7
        first -= timedelta(days=begins.weekday())
    return first + timedelta(days=(near - first).days // every * every)


def _midnight(wall: datetime) -> datetime:
    return wall.replace(hour=0, minute=0, second=0, microsecond=0)


def _elapsed_moments(
    recurrence: Recurrence, rule: Rule, zone: ZoneInfo, since: datetime
) -> Iterator[datetime]:
    """Counted from `begins`, or from the full hour (minute) before a stated one."""
    wall = wall_at(rule.begins, zone)
    minutes = wall.minute if recurrence.minutes else 0
    seconds = wall.second if recurrence.minutes or recurrence.seconds else 0
    anchor = rule.begins.astimezone(UTC) - timedelta(minutes=minutes, seconds=seconds)
    step_s = recurrence.interval * _UNIT_S[recurrence.frequency]
    offsets_s = [minute * 60 for minute in recurrence.minutes] or [0]
    for number in count(int((since - anchor).total_seconds()) // step_s):
        for offset_s in offsets_s:
            yield anchor + timedelta(seconds=number * step_s + offset_s)


def _due(rule: Rule, moments: Iterator[datetime], after: datetime) -> Iterator[datetime]:
    """Those of ascending moments that count; two wall-clock times may have met behind a gap."""
    latest = after
    for moment in moments:
        if moment >= _END or (rule.ends is not None and moment > rule.ends):
            return
        if moment > latest and moment >= rule.begins:
            latest = moment
            yield moment


def _without_slot(rule: Rule, now: datetime, distant: datetime | None) -> BadRule:
    may_be_over = distant is None and rule.ends is not None and rule.begins < now
    if may_be_over and next(slots_after(rule, rule.begins - _SECOND), None) is not None:
        return BadRule("over", "The last of these times has passed.")
    return BadRule("never", "No such time comes within ten years and before the end.")
