"""Times of day as people say them: 9, 9:30, half past eight, um halb neun, 14h, a las 9."""

import re
from typing import NamedTuple

from agent_core.schedules.in_words.grammar import Grammar
from agent_core.schedules.in_words.pieces import Times
from agent_core.schedules.in_words.words.vocabulary import Part, Words, folded_keys

DAY_MINUTES = 1_440

_OF_24_HOURS = re.compile(r"\d\s?h(?!\w)|uhr|heure|hora")
"""Behind an hour: 5 Uhr and 5h are in the morning."""


class _Clock(NamedTuple):
    end: int
    minute: int | None
    is_fixed: bool
    is_bare: bool = False


def read_times(text: str, start: int, grammar: Grammar, *, loose: bool = False) -> Times | None:
    """The list of times that begins at a place of a folded text; None where none does."""
    match = (grammar.loose_times if loose else grammar.times).match(text, start)
    if match is None:
        return None
    found = _listed(text, start, match.end(), grammar)
    valid = [clock for clock in found if clock.minute is not None]
    return Times(
        start=start,
        end=match.end(),
        minutes=tuple(clock.minute for clock in valid if clock.minute is not None),
        fixed=tuple(clock.is_fixed for clock in valid),
        bare=tuple(clock.is_bare for clock in valid),
        is_valid=bool(found) and len(valid) == len(found),
    )


def in_part(minute: int, part: Part | None) -> int:
    """A time in a part of the day: 8 in the evening is 20:00."""
    hour = minute // 60
    if part in ("afternoon", "evening") and hour < 12:
        return minute + 720
    if part == "night" and 6 <= hour <= 12:
        return (minute + 720) % DAY_MINUTES
    if part in ("morning", "evening") and hour == 12:
        return minute - 720
    return minute


def _listed(text: str, start: int, end: int, grammar: Grammar) -> list[_Clock]:
    found: list[_Clock] = []
    place = start
    while place < end:
        clock = _clock_at(text, place, end, grammar)
        if clock is not None:
            found.append(clock)
        place = clock.end if clock else place + 1
    return found


def _clock_at(text: str, place: int, end: int, grammar: Grammar) -> _Clock | None:
    matches = ((pattern.match(text, place), add) for pattern, add in grammar.clocks)
    fitting = [(match, add) for match, add in matches if match and match.end() <= end]
    if not fitting:
        return None
    match, add = max(fitting, key=lambda each: each[0].end())
    return _clock(match, add, grammar.words)


def _clock(match: re.Match[str], add: int, words: Words) -> _Clock:
    said = {name: value for name, value in match.groupdict().items() if value}
    if "h" not in said:
        return _Clock(match.end(), add, is_fixed=True)
    hour = _hour(said["h"], words)
    minutes = int(said.get("m", "0"))
    half = folded_keys(words.halves).get(" ".join(said.get("half", "").split()))
    if hour > 24 or minutes > 59 or (hour == 24 and minutes) or (half and hour == 0):
        return _Clock(match.end(), None, is_fixed=True)
    minute = (hour * 60 + minutes + add) % DAY_MINUTES
    if half is None:
        is_fixed = hour > 12
        is_bare = not (is_fixed or "m" in said or _OF_24_HOURS.search(match[0]))
        return _Clock(match.end(), minute, is_fixed, is_bare)
    return _Clock(match.end(), in_part(minute, half), is_fixed=True)


def _hour(said: str, words: Words) -> int:
    return int(said) if said.isdecimal() else folded_keys(words.numbers)[said]
