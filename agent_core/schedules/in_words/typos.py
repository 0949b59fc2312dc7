"""Recurrence words with one slip: evry, mnday, weekdys."""

import re
from functools import cache

from agent_core.schedules.in_words.grammar import WORDS
from agent_core.schedules.in_words.words.vocabulary import fold

_WORD = re.compile(r"(?<![\w#@])[^\W\d_]{4,14}(?!\w)")
_MIN_CHARS = 5
_EACH = ("every", "jeden", "jeder", "jedes", "chaque", "todos", "todas")
_OTHER_WORDS = frozenset(
    {"ever", "even", "event", "dairy", "daisy", "sundae", "weakly", "mourning", "martens", "months"}
)


def mended(text: str) -> str:
    """A normalised text whose recurrence words are spelt as we know them."""
    return _WORD.sub(lambda match: _mended(match[0]), text)


def _mended(word: str) -> str:
    folded, known = fold(word), _known()
    if folded in known or folded in _OTHER_WORDS:
        return word
    alike = [each for each in known if each[0] == folded[0] and _is_one_slip(folded, each)]
    return alike[0] if len({each.removesuffix("s") for each in alike}) == 1 else word


@cache
def _known() -> tuple[str, ...]:
    words = set(_EACH)
    for each in WORDS.values():
        words |= {fold(word) for word in (*each.days, *each.plural_days, *each.adverbs)}
    return tuple(sorted(word for word in words if len(word) >= _MIN_CHARS and word.isalpha()))


def _is_one_slip(word: str, known: str) -> bool:
    """Whether one letter is left out, too many or another, or two have changed places."""
    if abs(len(word) - len(known)) > 1:
        return False
    same = next((n for n, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), None)
    if same is None:
        return len(word) != len(known)
    left, right = word[same:], known[same:]
    is_swapped = left[:2] == right[1::-1] and left[2:] == right[2:]
    return is_swapped or left[1:] in (right, right[1:]) or left == right[1:]
