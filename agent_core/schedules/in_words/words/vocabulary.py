"""What a language offers to the grammar of recurrences, and the folding that reading shares."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from agent_core.prompts.language import Language

_Value = TypeVar("_Value")
Unit = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]
Part = Literal["morning", "noon", "afternoon", "evening", "night"]
"""A part of the day; `noon` changes no hour."""

WEEKDAYS = "MO,TU,WE,TH,FR"
WEEKEND = "SA,SU"
ANY_DAY = "DAY"
"""In `nth_days`: the first, second or last day of a month, whatever its name."""
DAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

_ALIKE = {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{EN DASH}": "-", "\N{EM DASH}": "-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The tables hold words as they are written; templates are regular expressions.

    In a template a blank stands for white space and `<name>` for one of the words or lists that
    the grammar knows by that name, such as `<days>`.
    """

    language: Language
    days: Mapping[str, str]
    plural_days: Mapping[str, str]
    """Days that recur by being named: Mondays, montags, les lundis."""
    nth_days: Mapping[str, str]
    months: Mapping[str, int]
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    other: str
    """`every <other> Friday` is every second one."""
    units: Mapping[str, Unit]
    adverbs: Mapping[str, tuple[Unit, int]]
    """They recur, and are adjectives of ordinary texts as well: daily, weekly."""
    fixed: Mapping[str, tuple[Unit, int]]
    """Whole phrases: every half hour."""
    parts: Mapping[str, Part]
    counts: Mapping[str, int]
    """Twice, three times."""
    recurring: tuple[str, ...]
    """Templates of phrases that recur by themselves."""
    detail: tuple[str, ...]
    """Templates that only add to one that recurs: on Monday, on the 15th."""
    joiner: str
    """Template of what stands between the members of a list."""
    mday: str
    """Template of one day of the month, with the number alone in `<d>`."""
    at: str
    clocks: tuple[tuple[str, int], ...]
    """Templates of times that need no "at", and minutes to add to what they say."""
    bare_clocks: tuple[tuple[str, int], ...]
    """The same for times that do need one."""
    fixed_clocks: Mapping[str, int]
    """Noon, midnight: the minute of the day."""
    halves: Mapping[str, Part]
    """Behind a time: am, in the evening."""
    until: str
    starting: str
    dates: tuple[str, ...]
    relative_days: Mapping[str, int]
    """Today, tomorrow: days from now."""
    month_end: str
    lasting: str
    """Template of how long it goes on: for three weeks."""
    unread: tuple[tuple[str, Literal["day", "time"]], ...]
    """Templates of what we cannot hold to, and what has to be asked then."""
    zone_after: str = ""
    """`Berlin <zone_after>`."""
    zone_before: str = ""
    """`<zone_before> Paris`."""
    zone_in: str = ""
    """`9:00 <zone_in> Paris`."""
    month_ends: tuple[str, ...] = ()
    """Templates of the last day of each month: at the end of every month."""
    own_zone: str = ""
    """Words for the asker's own zone: local time."""
    day_before_month: bool = field(default=True)
    """Whether 3/4 is the third of April."""


def fold(text: str) -> str:
    """A text without capitals and accents, letter for letter: offsets stay what they were."""
    return "".join(map(_folded_letter, text))


def _folded_letter(letter: str) -> str:
    if letter.isascii():
        return letter.lower()
    if letter.isspace():
        return " "
    return _ALIKE.get(letter) or unicodedata.normalize("NFKD", letter.casefold())[0]


def normalise(text: str) -> str:
    """A text with each accented letter as one, so that folding it keeps its offsets."""
    return unicodedata.normalize("NFC", text)


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, the longest first."""
    longest_first = sorted({fold(word) for word in words}, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in longest_first)


def folded_keys(table: Mapping[str, _Value]) -> dict[str, _Value]:
    """A table that is looked up with folded words."""
    return {fold(word): value for word, value in table.items()}
