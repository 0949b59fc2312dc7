"""What a matched phrase says about the days on which something recurs."""

import re
from collections.abc import Mapping

from agent_core.schedules.in_words.calendar_days import month_of
from agent_core.schedules.in_words.pieces import Cadence
from agent_core.schedules.in_words.words.vocabulary import (
    ANY_DAY,
    DAY_CODES,
    Part,
    Unit,
    Words,
    fold,
    folded_keys,
    one_of,
)

_Said = Mapping[str, str]


def read_cadence(match: re.Match[str], words: Words) -> Cadence | None:
    """The days of a phrase of the language's grammar; None where they make no sense together."""
    said = {name: " ".join(value.split()) for name, value in match.groupdict().items() if value}
    readers = {
        "fixed": _fixed,
        "adverb": _adverb,
        "month_ends": _month_end,
        "nth_days": _nth_days,
        "mdays": _month_days,
        "month": _day_of_year,
        "mn": _day_of_year,
        "day2": _range,
        "day": _alternate_day,
        "days": _days,
        "plurals": _days,
        "several": _days,
        "unit": _unit,
    }
    reader = next((readers[name] for name in readers if name in said), _part_alone)
    return reader(said, words)


def _fixed(said: _Said, words: Words) -> Cadence:
    unit, interval = folded_keys(words.fixed)[said["fixed"]]
    return Cadence(unit=unit, interval=interval)


def _adverb(said: _Said, words: Words) -> Cadence:
    unit, interval = folded_keys(words.adverbs)[said["adverb"]]
    return _counted(unit, interval, said, words)


def _month_end(_said: _Said, _words: Words) -> Cadence:
    return Cadence(unit="month", nth=(-1,), days=(ANY_DAY,))


def _unit(said: _Said, words: Words) -> Cadence:
    unit = folded_keys(words.units)[said["unit"]]
    return _counted(unit, _interval(said, words), said, words)


def _counted(unit: Unit, interval: int, said: _Said, words: Words) -> Cadence:
    count = folded_keys(words.counts)[said["count"]] if "count" in said else 0
    if unit == "day":
        return Cadence(unit=unit, interval=interval, times_a_day=count)
    if unit in ("week", "month"):
        return Cadence(unit=unit, interval=interval, days_a_unit=count)
    return Cadence(unit=unit, interval=0 if count else interval)


def _interval(said: _Said, words: Words) -> int:
    if "n" in said:
        return int(said["n"]) if said["n"].isdecimal() else folded_keys(words.numbers)[said["n"]]
    if "ord" in said:
        return max(folded_keys(words.ordinals)[said["ord"]], 0)
    return 2 if "other" in said else 1


def _days(said: _Said, words: Words) -> Cadence:
    days = _codes(said.get("days") or said.get("several") or said["plurals"], words)
    part = _part(said, words)
    if "ords" in said:
        return Cadence(unit="month", nth=_ordinals(said["ords"], words), days=days, part=part)
    nth = folded_keys(words.ordinals)[said["ord"]] if "ord" in said else 0
    if nth in (1, -1):
        return Cadence(unit="month", nth=(nth,), days=days, part=part)
    if nth == 2 or "other" in said:
        return Cadence(unit="week", interval=2, days=days, part=part)
    # "Every third Monday" is the month's third one to some people and every three weeks to others.
    if nth:
        return Cadence(unit="week", interval=0, days=days, part=part)
    return Cadence(days=days, part=part)


def _nth_days(said: _Said, words: Words) -> Cadence | None:
    days = _codes(said["nth_days"], words)
    if "DAY" in days and len(days) > 1:
        return None
    unit = folded_keys(words.units)[said["unit"]] if "unit" in said else None
    return Cadence(unit=unit or "month", nth=_ordinals(said["ords"], words), days=days)


def _month_days(said: _Said, words: Words) -> Cadence:
    ordinals = folded_keys(words.ordinals)
    found = re.findall(rf"\d+|{one_of(words.ordinals)}", said["mdays"])
    return Cadence(
        unit="month",
        month_days=tuple(int(day) if day.isdecimal() else ordinals[day] for day in found),
    )


def _day_of_year(said: _Said, words: Words) -> Cadence:
    month = month_of(said["month"], words) if "month" in said else int(said["mn"])
    return Cadence(unit="year", month=month, month_days=(int(said["d"]),))


def _range(said: _Said, words: Words) -> Cadence:
    first, last = (DAY_CODES.index(_codes(said[name], words)[0]) for name in ("day", "day2"))
    length = (last - first) % 7 + 1
    return Cadence(days=tuple(DAY_CODES[(first + more) % 7] for more in range(length)))


def _alternate_day(said: _Said, words: Words) -> Cadence:
    days = _codes(said["day"], words)
    return Cadence(unit="week", interval=2, days=days, part=_part(said, words))


def _part_alone(said: _Said, words: Words) -> Cadence:
    return Cadence(unit="day", part=_part(said, words))


def _part(said: _Said, words: Words) -> Part | None:
    return folded_keys(words.parts)[said["part"]] if "part" in said else None


def _ordinals(said: str, words: Words) -> tuple[int, ...]:
    found = re.findall(rf"(?<!\w)(?:{one_of(words.ordinals)})(?!\w)", said)
    ordinals = folded_keys(words.ordinals)
    return tuple(dict.fromkeys(ordinals[" ".join(each.split())] for each in found))


def _codes(said: str, words: Words) -> tuple[str, ...]:
    """The days of a list, each once, in the order of the week."""
    tables = folded_keys({**words.days, **words.plural_days, **words.nth_days})
    found = re.findall(rf"(?<!\w)(?:{one_of(tables)})(?!\w)", fold(said))
    codes = {code for each in found for code in tables[" ".join(each.split())].split(",")}
    return tuple(sorted(codes, key=lambda code: ("DAY", *DAY_CODES).index(code)))
