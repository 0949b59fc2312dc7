"""Message catalogues: fixed sentences as data, one Fluent file (`de.ftl`) a language.

Fluent (projectfluent.org) is what translators' tools know; it does plurals and numbers. A new
language is a new file beside the others, in each package that has a catalogue.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib.resources import files
from typing import Protocol

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
            self._spoken[language] = _words(self._package, language)
        return self._spoken[language]

    def say(self, language: str, key: str, /, **slots: SlotValue) -> str:
        """One sentence with its slots filled.

        Raises:
            KeyError: there is no such sentence, or a slot has no value.
        """
        return self.of(language)(key, **slots)


def _words(package: str, language: str) -> Words:
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
