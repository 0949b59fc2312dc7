"""Readers of JSON values: a value of another type than the expected one reads as empty."""

import json
from collections.abc import Iterator
from typing import Any, cast

Json = dict[str, Any]


def as_object(value: object) -> Json:
    """The value if it is a JSON object, otherwise an empty one."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a JSON array, otherwise an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The value if it is a string, otherwise an empty one."""
    return value if isinstance(value, str) else ""


def blocks_of(content: object) -> list[Json]:
    """A message's content as blocks, whether it was written as a string or as a list."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return as_list(content)


def text_of(content: object) -> str:
    """The text blocks of a content, joined by blank lines."""
    texts = [as_text(block.get("text")) for block in blocks_of(content)]
    return "\n\n".join(filter(None, texts))


def walk(value: object) -> Iterator[Json]:
    """Every object inside a JSON value, outermost first."""
    children = as_list(value)
    fields = as_object(value)
    if fields:
        yield fields
        children = fields.values()
    for child in children:
        yield from walk(child)


def first_object(text: str) -> Json:
    """The first JSON object in a text, which prose may follow; empty where there is none."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return {}
    return as_object(value)
