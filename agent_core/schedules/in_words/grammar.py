"""The templates of a language, as patterns that read one piece of a recurrence each."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.pieces import Strength
from agent_core.schedules.in_words.words.english import ENGLISH
from agent_core.schedules.in_words.words.french import FRENCH
from agent_core.schedules.in_words.words.german import GERMAN
from agent_core.schedules.in_words.words.spanish import SPANISH
from agent_core.schedules.in_words.words.vocabulary import Words, fold, one_of

WORDS: Mapping[Language, Words] = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
}
_BEFORE = r"(?<![\w#@])"
_BEHIND = r"(?!\w)"
_TIME_BEHIND = r"(?!\w|[:.,/-]\d|\s?[%€$£°])"
_BLANK = r"\s{1,3}"
_PLACEHOLDER = re.compile(r"<(\w+)>")
_CLOCKS = (("<h> ?uhr(?: <m>)?", 0),)
_BARE_CLOCKS = (("<h> ?h ?(?:<m>)?", 0), ("(?=(?:0[0-9]|1[0-8]|2[1-3])[0-9]{2}(?![0-9]))<h><m>", 0))
"""Times of all languages: 9 Uhr; behind an "at", 9h30 and 0930, but no year."""
_NO_HOURS = frozenset({"a", "ein", "eine", "un"})
_ISO = r"(?P<y>\d{4})-(?P<mn>\d{2})-(?P<d>\d{2})"
_DOTTED = r"(?P<d>\d{1,2})\.\s?(?P<mn>\d{1,2})(?:\.(?:\s?(?P<y>\d{4}))?)?"
_SLASHED = r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<y>\d{4}))?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """Patterns to be matched at the beginning of a word of a folded text."""

    words: Words
    whens: tuple[tuple[re.Pattern[str], Strength], ...]
    loose_days: tuple[re.Pattern[str], ...]
    """Days without the words that make them recur: in the answer to "on which day?"."""
    times: re.Pattern[str]
    loose_times: re.Pattern[str]
    """The same where a bare number is a time: in the answer to "at what time?"."""
    clocks: tuple[tuple[re.Pattern[str], int], ...]
    """One time each, and minutes to add to what it says."""
    until: re.Pattern[str]
    starting: re.Pattern[str]
    lasting: re.Pattern[str]
    dates: tuple[re.Pattern[str], ...]
    unread: tuple[tuple[re.Pattern[str], Literal["day", "time"]], ...]
    last_part: re.Pattern[str]
    """Behind the last day: until Friday evening."""
    zone: re.Pattern[str]
    zone_in: re.Pattern[str]
    """What stands between a time and a city."""


@cache
def grammar(language: Language) -> Grammar:
    """The patterns of a language, compiled once."""
    words = WORDS[language]
    raw = _raw(words)
    templates = _templates(words)
    return Grammar(
        words=words,
        whens=tuple((_compile(text, raw), strength) for text, strength in templates),
        loose_days=tuple(_compile(text, raw) for text in _loose_days(words)),
        times=re.compile(_times(words, raw, loose=False)),
        loose_times=re.compile(_times(words, raw, loose=True)),
        clocks=_clocks(words, raw),
        until=_compile(words.until, raw, behind=r"\s+"),
        starting=_compile(words.starting, raw, behind=r"\s+"),
        lasting=_compile(words.lasting, raw),
        dates=tuple(_compile(text, raw) for text in words.dates),
        unread=tuple((_compile(text, raw), asks) for text, asks in words.unread),
        last_part=re.compile(rf"{_BLANK}(?P<part>{one_of(_end_parts(words))}){_BEHIND}"),
        zone=re.compile(_zone(words)),
        zone_in=re.compile(rf"{_BEFORE}[(]?(?:{_blanks(words.zone_in)}){_BLANK}(?:the\s)?"),
    )


def _end_parts(words: Words) -> Iterable[str]:
    """Noon is a time of its own."""
    return (name for name, part in words.parts.items() if part != "noon")


def _templates(words: Words) -> Iterable[tuple[str, Strength]]:
    yield "<fixed>", "recurs"
    yield "<adverb>", "adverb"
    yield "<month_ends>", "recurs"
    for text in words.recurring:
        for each in _with_dates(text, words):
            yield each, "recurs"
    for text in words.detail:
        for each in _with_dates(text, words):
            yield each, "detail"


def _loose_days(words: Words) -> Iterable[str]:
    """A bare number is a day of the month only where the language marks it as one: 15th, 15."""
    marked = () if words.mday.endswith("?") else ("<mdays>",)
    return ("<ords> <nth_days>", "<days>", *marked)


def _with_dates(template: str, words: Words) -> Iterable[str]:
    """A template once for each way to write a day and a month; years do not recur."""
    if "<date>" not in template:
        return (template,)
    forms = (text.replace("(?:,? <y>)?", "").replace("(?: <y>)?", "") for text in words.dates)
    return (
        template.replace("<date>", form) for form in forms if "<month>" in form and "<d>" in form
    )


def _compile(template: str, raw: Mapping[str, str], behind: str = _BEHIND) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}(?:{_expand(template, raw, named=True)}){behind}")


def _expand(template: str, raw: Mapping[str, str], *, named: bool) -> str:
    def expanded(found: re.Match[str]) -> str:
        name = found[1]
        if "(?P<" in raw[name]:
            return raw[name]
        return f"(?P<{name}>{raw[name]})" if named else f"(?:{raw[name]})"

    return _PLACEHOLDER.sub(expanded, fold(template)).replace(" ?", r"\s?").replace(" ", _BLANK)


def _raw(words: Words) -> dict[str, str]:
    joiner = _blanks(words.joiner)
    names = {day for day, codes in words.days.items() if len(codes) == 2}
    hours = one_of(set(words.numbers) - _NO_HOURS)
    day = one_of(words.days)
    raw = {
        "n": rf"\d{{1,3}}|{one_of(words.numbers)}",
        "ord": one_of(words.ordinals),
        "ords": _listed(one_of(words.ordinals), joiner),
        "other": fold(words.other),
        "unit": one_of(words.units),
        "adverb": one_of(words.adverbs),
        "fixed": one_of(words.fixed),
        "days": _listed(day, joiner),
        "several": _listed(day, joiner, least=1),
        "plurals": _listed(one_of(words.plural_days), joiner, f"{one_of(words.plural_days)}|{day}"),
        "nth_days": _listed(one_of([*words.nth_days, *words.days]), joiner),
        "day": one_of(names),
        "day2": one_of(names),
        "wd": one_of(names),
        "part": one_of(words.parts),
        "count": one_of(words.counts),
        "mdays": _listed(_month_day(words), joiner),
        "month_ends": "|".join(map(_blanks, words.month_ends)),
        "h": rf"\d{{1,2}}|{hours}",
        "m": r"\d{2}",
        "half": one_of(words.halves),
        "d": r"\d{1,2}",
        "month": one_of(words.months),
        "y": r"\d{4}",
        "relative": one_of(words.relative_days),
        "iso": _ISO,
        "dotted": _DOTTED,
        "slashed": _SLASHED,
    }
    return raw | {"month_end": f"(?P<month_end>{_expand(words.month_end, raw, named=True)})"}


def _listed(first: str, joiner: str, further: str = "", *, least: int = 0) -> str:
    return f"(?:{first})(?:{joiner}(?:{further or first})){{{least},6}}"


def _month_day(words: Words) -> str:
    return f"{_blanks(words.mday.replace('<d>', '[0-9]{1,2}'))}|{one_of(words.ordinals)}"


def _blanks(template: str) -> str:
    return fold(template).replace(" ?", r"\s?").replace(" ", _BLANK)


def _times(words: Words, raw: Mapping[str, str], *, loose: bool) -> str:
    strong = "|".join(_expand(text, raw, named=False) for text, _ in (*words.clocks, *_CLOCKS))
    strong = f"{strong}|{one_of(words.fixed_clocks)}"
    bare = "|".join(
        _expand(text, raw, named=False) for text, _ in (*words.bare_clocks, *_BARE_CLOCKS)
    )
    at = f"(?:{_blanks(words.at)}){_BLANK}"
    further = f"(?:{_blanks(words.joiner)}(?:{at})?(?:{strong}|{bare}){_TIME_BEHIND}){{0,5}}"
    first = f"(?:{at})?(?:{strong}|{bare})" if loose else f"(?:{at})?(?:{strong})|{at}(?:{bare})"
    return f"{_BEFORE}(?:{first}){_TIME_BEHIND}{further}"


def _clocks(words: Words, raw: Mapping[str, str]) -> tuple[tuple[re.Pattern[str], int], ...]:
    fixed = tuple((re.escape(word), minute) for word, minute in words.fixed_clocks.items())
    both = (*words.clocks, *_CLOCKS, *words.bare_clocks, *_BARE_CLOCKS)
    return tuple(
        (re.compile(f"{_BEFORE}(?:{_expand(text, raw, named=True)}){_TIME_BEHIND}"), add)
        for text, add in both
    ) + tuple((re.compile(f"{_BEFORE}{fold(text)}{_BEHIND}"), minute) for text, minute in fixed)


def _zone(words: Words) -> str:
    name = r"[^\W\d_]+(?:[-\s/_][^\W\d_]+){0,2}?"
    behind = rf"(?P<city>{name})\s{fold(words.zone_after)}" if words.zone_after else "(?!)"
    before = (
        rf"(?:{_blanks(words.zone_before)})\s?(?P<place>{name})" if words.zone_before else "(?!)"
    )
    own = f"(?P<own>{_blanks(words.own_zone)})"
    iana = r"(?P<iana>[a-z]+/[a-z0-9_+-]+(?:/[a-z_-]+)?)"
    plain = r"(?P<code>[a-z]{2,4})"
    lead = r"[(]?(?:in\s)?(?:the\s)?"
    return rf"{_BEFORE}{lead}(?:{own}|{iana}|{behind}|{before}|{plain}){_BEHIND}[)]?"
