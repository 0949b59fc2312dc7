"""Redaction: what one person wrote becomes a mark where others' sessions keep or quote it.

It is known by its sentences and by the words that are names, numbers or addresses by their form; an
ordinary word of theirs in another's sentence stays.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agent_core.ids import UserId

ERASED = "[erased]"
MIN_SENTENCE_CHARS = 12
_AUTHORS = ("asker", "author", "by")
_TEXTS = ("text", "title", "reason")
"""Fields beside an author's that hold the author's words."""
_SENTENCE_END = re.compile(r"[.!?:;]\s+|\n")
_TELLING = re.compile(r"(?=[\w@.+-]*[\d@+-])\w[\w@.+-]{3,}\w|(?<=[\w,] )[A-Z]\w{4,}|[^\W_]{12,}")
"""Words with a digit or sign inside, capitals within a sentence, and very long words."""


def words_by(person: UserId | None, record: dict[str, Any]) -> Iterator[str]:
    """The person's own texts in a message or event; a background of several authors as a whole."""
    if person in [record.get(name) for name in _AUTHORS]:
        yield from (record[name] for name in _TEXTS if record.get(name))
    if person in record.get("background_authors", ()):
        yield record["background"]


def pattern_of(texts: Iterable[str], others: Iterable[str]) -> re.Pattern[str]:
    """Finds what is these texts', in JSON too; telling words that others wrote as well stay."""
    shared = {word for text in others for word in _TELLING.findall(text)}
    parts: set[str] = set()
    for text in texts:
        parts |= set(_TELLING.findall(text)) - shared
        for sentence in _SENTENCE_END.split(text):
            words = sentence.strip(" \t.!?")
            if " " in words and len(words) >= MIN_SENTENCE_CHARS:
                parts.add(words)
                parts.add(json.dumps(words, ensure_ascii=False)[1:-1])
    literals = sorted(map(re.escape, parts), key=len, reverse=True)
    found = "|".join(literals) or "(?!)"
    # Not within an id or a moment, nor a route: no reader would know another value.
    return re.compile(rf"""(?<![\w:./])(?<!"route": ")(?:{found})(?![\w:/])""")


def redacted(pattern: re.Pattern[str], value: Any) -> Any:
    """A JSON value with the mark in place of what the pattern finds."""
    return json.loads(pattern.sub(ERASED, json.dumps(value, ensure_ascii=False)))
