"""Puts the pieces of a recurrence together: to a rule, or to what has to be asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from agent_core.schedules.in_words.clocks import in_part
from agent_core.schedules.in_words.merging import ELAPSED, Unclear, completed, merged
from agent_core.schedules.in_words.pieces import Bound, Cadence, Piece, Times, Unread, When, Zone
from agent_core.schedules.in_words.words.vocabulary import Part
from agent_core.schedules.in_words.writing import recurrence_text
from agent_core.schedules.rule import Rule
from agent_core.schedules.zones import moment_at, wall_at, zone_named

Missing = Literal["time", "day", "task", "zone", "channel"]

OWN_ZONE = "own"
"""What a `Zone` piece names where it is the asker's own."""
_NOON = 720
_MORNING = 360
_AFTERNOON = 780
"""Who says 13 reads a clock of 24 hours."""
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)
_ONE_DAY = timedelta(days=1)
_ONE_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """A rule, exactly where nothing is missing."""

    rule: Rule | None
    missing: frozenset[Missing]


def compose(pieces: Sequence[Piece], *, zone: str, now: datetime) -> Composition:
    """What pieces say together, in the zone that they name or else in the one given."""
    named = _zone(pieces, zone)
    days = _days(pieces)
    last_time = _last_time(pieces)
    minutes = _minutes(pieces, days)
    missing = _missing(pieces, days, minutes, named)
    if missing or days is None or minutes is None:
        return Composition(rule=None, missing=missing)
    text = recurrence_text(days, () if days.unit in ELAPSED else minutes)
    if text is None:
        return Composition(rule=None, missing=frozenset({"time"}))
    bounds = {piece.side: piece for piece in pieces if isinstance(piece, Bound)}
    first_day = bounds["from"].day if "from" in bounds else None
    rule = Rule(
        recurrence=text,
        zone=named,
        begins=_begins(days, minutes, first_day, named, now),
        ends=_end_of(_last_day(bounds.get("until"), first_day), last_time, named),
    )
    return Composition(rule=rule, missing=frozenset())


def alternatives(pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], ...]:
    """The pieces of each rule where they name more than one, each whole by itself; else none."""
    try:
        merged(pieces)
    except Unclear:
        return _one_by_one(pieces)
    return ()


def _one_by_one(pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], ...]:
    places = {piece.name for piece in pieces if isinstance(piece, Zone)}
    kinds = (When, Times, Zone) if len(places) > 1 else (When, Times)
    own = [each for each in pieces if isinstance(each, kinds)]
    shared = [each for each in pieces if not isinstance(each, kinds)]
    for place in range(1, len(own)):
        first, rest = (*own[:place], *shared), (*own[place:], *shared)
        further = (rest,) if _is_whole(rest) else _one_by_one(rest)
        if further and _is_whole(first):
            return (first, *further)
    return ()


def _is_whole(pieces: Sequence[Piece]) -> bool:
    return compose(pieces, zone="UTC", now=_ANY_TIME).rule is not None


def has_unclear_end(pieces: Sequence[Piece]) -> bool:
    """Whether the time of the last day may be two: until Friday at 5."""
    last_time = _last_time(pieces)
    return last_time is not None and _may_be_later(last_time)


def _missing(
    pieces: Sequence[Piece], days: Cadence | None, minutes: Sequence[int] | None, zone: str
) -> frozenset[Missing]:
    missing: set[Missing] = {piece.asks for piece in pieces if isinstance(piece, Unread)}
    if days is None or any(isinstance(piece, Bound) and not piece.day for piece in pieces):
        missing.add("day")
    if _lacks_time(days or _frequency(pieces), minutes) or has_unclear_end(pieces):
        missing.add("time")
    if not _is_known(zone):
        missing.add("zone")
    return frozenset(missing)


def _lacks_time(days: Cadence, minutes: Sequence[int] | None) -> bool:
    if minutes is None:
        return True
    if days.unit in ELAPSED:
        return len(minutes) > 1
    return len(minutes) != days.times_a_day if days.times_a_day else not minutes


def _zone(pieces: Sequence[Piece], zone: str) -> str:
    named = {piece.name for piece in pieces if isinstance(piece, Zone) and piece.name != OWN_ZONE}
    if len(named) > 1:
        return ""
    return named.pop() if named else zone


