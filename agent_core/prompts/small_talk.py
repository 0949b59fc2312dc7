"""Short forms: whole messages that code understands, which saves a call of a model.

The catalogue lists them, one line a kind and language. Only a whole message counts:
"help" is small talk, "help me write a report" is work, and "can you cancel this please" is for the
classifier to understand.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Literal, get_args

from agent_core.prompts.language import Language
from agent_core.words import CORE

SmallTalk = Literal["empty", "emoji", "noise", "help", "stop", "status", "thanks"]
ShortForm = Literal["help", "stop", "status", "thanks", "continue", "yes", "no", "digests"]

NOISE_CHARS = 20
"""From this length on, one letter over and over, or marks alone, are a text with a length."""

_KEY_CAP = re.compile(r"[0-9#*]\ufe0f?\u20e3")
"""An emoji that would count as a digit."""
_STOP_SIGN = "🛑"
_THUMBS_UP = re.compile("\N{THUMBS UP SIGN}\ufe0f?[\U0001f3fb-\U0001f3ff]?")
_LONGEST_CHARS = 60
_WORD = re.compile(r"[^\W_]+")
_Phrase = Literal["help", "stop", "status", "thanks"]
_SMALL_TALK: tuple[_Phrase, ...] = get_args(_Phrase)


def small_talk(text: str) -> SmallTalk | None:
    """Why there is nothing in a text to work on by itself; None where there is something."""
    marks = _kind_of_marks(text)
    if marks:
        return marks
    for kind in _SMALL_TALK:
        if short_form(text, kind):
            return kind
    return None


def asks_for_nothing(text: str) -> bool:
    """Whether there is no word in a text that anybody could act on."""
    return small_talk(text) in ("empty", "emoji", "noise", "thanks")


def short_form(text: str, kind: ShortForm) -> bool:
    """Whether a whole text is a short form, in any of our languages."""
    if kind == "yes" and is_thumbs_up(text):
        return True
    return bool(_languages_of(text, kind))


def phrase_language(text: str) -> Language | None:
    """The language that a piece of small talk belongs to; None if it is none, or of several."""
    languages: set[Language] = set()
    for kind in _SMALL_TALK:
        languages.update(_languages_of(text, kind))
    if len(languages) != 1:
        return None
    return languages.pop()


def is_thumbs_up(text: str) -> bool:
    """Whether a text is one thumb up and nothing else."""
    return _THUMBS_UP.fullmatch(text.strip()) is not None


def _kind_of_marks(message: str) -> SmallTalk | None:
    text = "".join(message.split())
    if text == _STOP_SIGN:
        return "stop"
    is_long = len(text) >= NOISE_CHARS
    rest = _KEY_CAP.sub("", text)
    categories = {unicodedata.category(letter) for letter in rest}
    if any(category.startswith(("L", "N")) for category in categories):
        if is_long and len(set(text)) == 1:
            return "noise"
        return None
    if rest != text or "So" in categories:
        return "emoji"
    if is_long:
        return "noise"
    return "empty"


def _languages_of(text: str, kind: ShortForm) -> list[Language]:
    if len(text) > _LONGEST_CHARS:
        return []
    phrase = _plain(text)
    return [language for language, phrases in _phrases(kind).items() if phrase in phrases]


@cache
def _phrases(kind: ShortForm) -> Mapping[Language, frozenset[str]]:
    phrases: dict[Language, frozenset[str]] = {}
    for language in CORE.languages:
        listed = CORE.say(language, f"short-{kind}").split(",")
        phrases[language] = frozenset(map(_plain, listed))
    return phrases


@cache
def _polite() -> re.Pattern[str]:
    """Polite words, which may stand in any short form."""
    words: list[str] = []
    for language in CORE.languages:
        listed = CORE.say(language, "polite-words").split(",")
        words.extend(map(_letters, listed))
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b")


def _plain(text: str) -> str:
    """The words alone, without those that are only polite; all of them where no other is left."""
    letters = _letters(text)
    plain = _polite().sub(" ", letters)
    return " ".join(plain.split()) or letters


def _letters(text: str) -> str:
    """The words of a text without marks, emoji, accents or capitals."""
    folded = _KEY_CAP.sub(" ", text).casefold()
    decomposed = unicodedata.normalize("NFKD", folded)
    plain = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(_WORD.findall(plain))
