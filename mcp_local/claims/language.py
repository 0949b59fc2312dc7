"""The languages that claims are read in, and their commonest words."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import TypeAdapter

LanguageCode = Literal["en", "de", "fr", "es", "it", "pt", "nl"]
LANGUAGES: tuple[LanguageCode, ...] = get_args(LanguageCode)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    words: str
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    unit: str
    factor: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnitPhrase:
    pattern: re.Pattern[str]
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Worded:
    words: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rewrite:
    pattern: re.Pattern[str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _RelativeYear:
    pattern: re.Pattern[str]
    years: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WordFile:
    """words.toml, field by field."""

    common: dict[LanguageCode, str]
    words: dict[str, str]
    opposites: list[dict[str, str]]
    scales: list[_Scale]
    units: list[_Unit]
    phrases: list[_UnitPhrase]
    worded: list[_Worded]
    rewrites: list[_Rewrite]
    relative_years: list[_RelativeYear]

    def listed(self, name: str) -> frozenset[str]:
        """The words of one list."""
        return frozenset(self.words[name].split())


_FILE = Path(__file__).with_name("words.toml")
WORDS = TypeAdapter(WordFile).validate_python(tomllib.loads(_FILE.read_text(encoding="utf-8")))
COMMON_WORDS = WORDS.listed("empty").union(*(each.split() for each in WORDS.common.values()))
"""Words that say nothing about what a sentence is about."""

_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")  # noqa: RUF001 (an apostrophe as it is typed)
_GENITIVE = re.compile(r"'s?$")
_STEM = 4
_ENDING = 3
_SAMPLE_CHARS = 20_000
_SEVERAL = 4


def language_of(text: str) -> LanguageCode:
    """The language whose commonest words stand most often at the beginning of the text."""
    words = _LETTERS.findall(text[:_SAMPLE_CHARS].casefold())

    def count(language: LanguageCode) -> int:
        common = set(WORDS.common[language].split())
        return sum(word in common for word in words)

    return max(LANGUAGES, key=count)


def measured_language(text: str) -> str:
    """The language of which a text has several of the commonest words, or nothing."""
    language = language_of(text)
    words = set(_LETTERS.findall(text[:_SAMPLE_CHARS].casefold()))
    has_several = len(words.intersection(WORDS.common[language].split())) >= _SEVERAL
    return language if has_several else ""


def fold(word: str) -> str:
    """A word without case, accents and the genitive's ending."""
    plain = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))  # noqa: RUF001
    kept = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _GENITIVE.sub("", kept)


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, folded."""
    return [fold(word) for word in _WORD.findall(text)]


def same_stem(one: str, other: str) -> bool:
    """Whether two words differ in a short ending alone, as inflected forms do."""
    shared = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared += 1
    return shared >= _STEM and max(len(one), len(other)) - shared <= _ENDING
