"""Brings what several phrases say about the days together."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from agent_core.schedules.in_words.pieces import Cadence, Piece, Times, When
from agent_core.schedules.in_words.words.vocabulary import ANY_DAY, DAY_CODES, Unit

_Value = TypeVar("_Value")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
ELAPSED = frozenset[Unit]({"second", "minute", "hour"})
"""Units that are counted in hours, whatever the clocks do."""


class Unclear(Exception):
    """The phrases contradict each other."""


def merged(pieces: Sequence[Piece]) -> Cadence:
    """All that is said about days. Raises `Unclear` where it is two recurrences."""
    result = Cadence()
    times_between = False
    for piece in pieces:
        if isinstance(piece, Times):
            each_day = result.unit == "day" and len(piece.minutes) > 1
            times_between = result.names_days or each_day
        if isinstance(piece, When):
            if times_between and piece.cadence.names_days:
                raise Unclear
            result = _joined(result, piece.cadence)
    return result


def completed(days: Cadence) -> Cadence | None:
    """The same with its unit; None where it leaves open on which days it is."""
    if days.interval == 0:
        return None
    if days.unit is None:
        return replace(days, unit="week") if days.days else None
    if days.unit in ELAPSED:
        return None if days.names_days else days
    if days.unit == "day":
        return _daily(days)
    if days.unit == "week":
        return days if days.days and not days.nth and not days.month_days else None
    return days if _is_day_of_month(days) else None


def _daily(days: Cadence) -> Cadence | None:
    if not days.names_days:
        return days
    is_weekly = days.days and not days.nth and not days.month_days and days.interval == 1
    return replace(days, unit="week") if is_weekly else None


def _is_day_of_month(days: Cadence) -> bool:
    if days.unit == "quarter" and days.interval > 1:
        return False
    if days.unit == "year":
        return _is_day_of_year(days)
    if days.month or bool(days.month_days) == bool(days.nth):
        return False
    if days.nth:
        return bool(days.days)
    return not days.days and all(-2 <= day <= 31 and day for day in days.month_days)


def _is_day_of_year(days: Cadence) -> bool:
    if not 1 <= days.month <= 12 or len(days.month_days) != 1 or days.days:
        return False
    return 1 <= days.month_days[0] <= _MONTH_DAYS[days.month - 1]


def _joined(left: Cadence, right: Cadence) -> Cadence:
    if left.days and right.days and bool(left.nth) != bool(right.nth):
        raise Unclear
    return Cadence(
        unit=_unit(left, right),
        interval=_one(left.interval, right.interval, nothing=1),
        days=_in_order({*left.days, *right.days}),
        nth=_one(left.nth, right.nth, nothing=()),
        month_days=tuple(dict.fromkeys((*left.month_days, *right.month_days))),
        month=_one(left.month, right.month, nothing=0),
        part=_one(left.part, right.part, nothing=None),
        times_a_day=_one(left.times_a_day, right.times_a_day, nothing=0),
        days_a_unit=_one(left.days_a_unit, right.days_a_unit, nothing=0),
    )


def _unit(left: Cadence, right: Cadence) -> Unit | None:
    """One unit for both: that of how often, where the other only says which day."""
    units = {left.unit, right.unit}
    if None in units or len(units) == 1:
        return left.unit or right.unit
    has_days = left.names_days or right.names_days
    if has_days and units == {"quarter", "month"}:
        return "quarter"
    if has_days and units == {"day", "week"}:
        return "week"
    if left.part or right.part:
        return left.unit if right.part else right.unit
    raise Unclear


def _one(left: _Value, right: _Value, *, nothing: _Value) -> _Value:
    if right in (nothing, left):
        return left
    if left == nothing:
        return right
    raise Unclear


def _in_order(days: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(days, key=(ANY_DAY, *DAY_CODES).index))
