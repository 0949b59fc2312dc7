"""The languages that claims are read in, and their commonest words."""

import re
import unicodedata
from typing import Literal, get_args

Language = Literal["en", "de", "fr", "es", "it", "pt", "nl"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_COMMON = {
    "en": "the of and was with for that his their which",
    "de": "der die das und mit von den ist für auf",
    "fr": "le les des et dans une est pour avec du",
    "es": "el los las y con una por del que más",
    "it": "il gli che di della una per con sono nel",
    "pt": "os uma não com em do da para foi mais",
    "nl": "het een van en met voor zijn op niet werd",
}
COMMON_WORDS = frozenset(" ".join(_COMMON.values()).split()) | frozenset(
    "a an in on at to by as is were be been he she it its her had has have not after before who"
    " would also but or this they when during where from".split()
)
"""Words that say nothing about what a sentence is about."""

_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")  # noqa: RUF001 (an apostrophe as it is typed)
_GENITIVE = re.compile(r"'s?$")
_STEM = 4
_ENDING = 3
_SAMPLE_CHARS = 20_000


def language_of(text: str) -> Language:
    """The language whose commonest words stand most often at the beginning of the text."""
    words = _LETTERS.findall(text[:_SAMPLE_CHARS].casefold())

    def count(language: Language) -> int:
        common = set(_COMMON[language].split())
        return sum(word in common for word in words)

    return max(LANGUAGES, key=count)


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
