"""Finds the pieces of a recurrence in a text, and the runs of pieces that stand together."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.calendar_days import day_of, span_of
from agent_core.schedules.in_words.clocks import read_times
from agent_core.schedules.in_words.days_said import read_cadence
from agent_core.schedules.in_words.grammar import Grammar, grammar
from agent_core.schedules.in_words.pieces import Bound, Channel, Piece, Times, Unread, When, Zone
from agent_core.schedules.in_words.words.asking import KEPT, POSTING, WORKING
from agent_core.schedules.in_words.words.vocabulary import fold, folded_keys
from agent_core.schedules.in_words.zone_names import zone_of_place
from agent_core.schedules.in_words.zones_said import zone_at

_WORD_START = re.compile(r"(?<![\w#@])[\w#<(@]")
_CHANNEL = re.compile(
    r"""(?:(?:in|into|to|on|im|nach|auf|an|dans|sur|en|a|au|al)\s+)?
        (?:(?:the|den|der|dem|le|el)\s+)?(?:(?:channel|kanal|canal|salon)\s+)?
        (?:\#(?P<name>[\w-]{1,80})|<\#(?P<id>c[a-z0-9]{4,20})(?:\|[^<>|]{0,80})?>)
        (?:[ -](?:channel|kanal))?(?!\w)""",
    re.VERBOSE,
)
_NAMED_CHANNEL = re.compile(
    r"""(?:in|into|to|im|in\s+den|dans|en)\s+(?:(?:the|den|dem|der|le|el|notre|our)\s+)?(?:
      (?!(?:this|that|the|a|an|our|my|your|right|same|any|every|each|which|diesem?n?|den|dem)(?!\w))
      (?P<before>[^\W\d_][\w-]{1,79}?)[ -](?:channel|kanal)
    | (?:channel|kanal|canal|salon)\s+(?P<behind>[^\W\d_][\w-]{1,79}))(?!\w)""",
    re.VERBOSE,
)
"""A channel without its sign: in the energy channel, im Kanal energie."""
_HERE = re.compile(
    r"""(?:(?:right\s+)?here|in\s+here|(?:in|into|to)\s+this\s+(?:channel|thread)
      | hier(?:her)?|in\s+diese[mn]\s+(?:kanal|channel)
      | ici|dans\s+ce\s+(?:canal|salon)|aqui|en\s+este\s+canal)(?!\w)""",
    re.VERBOSE,
)
_GAP = re.compile(r"[\s,;]{0,4}(?:(?:and|und|et|y)\s{1,3})?")
_CLOSE_GAP = re.compile(r"\s?,?\s?")
_LATE = frozenset({"evening", "night"})
"""Parts of the last day that end with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text to read, with what reading depends on."""

    text: str
    folded: str
    language: Language
    today: date

    @property
    def grammar(self) -> Grammar:
        """The patterns of the language that it is read in."""
        return grammar(self.language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Pieces with nothing between them but blanks, commas and "and"."""

    pieces: tuple[Piece, ...]

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def recurs(self) -> bool:
        """Whether it names a recurrence, be it by an adverb alone."""
        return any(isinstance(each, When) and each.strength != "detail" for each in self.pieces)

    @property
    def is_adverb(self) -> bool:
        """Whether the recurrence is a word that is an adjective in ordinary texts."""
        return not any(isinstance(each, When) and each.strength == "recurs" for each in self.pieces)

    @property
    def has_times(self) -> bool:
        return any(isinstance(each, Times) for each in self.pieces)


def source(text: str, language: Language, today: date) -> Source:
    """A normalised text, made ready for reading in a language."""
    return Source(text=text, folded=fold(text), language=language, today=today)


def runs_in(said: Source, *, loose: bool = False) -> list[Run]:
    """The runs of a text in order. Loosely, a bare number is a time and a bare day a day."""
    runs: list[list[Piece]] = []
    for piece in _pieces(said, loose=loose):
        if runs and _stand_together(said, runs[-1][-1], piece):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return [Run(pieces=tuple(run)) for run in runs]


def _stand_together(said: Source, left: Piece, right: Piece) -> bool:
    return _GAP.fullmatch(said.folded, left.end, right.start) is not None


def _pieces(said: Source, *, loose: bool) -> Iterator[Piece]:
    place = 0
    before: Piece | None = None
    while match := _WORD_START.search(said.folded, place):
        piece = _piece_at(said, match.start(), before, loose=loose)
        if piece is not None:
            yield piece
            before = piece
        place = piece.end if piece else match.end()


def _piece_at(said: Source, start: int, before: Piece | None, *, loose: bool) -> Piece | None:
    readers: Sequence[Callable[[Source, int], Piece | None]] = (
        _bound_at, _when_at, _times_at, _channel_at
    )  # fmt: skip
    found: list[Piece] = [piece for reader in readers if (piece := reader(said, start))]
    if isinstance(before, Bound) and before.side == "until" and not before.lasts:
        found = [_at_the_end(said, before, piece) for piece in found]
    if loose and not found:
        found = [
            piece for reader in (_loose_day_at, _loose_times_at) if (piece := reader(said, start))
        ]
    beside = before and _GAP.fullmatch(said.folded, before.end, start)
    if isinstance(before, Times) and beside and (zone := _zone_at(said, start)):
        found.append(zone)
    if not found and (beside or not said.folded[:start].strip()):
        return _lasting_at(said, start) or (_unread_at(said, start) if beside else None)
    return max(found, key=lambda piece: piece.end, default=None)


def _at_the_end(said: Source, until: Bound, piece: Piece) -> Piece:
    is_close = _CLOSE_GAP.fullmatch(said.folded, until.end, piece.start)
    if is_close and isinstance(piece, Times):
        return replace(piece, may_end=True)
    return piece


def _when_at(said: Source, start: int) -> When | None:
    found: list[When] = []
    for pattern, strength in said.grammar.whens:
        match = pattern.match(said.folded, start)
        cadence = read_cadence(match, said.grammar.words) if match else None
        if match and cadence:
            found.append(When(start=start, end=match.end(), cadence=cadence, strength=strength))
    return max(found, key=lambda when: when.end, default=None)


def _times_at(said: Source, start: int) -> Times | None:
    return read_times(said.folded, start, said.grammar)


def _loose_times_at(said: Source, start: int) -> Times | None:
    return read_times(said.folded, start, said.grammar, loose=True)


def _loose_day_at(said: Source, start: int) -> When | None:
    for pattern in said.grammar.loose_days:
        match = pattern.match(said.folded, start)
        cadence = read_cadence(match, said.grammar.words) if match else None
        if match and cadence:
            return When(start=start, end=match.end(), cadence=cadence, strength="detail")
    return None


def _bound_at(said: Source, start: int) -> Bound | None:
    if lead := said.grammar.until.match(said.folded, start):
        return _bound_behind(said, lead, "until")
    if lead := said.grammar.starting.match(said.folded, start):
        return _bound_behind(said, lead, "from")
    return None


def _bound_behind(said: Source, lead: re.Match[str], side: str) -> Bound | None:
    matches = (date_.match(said.folded, lead.end()) for date_ in said.grammar.dates)
    match = max(filter(None, matches), key=lambda each: each.end(), default=None)
    if match is None:
        return None
    day = day_of(match, said.grammar.words, said.today)
    if side == "from":
        return Bound(start=lead.start(), end=match.end(), side="from", day=day)
    part = said.grammar.last_part.match(said.folded, match.end())
    if part is None:
        return Bound(start=lead.start(), end=match.end(), side="until", day=day)
    is_late = folded_keys(said.grammar.words.parts)[" ".join(part["part"].split())] in _LATE
    return Bound(start=lead.start(), end=part.end(), side="until", day=day if is_late else None)


def _lasting_at(said: Source, start: int) -> Bound | None:
    match = said.grammar.lasting.match(said.folded, start)
    if match is None:
        return None
    lasts = span_of(match, said.grammar.words)
    day = said.today + lasts if lasts else None
    return Bound(start=start, end=match.end(), side="until", day=day, lasts=lasts)


def _channel_at(said: Source, start: int) -> Channel | None:
    if match := _CHANNEL.match(said.folded, start):
        group = "name" if match["name"] else "id"
        name = said.text[match.start(group) : match.end(group)]
        return Channel(start=start, end=match.end(), name=name)
    if match := _NAMED_CHANNEL.match(said.folded, start):
        group = "before" if match["before"] else "behind"
        name = said.text[match.start(group) : match.end(group)]
        return Channel(start=start, end=match.end(), name=name)
    if match := _HERE.match(said.folded, start):
        return Channel(start=start, end=match.end(), name="")
    return None


def _unread_at(said: Source, start: int) -> Unread | None:
    for pattern, asks in said.grammar.unread:
        if match := pattern.match(said.folded, start):
            return Unread(start=start, end=_before_verb(said, match), asks=asks)
    return None


def _before_verb(said: Source, match: re.Match[str]) -> int:
    """A condition ends where the request goes on: until the conference | post a digest."""
    verbs = (
        place.start()
        for place in _WORD_START.finditer(said.folded, match.start() + 1, match.end())
        if any(verb.match(said.folded, place.start()) for verb in (POSTING, WORKING, KEPT))
    )
    return len(said.folded[: next(verbs, match.end())].rstrip())


def zone_in(said: Source) -> Zone | None:
    """The first zone that a text names anywhere: CET, Berlin time, Europe/Paris, or a city."""
    starts = (match.start() for match in _WORD_START.finditer(said.folded))
    zones = (zone for start in starts if (zone := _zone_at(said, start)) and zone.name)
    found = next(zones, None)
    if found is None and (name := zone_of_place(said.folded.strip(" .!?"))):
        return Zone(start=0, end=len(said.text), name=name)
    return found


def _zone_at(said: Source, start: int) -> Zone | None:
    return zone_at(said.text, said.folded, start, said.grammar)
