"""When something recurs: an RFC 5545 rule in a time zone, and the moments that follow from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice, pairwise, takewhile
from typing import Literal
from zoneinfo import ZoneInfo

from agent_core.errors import ScheduleError
from agent_core.schedules.recurrence import Recurrence, read_recurrence
from agent_core.schedules.wall_times import FIRST_YEAR, LAST_YEAR, wall_times
from agent_core.schedules.zones import moment_at, wall_at, zone_named

MIN_APART_S = 900.0
MAX_COUNTED = 10_000

_CHECKED_SLOTS = 3_000
_CHECKED_TIME = timedelta(days=400)
_LONGEST_WAIT = timedelta(days=3_653)
_SECOND = timedelta(seconds=1)
_END = datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
_UNIT_S = {"HOURLY": 3_600, "MINUTELY": 60, "SECONDLY": 1}

Fault = Literal["unreadable", "unknown_zone", "too_often", "never", "over"]


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


def slots_after(rule: Rule, moment: datetime) -> Iterator[datetime]:
    """The moments at which the rule is due, strictly after `moment`: in UTC, in order, each once.

    By days, weeks, months and years a slot is a wall-clock time of the rule's zone: one that the
    clocks skip is due at the first moment behind the gap, one that they read twice is due the first
    time. By hours and minutes it is elapsed time since `begins`, whatever the clocks do. Computed
    one by one; nothing is due behind the year 2083. Raises `BadRule` if the rule cannot be read.
    """
    recurrence, zone = _read(rule)
    since = min(max(moment, rule.begins), _END).astimezone(UTC)
    if recurrence.frequency in _UNIT_S:
        moments = _elapsed_moments(recurrence, _anchor(recurrence, rule, zone), since)
    else:
        begins, near = wall_at(rule.begins, zone), wall_at(since, zone)
        walls = wall_times(recurrence, begins=begins, since=near)
        moments = (moment_at(wall, zone) for wall in walls)
    return _due(rule, moments, moment)


def newest_slot(rule: Rule, *, after: datetime, until: datetime) -> tuple[datetime | None, int]:
    """The last slot with `after` < slot <= `until`, and how many there are (10,000 at most)."""
    slots = takewhile(lambda slot: slot <= until, slots_after(rule, after))
    counted = list(islice(slots, MAX_COUNTED))
    if len(counted) < MAX_COUNTED:
        return (counted[-1] if counted else None), len(counted)
    return _last_slot(rule, until), MAX_COUNTED


def check_rule(rule: Rule, now: datetime) -> None:
    """Raise `BadRule` unless the rule may be a schedule's from `now` on.

    It must be readable, due within ten years and not over, and its slots at least `MIN_APART_S`
    apart: the next 3,000 of them are looked at, as far as 400 days from the first.
    """
    recurrence, _ = _read(rule)
    if recurrence.frequency == "SECONDLY" or any(recurrence.seconds):
        raise BadRule("too_often", "Times are whole minutes, at least 15 apart.")
    start = max(now, rule.begins - _SECOND)
    first = next(slots_after(rule, start), None)
    if first is None or first - start > _LONGEST_WAIT:
        raise _without_slot(rule, now, first)
    _check_distances(rule, start, first)


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


def _anchor(recurrence: Recurrence, rule: Rule, zone: ZoneInfo) -> datetime:
    """Where elapsed time counts from: `begins`, or the full hour (minute) before a stated one."""
    wall = wall_at(rule.begins, zone)
    minutes = wall.minute if recurrence.minutes else 0
    seconds = wall.second if recurrence.minutes or recurrence.seconds else 0
    return rule.begins.astimezone(UTC) - timedelta(minutes=minutes, seconds=seconds)


def _elapsed_moments(
    recurrence: Recurrence, anchor: datetime, since: datetime
) -> Iterator[datetime]:
    step_s = recurrence.interval * _UNIT_S[recurrence.frequency]
    offsets_s = [minute * 60 for minute in recurrence.minutes] or [0]
    past = int((since - anchor).total_seconds()) // step_s
    for number in count(past):
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


def _last_slot(rule: Rule, until: datetime) -> datetime:
    """The newest slot where there are too many to count them all; there MUST be one."""
    newest = min(until, rule.ends or _END, _END)
    look_back = timedelta(hours=1)
    while not (found := _slots_between(rule, newest - look_back, newest)):
        look_back *= 2
    return found[-1]


def _slots_between(rule: Rule, after: datetime, until: datetime) -> list[datetime]:
    return list(takewhile(lambda slot: slot <= until, slots_after(rule, after)))


def _without_slot(rule: Rule, now: datetime, distant: datetime | None) -> BadRule:
    may_be_over = distant is None and rule.ends is not None and rule.begins < now
    if may_be_over and next(slots_after(rule, rule.begins - _SECOND), None) is not None:
        return BadRule("over", "The last of these times has passed.")
    return BadRule("never", "No such time comes within ten years and before the end.")


def _check_distances(rule: Rule, start: datetime, first: datetime) -> None:
    slots = islice(slots_after(rule, start), _CHECKED_SLOTS)
    near = takewhile(lambda slot: slot - first <= _CHECKED_TIME, slots)
    for earlier, later in pairwise(near):
        if (later - earlier).total_seconds() < MIN_APART_S:
            raise BadRule("too_often", _too_close(rule, earlier, later))


def _too_close(rule: Rule, earlier: datetime, later: datetime) -> str:
    zone = zone_named(rule.zone)
    day = wall_at(earlier, zone)
    return (
        "Times are at least 15 minutes apart; these are due at "
        f"{day:%H:%M} and again at {wall_at(later, zone):%H:%M} on {day:%Y-%m-%d}."
    )
