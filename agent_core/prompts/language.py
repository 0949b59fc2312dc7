"""Language detection by stop words, of which the catalogue has a list for each language."""

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
    for text in texts:
        language = _language_of(text)
        if language:
            return language
    return read_language(locale) or FALLBACK


def read_language(code: str) -> Language | None:
    """The language of a code such as `de` or `de-DE`; None where we have no words for it."""
    language = code.partition("-")[0].lower()
    return language if language in CORE.languages else None


def _language_of(text: str) -> Language | None:
    words = _words(text)
    hits = {
        language: sum(word in _stop_words(language) for word in words)
        for language in (FALLBACK, *CORE.languages)  # the first wins where several have as many
    }
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] >= _MIN_HITS else None


@cache
def _stop_words(language: Language) -> frozenset[str]:
    return frozenset(_words(CORE.say(language, "language-small-words")))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def spoken_time(seconds: float) -> str:
    """`42 s`, `3 min 5 s`, `2 h 10 min`."""
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes_left = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min {rest} s"
    return f"{hours} h {minutes_left} min"
