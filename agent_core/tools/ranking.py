"""Ranks tools by how well their names, descriptions and parameters fit a few words (BM25)."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import cast

from agent_core.messages import JsonObject
from agent_core.models import ToolSpec

_NAME_WEIGHT = 3
"""A word in a tool's name says more than one in its description."""
_SATURATION = 1.2
_LENGTH_WEIGHT = 0.75
_MAX_DESCRIPTION_CHARS = 2_000
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_STOP_WORDS = frozenset(
    {"a", "an", "and", "by", "for", "from", "in", "is", "it", "of", "on", "or", "that", "the"}
    | {"this", "to", "tool", "with"}
)


def ranked(query: str, specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    """The tools that share a word with the query, best first; equals in the given order."""
    wanted = list(dict.fromkeys(words(query)))
    documents = [_document(spec) for spec in specs]
    rarity = {word: _rarity(word, documents) for word in wanted}
    mean_length = sum(document.total() for document in documents) / max(len(documents), 1)
    scores = [
        sum(rarity[word] * _frequency(word, document, mean_length) for word in wanted)
        for document in documents
    ]
    best = sorted(range(len(specs)), key=lambda place: -scores[place])
    return [specs[place] for place in best if scores[place] > 0]


def words(text: str) -> list[str]:
    """The words of a text in lower case: `searchWeb`, `SEARCH_WEB` and `search-web` are alike."""
    found = (_stem(word.lower()) for word in _WORD.findall(text))
    return [word for word in found if word not in _STOP_WORDS]


def _stem(word: str) -> str:
    """Plurals count as their singular; nothing cleverer."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _document(spec: ToolSpec) -> Counter[str]:
    name = spec.name.removeprefix("mcp__")
    properties: object = spec.input_schema.get("properties")
    parameters = list(cast(JsonObject, properties)) if isinstance(properties, dict) else []
    return Counter(
        words(name) * _NAME_WEIGHT
        + words(spec.description[:_MAX_DESCRIPTION_CHARS])
        + words(" ".join(parameters))
    )


def _rarity(word: str, documents: Sequence[Counter[str]]) -> float:
    containing = sum(word in document for document in documents)
    return math.log(1 + (len(documents) - containing + 0.5) / (containing + 0.5))


def _frequency(word: str, document: Counter[str], mean_length: float) -> float:
    count = document[word]
    length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * document.total() / max(mean_length, 1)
    return count * (_SATURATION + 1) / (count + _SATURATION * length)
