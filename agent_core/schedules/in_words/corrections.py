"""Corrections of a request: "no, at 10", "only on Mondays please", "actually about grapes"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from agent_core.prompts.language import Language
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
from agent_core.schedules.in_words.words.asking import ONLY_NEW
from agent_core.schedules.in_words.words.correcting import ABOUT_WHAT, BESIDE

_WORD = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Correction:
    pieces: tuple[Piece, ...]
    task: str
    only_when_new: bool


def corrected(
    draft: Draft, text: str, language: Language, today: date
) -> Iterator[tuple[int, Draft]]:
    """The draft with the parts that a text names in the place of its own, and how much it read.

    Nothing for a text that says anything else beside. "On Tuesday" keeps "every two weeks" where
    that goes together, and else takes its place.
    """
    said = source(text.strip(), language, today)
    correction = _read(said)
    if correction is None:
        return
    reach = sum(piece.end - piece.start for piece in correction.pieces)
    for keeps_unit in (True, False):
        kept = [
            each
            for piece in draft.pieces
            if (each := _kept(piece, correction.pieces, keeps_unit)) is not None
        ]
        yield (
            reach,
            replace(
                draft,
                pieces=(*kept, *correction.pieces),
                task=correction.task or draft.task,
                only_when_new=draft.only_when_new or correction.only_when_new,
            ),
        )


def _read(said: Source) -> _Correction | None:
    loose = [piece for run in runs_in(said, loose=True) for piece in run.pieces]
    starts = [match for match in ABOUT_WHAT.finditer(said.folded) if _is_free(match, loose)]
    begin, behind = starts[0].span() if starts else (len(said.text), len(said.text))
    strict = [piece for run in runs_in(said) for piece in run.pieces]
    pieces = [piece for piece in loose if piece.end <= begin]
    pieces += [piece for piece in strict if piece.start >= behind]
    new = ONLY_NEW.search(said.folded)
    used = [(piece.start, piece.end) for piece in pieces] + ([new.span()] if new else [])
    rest = _blanked(said.folded[:begin], used)
    if any(word not in BESIDE for word in _WORD.findall(rest)):
        return None
    task = _task(said, behind, used) if starts else ""
    if not pieces and not rest.strip() and not task and (zone := zone_in(said)):
        pieces.append(zone)
    if not (pieces or task or new):
        return None
    literal = tuple(map(as_said, pieces))
    return _Correction(pieces=literal, task=task, only_when_new=new is not None)


def _is_free(match: re.Match[str], pieces: Sequence[Piece]) -> bool:
    """Whether it is no "about" of a time: about 9."""
    return not any(piece.start <= match.start() < piece.end for piece in pieces)


def _task(said: Source, start: int, used: Sequence[tuple[int, int]]) -> str:
    whole = Sentence(start=start, end=len(said.text))
    return task_of(said.text, [whole], used, len(said.text))


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _kept(piece: Piece, said: Sequence[Piece], keeps_unit: bool) -> Piece | None:
    """What is left of a piece beside those that correct it."""
    match piece:
        case Times() | Channel() | Zone():
            return None if any(isinstance(each, type(piece)) for each in said) else piece
        case Unread():
            return None
        case Bound():
            sides = {each.side for each in said if isinstance(each, Bound)}
            return None if piece.side in sides else piece
        case When():
            return _kept_days(piece, [each for each in said if isinstance(each, When)], keeps_unit)


def _kept_days(piece: When, said: Sequence[When], keeps_unit: bool) -> When | None:
    if not said:
        return piece
    if all(each.cadence.part and not each.cadence.names_days for each in said):
        return replace(piece, cadence=replace(piece.cadence, part=None))
    is_detail = all(each.strength == "detail" for each in said)
    if not keeps_unit or not is_detail or piece.cadence.unit is None:
        return None
    nth = () if any(each.cadence.month_days for each in said) else piece.cadence.nth
    return replace(piece, cadence=replace(piece.cadence, days=(), month_days=(), nth=nth))
