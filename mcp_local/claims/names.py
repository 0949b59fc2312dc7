"""Names of people, bodies and places in a sentence, and the forms that count as the same."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from babel import Locale
from babel.languages import get_official_languages

from mcp_local.claims.dates import month_numbers
from mcp_local.claims.language import COMMON_WORDS, LANGUAGES, Language, fold

_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_NAME = re.compile(rf"\b{_CAPITAL}[\w'’.]*+(?:[ -]{_CAPITAL}[\w'’.]*+)*")  # noqa: RUF001
_OPENERS = frozenset(
    "a after all also although an and as at before both but by despite during each for from he her"
    " his however i if in instead into it its like many more most no not of on once one or other"
    " our over she since so some such than that the their then there these they this those through"
    " to today under until upon we what when where which while who with you your according about"
    " another among because only several later earlier two three four five six seven eight nine ten"
    " first second third at's yes mr mrs ms dr sir lady lord judge".split()
)
_OFFICES = frozenset(
    "academy actor actress air army association award awards bank board body book cathedral center"
    " central centre chairman championship championships chief church city club college commander"
    " commission committee company conference congress corporation council country county court"
    " cup day department director district division east election empire festival film fund federal"
    " final foundation gallery game games general government governor great group high history"
    " house institute international island isle king kingdom knight lake league legal library magazine"
    " manager media medical member men minister ministry mount mountain museum music national navy new"
    " news north officer open order organization park party police premier president presidential"
    " press prime prince princess prize professor program project public queen record region"
    " registry republic river road royal saint school season secretary senate senator senior series"
    " service society south sports state states station street studio studios supreme team theatre"
    " tour trust union united university war week west women world year young".split()
)
"""What offices and bodies are made of: no names by themselves, and not said each time."""
_COUNTRY_CODE = 2
_DEMONYMS = "american:US british:GB english:GB scottish:GB swiss:CH us:US usa:US uk:GB britain:GB"


_SUBJECT = re.compile(r" (?:was|is|has|had|died|would|will|became|began|\w+ed)\b")


def names_in(text: str, language: Language) -> Iterator[str]:
    """Each capitalised name in a text; in German, where every noun is, only those of two words.

    A sentence's first word is none, unless the name goes on or a verb follows.
    """
    for match in _NAME.finditer(text):
        words = match[0].rstrip(".'’").split(" ")  # noqa: RUF001
        is_first = not text[: match.start()].strip(" \"'“„«(")
        while words and _is_no_name(words[0]):
            words = words[1:]
            is_first = False
        is_opener = is_first and len(words) == 1 and not _SUBJECT.match(text, match.end())
        if words and not is_opener and (len(words) > 1 or language != "de"):
            yield " ".join(words)


def _is_no_name(word: str) -> bool:
    plain = fold(word.rstrip("."))
    is_common = plain in _OPENERS or plain in COMMON_WORDS
    return is_common or plain in month_numbers() or len(plain) == 1


def distinctive(words: Sequence[str]) -> list[str]:
    """The words of a name that tell it from others."""
    return [word for word in words if word not in _OFFICES]


@cache
def _codes() -> dict[str, str]:
    """A country's code by its name, and by that of its language, in every language."""
    codes = dict(pair.split(":") for pair in _DEMONYMS.split())
    for language in LANGUAGES:
        locale = Locale(language)
        for code, name in locale.territories.items():
            if len(code) == _COUNTRY_CODE:
                codes.setdefault(fold(name), code)
                for spoken in get_official_languages(code)[:1]:
                    codes.setdefault(fold(locale.languages.get(spoken, name)), code)
    return codes


@cache
def country_names(name: str) -> tuple[str, ...]:
    """All names of the country that is called this, or whose people are."""
    code = _codes().get(name)
    return tuple(other for other, known in _codes().items() if known == code and code)
