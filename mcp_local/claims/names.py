"""Names of people, bodies and places in a sentence, and the forms that count as the same."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from babel import Locale
from babel.languages import get_official_languages

from mcp_local.claims.dates import month_numbers
from mcp_local.claims.figures import UNIT_OF, is_scale
from mcp_local.claims.language import COMMON_WORDS, LANGUAGES, WORDS, LanguageCode, fold

_CAPITAL = r"[A-ZÀ-ÖØ-Þ]"
_NAME = re.compile(rf"\b{_CAPITAL}[\w'’.]*+(?:(?: of)?[ -]{_CAPITAL}[\w'’.]*+)*")  # noqa: RUF001
_OPENERS = WORDS.listed("openers")
_OFFICES = WORDS.listed("offices")
_COUNTRY_CODE = 2


_APPOSITION = re.compile(r"(?! and| or| &|, (?:and |or |& )?[A-ZÀ-ÖØ-Þ])")
"""What comes behind a name that explains the one before it, and is no part of a list."""
_SUBJECT = re.compile(r" (?:was|is|has|had|died|would|will|became|began|\w+ed)\b")
_NOUN = re.compile(r"(?:ing|[ts]ion|ment|ness|ity|ism|ers|ors|[ae]nce|ship|ure|als?)$")
"""The endings of words that begin a sentence without being a name."""


def names_in(text: str, language: LanguageCode) -> Iterator[str]:
    """Each capitalised name in a text; in German, where every noun is, only those of two words.

    A sentence's first word is none, unless the name goes on or a verb follows.
    """
    end = -1
    for match in _NAME.finditer(text):
        between = text[end : match.start()]
        end = match.end()
        if between == ", " and _APPOSITION.match(text, end):
            continue
        name = _name_of(match)
        if " " in name or (name and _is_name_alone(name, match, language)):
            yield name


def _name_of(match: re.Match[str]) -> str:
    """A capitalised phrase without the words before a name: `In May Maria Lindgren`."""
    words = match[0].rstrip(".'’").split(" ")  # noqa: RUF001
    while words and _is_no_name(words[0]):
        words = words[1:]
    return " ".join(words)


def _is_name_alone(word: str, match: re.Match[str], language: LanguageCode) -> bool:
    """Whether a single capitalised word is a name where it stands."""
    if language == "de":
        return False
    before = match.string[: match.start()]
    begins = match[0].startswith(word) and not before.strip(" \"'“„«(")
    if not begins:
        return True
    is_subject = _SUBJECT.match(match.string, match.end()) is not None
    return is_subject and not _NOUN.search(word)


def _is_no_name(word: str) -> bool:
    plain = fold(word.rstrip("."))
    is_common = plain in _OPENERS or plain in COMMON_WORDS or plain in UNIT_OF
    return is_common or plain in month_numbers() or len(plain) == 1 or is_scale(plain)


def distinctive(words: Sequence[str]) -> list[str]:
    """The words of a name that tell it from others."""
    return [word for word in words if word not in _OFFICES]


@cache
def _codes() -> dict[str, str]:
    """A country's code by its name, and by that of its language, in every language."""
    codes: dict[str, str] = {}
    for pair in WORDS.listed("demonyms"):
        name, _, code = pair.partition(":")
        codes[name] = code
    for language in LANGUAGES:
        locale: Any = Locale(language)
        for code, name in locale.territories.items():
            if len(code) != _COUNTRY_CODE:
                continue
            codes.setdefault(fold(name), code)
            official = get_official_languages(code)
            if official:
                language_name = locale.languages.get(official[0], name)
                codes.setdefault(fold(language_name), code)
    return codes


@cache
def country_names(name: str) -> tuple[str, ...]:
    """All names of the country that is called this, or whose people are."""
    code = _codes().get(name)
    names: list[str] = []
    for other, known in _codes().items():
        if code and known == code:
            names.append(other)
    return tuple(names)