def _is_known(zone: str) -> bool:
    try:
        zone_named(zone)
    except LookupError:
        return False
    return True


def _frequency(pieces: Sequence[Piece]) -> Cadence:
    try:
        return merged(pieces)
    except Unclear:
        return Cadence()


def _days(pieces: Sequence[Piece]) -> Cadence | None:
    days = completed(_frequency(pieces))
    if days is None or not days.days_a_unit:
        return days
    named = len(days.nth or days.month_days or days.days)
    return days if named == days.days_a_unit else None


def _last_time(pieces: Sequence[Piece]) -> Times | None:
    """The time of the last day; what stands there is when to post, where nothing else says it."""
    said = [piece for piece in pieces if isinstance(piece, Times)]
    last = [each for each in said if each.may_end and each.is_valid and len(each.minutes) == 1]
    if len(last) != 1 or not (len(said) > 1 or _frequency(pieces).unit in ELAPSED):
        return None
    return last[0]


def _minutes(pieces: Sequence[Piece], days: Cadence | None) -> tuple[int, ...] | None:
    """The times of day in order; None where there is one that no clock shows, or may be two."""
    last_time = _last_time(pieces)
    said = [each for each in pieces if isinstance(each, Times) and each is not last_time]
    part = (days or _frequency(pieces)).part
    if not all(times.is_valid for times in said):
        return None
    is_elapsed = days is not None and days.unit in ELAPSED
    if part is None and not is_elapsed and any(map(_may_be_later, said)):
        return None
    found = {minute for times in said for minute in _placed(times, part)}
    return tuple(sorted(found)) or ((_NOON,) if part == "noon" else ())


def _may_be_later(times: Times) -> bool:
    """At 3, or at 10 and 8: people do not say whether that is in the afternoon."""
    before = (0, *times.minutes)
    return any(
        is_bare and (60 <= minute < _MORNING or minute < earlier < _AFTERNOON)
        for earlier, minute, is_bare in zip(before, times.minutes, times.bare, strict=False)
    )


def _placed(times: Times, part: Part | None) -> list[int]:
    return [
        minute if is_fixed else in_part(minute, part)
        for minute, is_fixed in zip(times.minutes, times.fixed, strict=True)
    ]


def _begins(
    days: Cadence, minutes: Sequence[int], first_day: date | None, zone: str, now: datetime
) -> datetime:
    place = zone_named(zone)
    local = wall_at(now, place)
    if first_day is not None and first_day > local.date():
        start = _at(first_day, minutes[0] if minutes and days.unit in ELAPSED else 0)
        return moment_at(start, place)
    if days.unit not in ELAPSED:
        return _rounded_up(now)
    if minutes:
        today = _at(local.date(), minutes[0])
        return moment_at(today if today > local else today + _ONE_DAY, place)
    return moment_at(_next_full(local, 60 if days.unit == "hour" else 15), place)


def _at(day: date, minute: int) -> datetime:
    return datetime.combine(day, time(minute // 60, minute % 60))


def _next_full(local: datetime, minutes: int) -> datetime:
    """The next full hour, or part of an hour, on the clock."""
    hour = local.replace(minute=0, second=0, microsecond=0)
    return hour + timedelta(minutes=(local.minute // minutes + 1) * minutes)


def _rounded_up(now: datetime) -> datetime:
    whole = now.astimezone(UTC).replace(microsecond=0)
    return whole + _ONE_SECOND if now.microsecond else whole


def _last_day(until: Bound | None, first_day: date | None) -> date | None:
    if until and until.lasts and first_day:
        return first_day + until.lasts - _ONE_DAY
    return until.day if until else None


def _end_of(day: date | None, last_time: Times | None, zone: str) -> datetime | None:
    """The end of the last day, or the time that is named for it; midnight is its end."""
    if day is None:
        return None
    if last_time is not None and last_time.minutes[0]:
        return moment_at(_at(day, last_time.minutes[0]), zone_named(zone))
    return moment_at(_at(day + _ONE_DAY, 0), zone_named(zone)) - _ONE_SECOND


def elapses(pieces: Sequence[Piece]) -> bool:
    """Whether pieces recur by hours or minutes, so that no time of day has to be named."""
    return any(isinstance(each, When) and each.cadence.unit in ELAPSED for each in pieces)
