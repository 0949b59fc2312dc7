"""What the stand-in goes by when it reads, and what it says: the lists of `phrases.toml`."""

import re
import tomllib
from functools import cache
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A list's pattern, which holds in any case of letters."""
    return re.compile(_LISTS[name].replace("\n", ""), re.IGNORECASE)


def find(name: str, text: str) -> re.Match[str] | None:
    """Where a list's pattern holds in a text."""
    return pattern(name).search(text)


def line(key: str, /, **values: object) -> str:
    """A sentence of the stand-in."""
    text: str = _LISTS["lines"][key]
    return text.format(**values)


def lines(name: str) -> list[str]:
    """A list of lines."""
    return _LISTS[name].strip().split("\n")


def pairs(name: str) -> list[tuple[str, str]]:
    """A list of lines with an equals sign: what stands before it, and behind."""
    return [(first, second) for first, _, second in (row.partition(" = ") for row in lines(name))]


def in_english(text: str) -> str:
    """The text with the words of other languages that pages here are asked about in English."""
    for english, words in pairs("english"):
        text = re.sub(words, english, text, flags=re.IGNORECASE)
    return text
