"""Which of our languages a text is in, by the small words that the catalogue has of each."""

import re
from functools import cache

from agent_core.words import CORE, FALLBACK

Language = str
"""A code such as `de`."""

_WORD = re.compile(r"[^\W\d_]+")
_MIN_HITS = 2


def detect_language(*texts: str, locale: str = "") -> Language:
    """The language of the first text that has enough common small words to tell.

    Where none has, that of the author's locale, such as `de-DE`; English where that is empty or
    of a language that we have no words for.
    """
    told = next(filter(None, map(_told_by, texts)), None)
    return told or read_language(locale) or FALLBACK


def read_language(code: str) -> Language | None:
    """The language of a code such as `de` or `de-DE`; None where we have no words for it."""
    language = code.partition("-")[0].lower()
    return language if language in CORE.languages else None


def _told_by(text: str) -> Language | None:
    words = _words(text)
    hits = {language: sum(word in small for word in words) for language, small in _small().items()}
    best = max(hits, key=lambda language: (hits[language], language == FALLBACK))
    return best if hits[best] >= _MIN_HITS else None


@cache
def _small() -> dict[Language, frozenset[str]]:
    return {
        language: frozenset(_words(CORE.say(language, "language-small-words")))
        for language in CORE.languages
    }


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def spoken_time(seconds: float) -> str:
    """`42 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60} min"
