"""What a text says in one language about recurring work, before it is put together."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.pieces import Bound, Channel, Piece, Times, Unread, When, Zone
from agent_core.schedules.in_words.placement import (
    asks_for_another,
    asks_for_posts,
    is_question,
    is_within,
    stands_at_edge,
)
from agent_core.schedules.in_words.scanning import Run, Source, runs_in, source
from agent_core.schedules.in_words.sentences import Sentence, sentence_at, sentences_of
from agent_core.schedules.in_words.tasks import Span, task_of
from agent_core.schedules.in_words.words.asking import (
    ONLY_NEW,
    SETTING_UP,
    SUBJECT,
    UNREAD_WHEN,
)
from agent_core.schedules.in_words.words.set_apart import NO_DIGEST

_A = re.compile(r"(?<!\w)a(?!\w)")
"""An article, and at what time: chaque jour férié à 9h."""
_OF = re.compile(r"(?<!\w)(?:of|from|about|von|aus|uber|de|sobre)\s{1,3}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The pieces of a request in their order, and what is left without them."""

    pieces: tuple[Piece, ...]
    task: str
    only_when_new: bool
    language: Language

    @property
    def channel(self) -> str:
        """The channel that was named last; empty for here."""
        return self.channels[-1] if self.channels else ""

    @property
    def channels(self) -> tuple[str, ...]:
        """All that were named, each once; one has to be chosen where there are more."""
        names = [piece.name for piece in self.pieces if isinstance(piece, Channel) and piece.name]
        return tuple(dict.fromkeys(names))

    @property
    def reach(self) -> int:
        """How much of the text was understood as saying when."""
        return sum(piece.end - piece.start for piece in self.pieces)


def draft_of(text: str, language: Language, today: date) -> Draft | None:
    """The request for recurring work in a text; None where it is none in this language."""
    whole = source(text, language, today)
    new = ONLY_NEW.search(whole.folded)
    said = source(_without(text, new), language, today) if new else whole
    runs = runs_in(said)
    sentences = sentences_of(said, runs)
    if NO_DIGEST.search(said.folded):
        return None
    if not any(run.recurs for run in runs):
        return _appointed(said, runs, sentences, only_when_new=new is not None)
    asking = [
        run
        for run in runs
        if run.recurs and asks_for_posts(said, run, runs, sentence_at(sentences, run.start))
    ]
    if not asking:
        return None
    asking += [
        run
        for run in runs
        if run not in asking
        and run.recurs
        and asks_for_another(said, run, sentence_at(sentences, run.start))
    ]
    pieces = _pieces(said, runs, asking, sentences)
    return _draft(said, pieces, sentences, asking[0].start, only_when_new=new is not None)


def unread_draft_of(text: str, language: Language, today: date) -> Draft | None:
    """The request of who says "every full moon post a digest": a digest at times we cannot read."""
    said = source(text, language, today)
    runs = runs_in(said)
    sentences = sentences_of(said, runs)
    if NO_DIGEST.search(said.folded):
        return None
    for sentence in sentences:
        match = UNREAD_WHEN.match(said.folded, sentence.start, sentence.end)
        if match and _asks(said, sentence, match["when"]):
            pieces = _around_unread(runs, sentence, *match.span("when"))
            return _draft(said, pieces, sentences, sentence.start, only_when_new=False)
    return None


def _asks(said: Source, sentence: Sentence, when: str) -> bool:
    return not is_question(said, sentence) and not SUBJECT.search(_A.sub(" ", when))


def _around_unread(
    runs: Sequence[Run], sentence: Sentence, start: int, end: int
) -> tuple[Piece, ...]:
    """The pieces of a sentence with what was read of its "when", and what has to be asked."""
    pieces = [each for run in runs for each in run.pieces if is_within(each, sentence)]
    days = [each for each in pieces if isinstance(each, When) and each.start < end]
    is_timed = any(isinstance(each, Times) for each in pieces)
    asks: Literal["day", "time"] = "time" if days and not is_timed else "day"
    kept = [each for each in pieces if not isinstance(each, When) or each in days]
    return (Unread(start=start, end=end, asks=asks), *kept)


def _without(text: str, words: re.Match[str]) -> str:
    """The text with blanks in the place of some words."""
    return f"{text[: words.start()]}{' ' * len(words[0])}{text[words.end() :]}".rstrip()


def _appointed(
    said: Source, runs: Sequence[Run], sentences: Sequence[Sentence], *, only_when_new: bool
) -> Draft | None:
    """The request of who wants a digest set up and does not say on which days."""
    found = (SETTING_UP.match(said.folded, each.start, each.end) for each in sentences)
    match = next(filter(None, found), None)
    if match is None:
        return None
    sentence = sentence_at(sentences, match.start())
    pieces = [piece for run in runs for piece in run.pieces if is_within(piece, sentence)]
    day = Unread(start=match.start(), end=match.start(), asks="day")
    return _draft(said, (day, *pieces), sentences, match.start(), only_when_new=only_when_new)


def _draft(
    said: Source,
    pieces: Sequence[Piece],
    sentences: Sequence[Sentence],
    place: int,
    *,
    only_when_new: bool,
) -> Draft:
    used: list[Span] = [(piece.start, piece.end) for piece in pieces]
    return Draft(
        pieces=tuple(pieces),
        task=task_of(said.text, sentences, used, place),
        only_when_new=only_when_new,
        language=said.language,
    )


def _pieces(
    said: Source, runs: Sequence[Run], asking: Sequence[Run], sentences: Sequence[Sentence]
) -> tuple[Piece, ...]:
    """The pieces of the runs that ask, and those elsewhere that complete them."""
    taken = [piece for run in asking for piece in run.pieces]
    home = {sentence_at(sentences, run.start) for run in asking}
    for run in runs:
        sentence = sentence_at(sentences, run.start)
        if run in asking or run.recurs or sentence not in home:
            continue
        whole = stands_at_edge(said, run, runs, sentence)
        taken += [piece for piece in run.pieces if _is_lacking(piece, taken, whole=whole)]
    taken += _lone_channels(said, runs, taken)
    return tuple(sorted(taken, key=lambda piece: piece.start))


def _is_lacking(piece: Piece, taken: Sequence[Piece], *, whole: bool) -> bool:
    match piece:
        case Channel(name=""):
            return whole
        case Channel():
            return False
        case When():
            return whole and not any(_says_days(each) for each in taken)
        case Bound(side=side):
            sides = {each.side for each in taken if isinstance(each, Bound)}
            return whole and side not in sides
        case Times() | Zone() | Unread():
            return whole and not any(isinstance(each, type(piece)) for each in taken)


def _says_days(piece: Piece) -> bool:
    return isinstance(piece, When) and (piece.cadence.names_days or piece.cadence.unit == "day")


def _lone_channels(said: Source, runs: Sequence[Run], taken: Collection[Piece]) -> list[Channel]:
    """The channels of the text that do not stand beside the recurrence.

    "A summary of #support in #leads" is for one of them.
    """
    everywhere = [piece for run in runs for piece in run.pieces]
    named = [piece for piece in everywhere if isinstance(piece, Channel) and piece.name]
    places = [each for each in named if not _OF.search(said.folded, 0, each.start)] or named
    return [each for each in places if each not in taken]
