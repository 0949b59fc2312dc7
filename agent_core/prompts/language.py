"""Which of the languages of our fixed words a text is in. Pure."""

import re
from typing import Literal

Language = Literal["en", "de", "fr", "es"]

_WORD = re.compile(r"[^\W\d_]+")
_MIN_HITS = 2


def detect_language(*texts: str, locale: str = "") -> Language:
    """The language of the first text that has enough common small words to tell.

    Where none has, that of the author's locale, such as `de-DE`; English where that is empty or
    of a language that we have no words for.
    """
    for text in texts:
        if language := _told_by(text):
            return language
    return _of_locale(locale)


def _told_by(text: str) -> Language | None:
    words = _words(text)
    hits: dict[Language, int] = {
        language: sum(word in small for word in words) for language, small in _SMALL.items()
    }
    best = max(hits, key=lambda language: hits[language])
    return best if hits[best] >= _MIN_HITS else None


def read_language(code: str) -> Language | None:
    """The language of a code such as `de` or `de-DE`; None where we have no words for it."""
    spoken: dict[str, Language] = {language: language for language in _SMALL}
    return spoken.get(code.partition("-")[0].lower())


def _of_locale(locale: str) -> Language:
    return read_language(locale) or "en"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


_SMALL: dict[Language, frozenset[str]] = {
    "en": frozenset(
        _words(
            "the a an of to in is are was and or for on with about what how why when which who "
            "please write me this that it do does can you my our from"
        )
    ),
    "de": frozenset(
        _words(
            "der die das den dem ein eine einen einem einer und oder ist sind war mit von zu im "
            "für über was wie warum wann welche welcher wer bitte schreibe mir nicht auf ich wir "
            "zum zur bericht steht dieser diese dieses diesem diesen datei bitte kannst du gibt "
            "mach zeig fasse zusammen alle"
        )
    ),
    "fr": frozenset(
        _words(
            "le la les un une des du de et ou est sont avec pour dans sur quoi que qui quel "
            "quelle comment pourquoi quand rédige écris moi ce cette ces au aux je nous rapport "
            "fichier peux tu pouvez vous contient résume"
        )
    ),
    "es": frozenset(
        _words(
            "el la los las un una unos unas y o es son de del con para en sobre qué que cómo por "
            "cuándo cuál quién escribe me este esta al yo nosotros informe archivo puedes hay "
            "dime"
        )
    ),
}
