"""Time zones as they stand behind a time: 9 CET, 9 Berlin time, 9 UTC+2, 9 in Tokyo."""

import re

from agent_core.schedules.in_words.grammar import Grammar
from agent_core.schedules.in_words.pieces import Zone
from agent_core.schedules.in_words.words.asking import KEPT, LEAD, POSTING, WORKING
from agent_core.schedules.in_words.words.vocabulary import folded_keys
from agent_core.schedules.in_words.zone_names import (
    zone_of_city,
    zone_of_code,
    zone_of_offset,
    zone_of_place,
)

_OFFSET = re.compile(r"[(]?(?:utc|gmt)\s?(?P<h>[+-]\d{1,2})(?::?(?P<m>\d{2}))?(?![\w:.])[)]?")
_UNKNOWN_PLACE = re.compile(
    r"(?:any|some|this|that|the|every|each|same|first|next|last|long)(?!\w)"
)
_CITIES = tuple(re.compile(rf"[^\W\d_]+(?:[\s-][^\W\d_]+){{{more}}}(?!\w)") for more in (2, 1, 0))
_CLOSED = re.compile(r"[)]?\s?(?:[,.;:!?-]|$)")


def zone_at(text: str, folded: str, start: int, grammar: Grammar) -> Zone | None:
    """The zone that begins at a place of a text; without a name where we do not know it."""
    if offset := _OFFSET.match(folded, start):
        name = zone_of_offset(int(offset["h"]), int(offset["m"] or 0))
        return Zone(start=start, end=offset.end(), name=name)
    return _named_at(text, folded, start, grammar) or _city_at(text, folded, start, grammar)


def _named_at(text: str, folded: str, start: int, grammar: Grammar) -> Zone | None:
    match = grammar.zone.match(folded, start)
    if match is None:
        return None
    name = _name(text, match, grammar)
    return None if name is None else Zone(start=start, end=match.end(), name=name)


def _name(text: str, match: re.Match[str], grammar: Grammar) -> str | None:
    if match["code"]:
        code = text[match.start("code") : match.end("code")]
        return zone_of_code(code, grammar.words.language)
    if match["own"]:
        return "own"
    place = next(
        (match[name] for name in ("iana", "city", "place") if match.groupdict().get(name)), ""
    )
    return None if _UNKNOWN_PLACE.match(place) else zone_of_place(place)


def _city_at(text: str, folded: str, start: int, grammar: Grammar) -> Zone | None:
    """A city behind "in", or by itself where the order goes on or ends: 9am, Tokyo, post."""
    lead = grammar.zone_in.match(folded, start)
    place = lead.end() if lead else start + folded.startswith("(", start)
    for pattern in _CITIES:
        match = pattern.match(folded, place)
        if match and (name := zone_of_city(match[0])) and (lead or _ends(folded, match.end())):
            end = match.end() + folded.startswith(")", match.end())
            return Zone(start=start, end=end, name=name)
    end = _end_of_unknown(text, folded, place, grammar) if lead else 0
    return Zone(start=start, end=end, name="") if end else None


def _ends(folded: str, place: int) -> bool:
    return _CLOSED.match(folded, place) is not None or _is_verb(folded, place)


def _is_verb(folded: str, place: int) -> bool:
    lead = LEAD.match(folded, place)
    start = lead.end() if lead else place
    return start > place and any(verb.match(folded, start) for verb in (POSTING, WORKING, KEPT))


def _end_of_unknown(text: str, folded: str, place: int, grammar: Grammar) -> int:
    """Where a name in capitals ends before the verb; German writes any noun like that."""
    if grammar.words.language == "de" or not text[place : place + 1].isupper():
        return 0
    names = filter(None, (pattern.match(folded, place) for pattern in reversed(_CITIES)))
    months = folded_keys(grammar.words.months)
    ends = (
        each.end()
        for each in names
        if each[0] not in months and text[each.start() : each.end()].istitle()
    )
    return next((end for end in ends if _is_verb(folded, end)), 0)
