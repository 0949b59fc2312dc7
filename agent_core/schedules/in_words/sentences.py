"""The sentences of a text, each in its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_core.schedules.in_words.scanning import Run, Source

_STOP = re.compile(r"[.!?…]+(?=\s|$)|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence in its place, its closing mark included."""

    start: int
    end: int


def sentences_of(said: Source, runs: Sequence[Run]) -> list[Sentence]:
    """The sentences of a text; a mark inside a piece, as in `24.12. at 9`, ends none."""
    inside = [(piece.start, piece.end) for run in runs for piece in run.pieces]
    stops = [
        match.end()
        for match in _STOP.finditer(said.folded)
        if not any(start <= match.start() < end for start, end in inside)
    ]
    ends = [*stops, len(said.folded)]
    starts = [0, *ends]
    pairs = zip(starts, ends, strict=False)
    return [Sentence(start=start, end=end) for start, end in pairs if start < end]


def sentence_at(sentences: Sequence[Sentence], place: int) -> Sentence:
    """The sentence that a place of the text belongs to."""
    return next(each for each in sentences if place < each.end)
