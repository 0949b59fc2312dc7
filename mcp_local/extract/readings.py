"""Choice among several readings of one page: which of them is most likely its main text.

Each reader of main text fails on other kinds of pages: trafilatura on forums and lists, resiliparse
on pages full of offers. The more of its words a reading shares with the others, the more likely it
is right; how much each sign counts was learnt on pages of seven kinds by
`python -m tests.bench.extraction --learn`.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

Readings = Mapping[str, str]
"""Texts by the name of their reading. plain: trafilatura's; joined: its reading of all pieces of an
article as one; resiliparse: that library's main text; whole: all text of the page, which is right
where the page is one list."""

WEIGHTS: Mapping[str, float] = {
    "agrees_with_plain": 0.06,
    "agrees_with_joined": 0.314,
    "agrees_with_resiliparse": 0.182,
    "agrees_with_whole": 0.232,
    "words": 0.208,
    "lines": -0.169,
    "words_a_line": -0.142,
    "is_plain": 0.016,
    "is_joined": 0.013,
    "is_resiliparse": 0.012,
    "is_whole": -0.042,
}
"""How much each sign lifts a reading's F1 above that of the page's other ones."""
_WITHOUT_TABLES = 0.04
"""What a reading whose tables and quotations are mere text has to be better by."""
_MAX_LONE_WORDS = 8
_WORD = re.compile(r"\w+")


def choose(readings: Readings, weights: Mapping[str, float] = WEIGHTS) -> str:
    """The name of the reading that is expected to be nearest to the page's main text."""
    signs = signs_of(readings)

    def expected_f1(name: str) -> float:
        f1 = sum(weights[sign] * value for sign, value in signs[name].items())
        return f1 if name in {"plain", "joined"} else f1 - _WITHOUT_TABLES

    return max(readings, key=expected_f1)


def signs_of(readings: Readings) -> Mapping[str, Mapping[str, float]]:
    """What each reading is judged by, under the names of `WEIGHTS`."""
    words = {name: Counter(_words(text)) for name, text in readings.items()}
    signs: dict[str, dict[str, float]] = {}
    for name, text in readings.items():
        count = words[name].total()
        lines = [line for line in text.splitlines() if line.strip()]
        words_a_line = count / max(1, len(lines))
        signs[name] = {
            f"agrees_with_{other_name}": _agreement(words[name], other_words)
            for other_name, other_words in words.items()
        }
        signs[name] |= {
            "words": math.log1p(count),
            "lines": math.log1p(len(lines)),
            "words_a_line": math.log1p(words_a_line),
            f"is_{name}": 1.0,
        }
    return signs


def _agreement(words: Counter[str], other_words: Counter[str]) -> float:
    """The share of words that two readings have in common, as F1."""
    shared = words & other_words
    count = words.total() + other_words.total()
    return 2 * shared.total() / max(1, count)


def drop_lone_lines(text: str, others: Sequence[str]) -> str:
    """The text without short lines that no other reading has: buttons, labels, notices."""
    known = [" ".join(_words(other)) for other in others]
    kept: list[str] = []
    for line in text.split("\n"):
        words = _words(line)
        phrase = " ".join(words)
        is_short = len(words) <= _MAX_LONE_WORDS
        if is_short and not any(phrase in other for other in known):
            continue
        kept.append(line)
    return "\n".join(kept)


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.lower())
