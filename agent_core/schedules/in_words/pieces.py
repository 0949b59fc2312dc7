"""The pieces that a recurrence in words is made of, each with its place in the text."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from dateutil.relativedelta import relativedelta

from agent_core.schedules.in_words.words.vocabulary import Part, Unit

Strength = Literal["recurs", "adverb", "detail"]
"""Whether words recur by themselves, may be a mere adjective, or only add to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """What words say about the days; what they leave open is empty."""

    unit: Unit | None = None
    interval: int = 1
    """0 where the words can be read in two ways, or name none."""
    days: tuple[str, ...] = ()
    """Two-letter codes, or `DAY` for whichever day."""
    nth: tuple[int, ...] = ()
    """Which of those days in the month; -1 is the last."""
    month_days: tuple[int, ...] = ()
    month: int = 0
    part: Part | None = None
    times_a_day: int = 0
    """How many times have to be named; 0 where it is not said."""
    days_a_unit: int = 0

    @property
    def names_days(self) -> bool:
        """Whether it says on which days, not only how often."""
        return bool(self.days or self.month_days)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class When(_Piece):
    cadence: Cadence
    strength: Strength


@dataclass(frozen=True, slots=True, kw_only=True)
class Times(_Piece):
    """Times of day, as minutes since midnight."""

    minutes: tuple[int, ...]
    fixed: tuple[bool, ...]
    """Whether the words leave no choice between morning and evening."""
    bare: tuple[bool, ...]
    """Whether an hour is said as on a dial, such as 5 or half past five, and not as 5:00."""
    is_valid: bool = True
    may_end: bool = False
    """Whether they stand behind the last day and may be its: until Friday 17:00."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound(_Piece):
    side: Literal["from", "until"]
    day: date | None
    """None: the words name a day that does not exist, or that can be read in two ways."""
    lasts: relativedelta | None = None
    """Of an end that is counted from the first day: for three weeks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone(_Piece):
    name: str
    """An IANA name; empty where the words name a zone that we do not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel(_Piece):
    name: str
    """Empty for "here"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread(_Piece):
    """A condition that we cannot keep, such as "except on holidays"."""

    asks: Literal["day", "time"]


def as_said(piece: "Piece") -> "Piece":
    """The same with nothing to ask about: who is asked when, and says 5, means 5:00."""
    return replace(piece, bare=(False,) * len(piece.bare)) if isinstance(piece, Times) else piece


Piece = When | Times | Bound | Zone | Channel | Unread
