"""Choice among several readings of one page: which of them is most likely its main text.

Each reader of main text fails on other kinds of pages: trafilatura on forums and lists, resiliparse
on pages full of offers. The more of its words a reading shares with the others, the more likely it
is right; readings.toml has the learnt weights.
"""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Readings = Mapping[str, str]
"""Texts by the name of their reading. plain: trafilatura's; joined: its reading of all pieces of an
article as one; resiliparse: that library's main text; whole: all text of the page, which is right
where the page is one list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a page's elements say of its text; all of it as phrases."""

    boilerplate: str
    """All that is read in elements that are no part of a main text."""
    rest: str


_FILE = Path(__file__).with_suffix(".toml")
LEARNT: Mapping[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
WEIGHTS: Mapping[str, float] = LEARNT["weights"]
_HANDICAPS: Mapping[str, float] = LEARNT["handicaps"]
_MAX_LONE_WORDS = 8
_MAX_BOILERPLATE = 0.34
"""A reading of which more would be left out is kept as it is: its page is made of such elements."""
_MAX_LABELS = 0.1
"""A text of which more is labels at its beginning or its end is made of them: an index, a poem."""
_NO_LABEL = re.compile(r"^[#|>`*-]|[0-9]|[^\w\s]$")
_WORD = re.compile(r"\w+")


def choose(
    readings: Readings,
    *,
    is_article: bool = False,
    weights: Mapping[str, float] = WEIGHTS,
) -> str:
    """The name of the reading that is expected to be nearest to the page's main text."""
    signs = signs_of(readings)
    of_articles = _HANDICAPS["article"] if is_article else 0.0

    def expected_f1(name: str) -> float:
        f1 = sum(weights[sign] * value for sign, value in signs[name].items())
        if name not in _HANDICAPS:
            return f1
        return f1 - _HANDICAPS[name] - of_articles

    return max(readings, key=expected_f1)


def signs_of(readings: Readings) -> Mapping[str, Mapping[str, float]]:
    """What each reading is judged by: its words, and the share that it has in common with each."""
    words = {name: Counter(words_of(text)) for name, text in readings.items()}
    signs: dict[str, dict[str, float]] = {}
    for name, own in words.items():
        of_reading = {"words": math.log1p(own.total())}
        for other_name, other in words.items():
            shared = (own & other).total()
            total = own.total() + other.total()
            of_reading[other_name] = 2 * shared / max(1, total)
        signs[name] = of_reading
    return signs


def drop_boilerplate(text: str, outline: Outline, most: float = _MAX_BOILERPLATE) -> str:
    """The text without lines that stand in boilerplate alone, or all of it if they are the most."""
    dropped = 0
    total = 0
    kept: list[str] = []
    for line in text.split("\n"):
        phrase = phrase_of(line)
        whole_words = f" {phrase} "
        total += len(phrase)
        is_in_boilerplate = whole_words in outline.boilerplate
        if phrase and is_in_boilerplate and whole_words not in outline.rest:
            dropped += len(phrase)
            continue
        kept.append(line)
    if dropped > most * total:
        return text
    return "\n".join(kept)


def drop_lone_lines(text: str, others: Sequence[str]) -> str:
    """The text without short lines that no other reading has: buttons, labels, notices."""
    known = [phrase_of(other) for other in others]
    kept: list[str] = []
    for line in text.split("\n"):
        phrase = phrase_of(line)
        is_short = phrase.count(" ") < _MAX_LONE_WORDS
        if is_short and not any(phrase in other for other in known):
            continue
        kept.append(line)
    return "\n".join(kept)


def trim_menus(text: str) -> str:
    """The text without the labels of menus that a reading took along at its ends.

    A label is a short line that ends in a word: no sentence, no figure, no part of a list or table.
    """
    lines = text.split("\n")
    top = _labels_before_text(lines)
    bottom = _labels_before_text(lines[top:][::-1])
    return "\n".join(lines[top : len(lines) - bottom])


def _labels_before_text(lines: Sequence[str]) -> int:
    """How many lines come before the first that is no label; 0 if they are much of the text."""
    letters = 0
    for number, line in enumerate(lines):
        phrase = phrase_of(line)
        is_label = phrase.count(" ") < _MAX_LONE_WORDS and not _NO_LABEL.search(line)
        if not is_label:
            is_little = letters <= _MAX_LABELS * sum(map(len, lines))
            return number if is_little else 0
        letters += len(phrase)
    return 0


def phrase_of(text: str) -> str:
    """The words alone, in lower case, with single blanks."""
    return " ".join(words_of(text))


def words_of(text: str) -> Sequence[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())
