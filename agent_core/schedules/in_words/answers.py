"""Answers to what a request left open: which of its pieces stay, and which give way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from agent_core.prompts.language import Language
from agent_core.schedules.in_words.composing import Missing, alternatives, has_unclear_end
from agent_core.schedules.in_words.drafts import Draft
from agent_core.schedules.in_words.pieces import (
    Bound,
    Channel,
    Piece,
    Times,
    Unread,
    When,
    Zone,
    as_said,
)
from agent_core.schedules.in_words.scanning import Source, runs_in, source, zone_in
from agent_core.schedules.in_words.sentences import Sentence
from agent_core.schedules.in_words.tasks import task_of
from agent_core.schedules.in_words.words.correcting import CHOICES
from agent_core.schedules.in_words.words.vocabulary import fold


def answered(
    draft: Draft, text: str, language: Language, today: date, asked: frozenset[Missing]
) -> Iterator[tuple[int, Draft]]:
    """The draft as an answer in a language can complete it, each with how much of it was read.

    "Every quarter" goes on to count beside the day that is answered, or gives way to it.
    """
    answer = source(text.strip(), language, today)
    said = _pieces(answer, asked)
    if has_unclear_end(draft.pieces):
        said = [replace(each, may_end=True) if isinstance(each, Times) else each for each in said]
    reach = sum(piece.end - piece.start for piece in said)
    for keeps_unit in (True, False):
        kept = [each for each in draft.pieces if not _gives_way(each, asked, said, keeps_unit)]
        task = draft.task or _task(answer, said)
        yield reach, replace(draft, pieces=(*kept, *said), task=task)


def chosen(draft: Draft, text: str) -> Draft | None:
    """The draft with one of the rules that it names; None where a text names none by its place."""
    rules = alternatives(draft.pieces)
    folded = fold(text)
    named = [n for n, words in enumerate(CHOICES) if words.fullmatch(folded) and n < len(rules)]
    return replace(draft, pieces=rules[named[0]]) if len(named) == 1 else None


def _task(answer: Source, said: Sequence[Piece]) -> str:
    whole = Sentence(start=0, end=len(answer.text))
    return task_of(answer.text, [whole], [(piece.start, piece.end) for piece in said], 0)


def _pieces(answer: Source, asked: frozenset[Missing]) -> list[Piece]:
    if not asked - {"task"}:
        return []
    runs = runs_in(answer, loose=True)
    found = [piece for run in runs for piece in run.pieces]
    said = [as_said(each) for each in found if "channel" in asked or not isinstance(each, Channel)]
    zone = zone_in(answer) if "zone" in asked else None
    return [*said, zone] if zone else said


def _gives_way(
    piece: Piece, asked: frozenset[Missing], answer: Sequence[Piece], keeps_unit: bool
) -> bool:
    match piece:
        case Unread():
            return piece.asks in asked and bool(answer)
        case Times():
            said = [each for each in answer if isinstance(each, Times)]
            return bool(said) and (piece.may_end or not all(each.may_end for each in said))
        case Channel():
            return _has(answer, Channel)
        case Zone():
            return "zone" in asked and _has(answer, Zone)
        case Bound():
            return piece.day is None and _has(answer, Bound)
        case When():
            names_days = piece.cadence.names_days or not piece.cadence.interval
            gives = (names_days and _has(answer, When)) or (not keeps_unit and _recurs(answer))
            return "day" in asked and gives


def _recurs(pieces: Sequence[Piece]) -> bool:
    return any(isinstance(piece, When) and piece.strength != "detail" for piece in pieces)


def _has(pieces: Sequence[Piece], kind: type[Piece]) -> bool:
    return any(isinstance(piece, kind) for piece in pieces)
