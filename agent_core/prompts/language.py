"""Which of the languages of our fixed words a text is in. Pure."""

import re
from typing import Literal

Language = Literal["en", "de", "fr", "es"]

_WORD = re.compile(r"[^\W\d_]+")
_MIN_HITS = 2


def detect_language(text: str, *, locale: str = "") -> Language:
    """The language of a text by its commonest small words.

    Where it has too few of them to tell, that of the author's locale, such as `de-DE`; English
    where that is empty or of a language that we have no words for.
    """
    words = _words(text)
    hits: dict[Language, int] = {
        language: sum(word in small for word in words) for language, small in _SMALL.items()
    }
    best = max(hits, key=lambda language: hits[language])
    return best if hits[best] >= _MIN_HITS else _of_locale(locale)


def _of_locale(locale: str) -> Language:
    spoken: dict[str, Language] = {language: language for language in _SMALL}
    return spoken.get(locale.partition("-")[0].lower(), "en")


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
            "zum zur bericht"
        )
    ),
    "fr": frozenset(
        _words(
            "le la les un une des du de et ou est sont avec pour dans sur quoi que qui quel "
            "quelle comment pourquoi quand rédige écris moi ce cette au aux je nous rapport"
        )
    ),
    "es": frozenset(
        _words(
            "el la los las un una unos unas y o es son de del con para en sobre qué que cómo por "
            "cuándo cuál quién escribe me este esta al yo nosotros informe"
        )
    ),
}
