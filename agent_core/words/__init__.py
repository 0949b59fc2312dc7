"""Message catalogues: fixed sentences as data, one Fluent file (`de.ftl`) a language.

Fluent (projectfluent.org) is what translators' tools know; it does plurals and numbers. A new
language is a new file beside the others, in each package that has a catalogue.

The core's catalogue also holds what code understands of a message without a model: the language, by
its stop words, and short forms. Short forms are whole messages, one line a kind and language:
"help" is small talk, "help me write a report" is work, and "can you cancel this please" is for the
classifier to understand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, Protocol, get_args

FALLBACK = "en"
MAX_SLOT_CHARS = 900

_TOKEN = re.compile("\ue000(\\w+)\ue001")


SlotValue = str | float
"""The value of one slot of a sentence."""


class Words(Protocol):
    """The sentences of one language: a key and its slots become a text."""

    def __call__(self, key: str, /, **slots: SlotValue) -> str: ...


class Catalogue:
    """The `<language>.ftl` files of a package, read when a language is first spoken."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._spoken: dict[str, Words] = {}

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Codes such as `de`, in alphabetical order."""
        folder = files(self._package)
        names = [file.name for file in folder.iterdir()]
        codes = [name.removesuffix(".ftl") for name in names if name.endswith(".ftl")]
        return tuple(sorted(codes))

    def of(self, language: str) -> Words:
        """The sentences of a language; the English ones where there is no catalogue of it."""
        if language not in self.languages:
            language = FALLBACK
        if language not in self._spoken:
            self._spoken[language] = _sentences_of(self._package, language)
        return self._spoken[language]

    def say(self, language: str, key: str, /, **slots: SlotValue) -> str:
        """One sentence with its slots filled.

        Raises:
            KeyError: there is no such sentence, or a slot has no value.
        """
        return self.of(language)(key, **slots)


def _sentences_of(package: str, language: str) -> Words:
    from fluent.runtime import FluentBundle, FluentResource

    source = files(package) / f"{language}.ftl"
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(source.read_text(encoding="utf-8")))

    def words(key: str, /, **slots: SlotValue) -> str:
        if not bundle.has_message(key):
            raise KeyError(key)
        pattern = bundle.get_message(key).value
        if pattern is None:
            raise KeyError(key)
        # Fluent takes no value above 1,000 characters: a token stands for a longer one.
        long: dict[str, str] = {}
        for name, value in slots.items():
            if isinstance(value, str) and len(value) > MAX_SLOT_CHARS:
                long[name] = value
                slots[name] = f"\ue000{name}\ue001"
        text, errors = bundle.format_pattern(pattern, slots)
        if errors:
            raise KeyError(f"{key}: {errors[0]}")
        return _TOKEN.sub(lambda token: long.get(token[1], token[0]), str(text))

    return words


CORE = Catalogue("agent_core.words")
"""What the core says to people; it names nothing of any surface."""

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
        language = written_language(text)
        if language:
            return language
    return read_language(locale) or FALLBACK


def read_language(code: str) -> Language | None:
    """The language of a code such as `de` or `de-DE`; None where we have no words for it."""
    language = code.partition("-")[0].lower()
    return language if language in CORE.languages else None


def written_language(text: str) -> Language | None:
    """The language of a text by its common small words; None where these are too few to tell."""
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


SmallTalk = Literal["empty", "emoji", "noise", "help", "stop", "status", "thanks"]
ShortForm = Literal[
    "help", "stop", "status", "thanks", "continue", "wrap-up", "yes", "no", "digests", "laughter"
]

NOISE_CHARS = 20
"""From this length on, one letter over and over, or marks alone, are a text with a length."""

_KEY_CAP = re.compile(r"[0-9#*]\ufe0f?\u20e3")
"""An emoji that would count as a digit."""
_STOP_SIGN = "🛑"
_THUMBS_UP = re.compile("\N{THUMBS UP SIGN}\ufe0f?[\U0001f3fb-\U0001f3ff]?")
_LONGEST_CHARS = 60
_LETTERS = re.compile(r"[^\W_]+")
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


def is_laughter(text: str) -> bool:
    """Whether a text only laughs."""
    return short_form(text, "laughter")


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
    return " ".join(_LETTERS.findall(plain))
