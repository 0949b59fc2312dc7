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
from typing import Literal

ReadingName = Literal["plain", "joined", "resiliparse", "whole"]
"""plain: trafilatura's; joined: its reading of all pieces of an article as one; resiliparse: that
library's main text; whole: all text of the page, which is right where the page is one list."""

WEIGHTS: Mapping[str, float] = {
    "agrees_with_plain": 0.096,
    "agrees_with_joined": 0.309,
    "agrees_with_resiliparse": 0.197,
    "agrees_with_whole": 0.308,
    "words": 0.133,
    "lines": -0.106,
    "words_a_line": -0.071,
    "words_of_page": -0.033,
    "sentences_a_word": 0.022,
    "is_plain": 0.013,
    "is_joined": 0.01,
    "is_resiliparse": 0.017,
    "is_whole": -0.04,
}
"""How much each sign adds to the F1 that is expected of a reading; counts are logarithms."""
_WITHOUT_TABLES = 0.02
"""What a reading whose tables and quotations are mere text has to be better by."""
_MAX_LONE_WORDS = 8
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"\.\s")


def choose(
    readings: Mapping[ReadingName, str], weights: Mapping[str, float] = WEIGHTS
) -> ReadingName:
    """The name of the reading that is expected to be nearest to the page's main text."""
    signs = signs_of(readings)

    def expected_f1(name: ReadingName) -> float:
        f1 = sum(weights[sign] * value for sign, value in signs[name].items())
        return f1 if name in {"plain", "joined"} else f1 - _WITHOUT_TABLES

    return max(readings, key=expected_f1)


def signs_of(readings: Mapping[ReadingName, str]) -> Mapping[ReadingName, Mapping[str, float]]:
    """What each reading is judged by, under the names of `WEIGHTS`."""
    words = {name: Counter(_words(text)) for name, text in readings.items()}
    counts = {name: counter.total() for name, counter in words.items()}
    signs: dict[ReadingName, dict[str, float]] = {}
    for name, text in readings.items():
        count = counts[name]
        lines = sum(1 for line in text.splitlines() if line.strip())
        signs[name] = {
            "words": math.log1p(count),
            "lines": math.log1p(lines),
            "words_a_line": math.log1p(count / max(1, lines)),
            "words_of_page": math.log1p(counts["whole"]),
            "sentences_a_word": 20 * len(_SENTENCE.findall(text)) / max(1, count),
            f"is_{name}": 1,
        }
        for other_name, other_words in words.items():
            shared = (words[name] & other_words).total()
            agreement = 2 * shared / max(1, count + counts[other_name])
            signs[name][f"agrees_with_{other_name}"] = agreement
    return signs


def drop_lone_lines(text: str, others: Sequence[str]) -> str:
    """The text without short lines that no other reading has: buttons, labels, notices."""
    known = [" ".join(_words(other)) for other in others]

    def is_lone(line: str) -> bool:
        words = list(_words(line))
        phrase = " ".join(words)
        return 0 < len(words) <= _MAX_LONE_WORDS and not any(phrase in other for other in known)

    return "\n".join(line for line in text.split("\n") if not is_lone(line))


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.lower())
