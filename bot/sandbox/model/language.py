"""Words: stop words of four languages, content words, and the words that ask for something."""

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")


def _read_words(name: str) -> frozenset[str]:
    path = Path(__file__).parent / "vocabulary" / f"{name}.txt"
    return frozenset(path.read_text(encoding="utf-8").split())


STOP_WORDS = _read_words("stop_words")

COMMAND_WORDS = _read_words("command_words")
UNIT_WORDS = _read_words("unit_words")
"""Words that count or time other things and so name no theme."""

DEEP = re.compile(
    r"\b(comprehensive|detailed|in[- ]?depth|thorough|exhaustive|full report|extend|"
    r"ausführlich\w*|umfassend\w*|detailliert\w*|eingehend\w*|"
    r"complet(?:e)?|détaillée?s?|approfondie?s?|exhaustifs?|"
    r"complet[oa]s?|detallad[oa]s?|exhaustiv[oa]s?|en profundidad)\b",
    re.IGNORECASE,
)

REPORT = re.compile(
    r"\b(reports?|comprehensive|detailed|in[- ]?depth|analysis|analyses|analy[sz]e|summary|"
    r"summari[sz]e|dossier|white ?paper|"
    r"\w*bericht\w*|ausführlich\w*|umfassend\w*|detailliert\w*|analyse[ns]?|zusammenfassung|"
    r"fass\w* .{0,80}zusammen|"
    r"rapports?|détaillée?s?|approfondie?s?|résumé|résume[rz]?|synthèse|"
    r"informes?|detallad[oa]s?|exhaustiv[oa]s?|análisis|analiza|resumen|resume)\b",
    re.IGNORECASE,
)

CONTINUE = re.compile(
    r"^\W*(continue|go on|carry on|proceed|keep going|resume|weiter|mach weiter|fortfahren|"
    r"continuez?|poursui\w*|contin[uú]a\w*|sigue|prosigue)\b"
    r"|\b(add|append|include|insert|extend)\b.{0,40}\b(section|chapter|part|report)\b"
    r"|\b(ergänze?|füge?)\b.{0,60}\b(abschnitt|kapitel)"
    r"|\bajoute[rz]?\b.{0,40}\b(section|chapitre|partie)\b"
    r"|\b(añade|agrega)\w*\b.{0,40}\b(sección|capítulo|apartado)\b",
    re.IGNORECASE | re.DOTALL,
)

MARKERS = {
    "de": "der die das und ist nicht über für mit ein eine einen bitte schreibe wie",
    "fr": "le la les et est des du une sur pour avec rapport écris quelle dans",
    "es": "el los las y es una sobre para con informe escribe cuál del qué",
    "en": "the and is of a an on for with write report what how to about in",
}


def fold(word: str) -> str:
    """A word without case and accents, for comparing."""
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word cut down so that its common forms meet: bot and bots, retry and retries."""
    plain = fold(word).removesuffix("'s").removesuffix("\u2019s")
    for suffix, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if plain.endswith(suffix) and len(plain) - len(suffix) >= 3 and not plain.endswith("ss"):
            return plain[: -len(suffix)] + rest
    return plain


def words(text: str) -> list[str]:
    """The words of a text as written."""
    return WORD.findall(text)


def content_words(text: str) -> list[str]:
    """The words that carry meaning, as written, each stem once, in order."""
    seen: set[str] = set()
    kept: list[str] = []
    for word in words(text):
        low = word.casefold()
        if low in STOP_WORDS or (len(word) < 2 and not word.isdigit()) or stem(word) in seen:
            continue
        seen.add(stem(word))
        kept.append(word)
    return kept


def topic_words(text: str) -> list[str]:
    """Content words of a request, less the words that only ask for something."""
    return [word for word in content_words(text) if word.casefold() not in COMMAND_WORDS]


def guess_language(text: str) -> str:
    """`en`, `de`, `fr` or `es`, by the small words of the text."""
    found = {word.casefold() for word in words(text)}
    scores = {code: len(found & set(marks.split())) for code, marks in MARKERS.items()}
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] > scores["en"] else "en"
