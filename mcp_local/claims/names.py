"""Names of people, bodies and places in a sentence, and the forms that count as the same."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from babel import Locale
from babel.languages import get_official_languages

from mcp_local.claims.dates import month_numbers
from mcp_local.claims.figures import UNIT_OF
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
        is_explaining = text[end : match.start()] == ", " and _APPOSITION.match(text, match.end())
        end = match.end()
        if is_explaining:
            continue
        words = match[0].rstrip(".'’").split(" ")  # noqa: RUF001
        before = text[: match.start()]
        is_first = not before.strip(" \"'“„«(")
        while words and _is_no_name(words[0]):
            words = words[1:]
            is_first = False
        if not words:
            continue
        if len(words) == 1:
            is_subject = _SUBJECT.match(text, match.end()) and not _NOUN.search(words[0])
            if language == "de" or (is_first and not is_subject):
                continue
        yield " ".join(words)


def _is_no_name(word: str) -> bool:
    plain = fold(word.rstrip("."))
    is_common = plain in _OPENERS or plain in COMMON_WORDS or plain in UNIT_OF
    return is_common or plain in month_numbers() or len(plain) == 1


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
            if len(code) == _COUNTRY_CODE:
                codes.setdefault(fold(name), code)
                for spoken in get_official_languages(code)[:1]:
                    codes.setdefault(fold(locale.languages.get(spoken, name)), code)
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
