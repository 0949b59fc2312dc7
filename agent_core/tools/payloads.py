"""JSON in tool results, read leniently: plain, typed content, wrapped, or JSON within a string."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard, TypeVar, cast

from agent_core.messages import JsonObject

Found = TypeVar("Found")

Leaf = tuple[tuple[str, ...], str | int | float | bool | None]
"""A value that holds no other one, behind its path: the names of the objects around it, outermost
first. Positions in lists have none."""

_MAX_NESTING = 20


def parse_result(text: str) -> object:
    """The JSON value in a result, out of typed content and strings; None when there is none."""
    return _unwrapped(_decoded(text))


def digest_of_json(value: object) -> str:
    """SHA-256 in hex of canonical JSON: sorted names, no white space, lone surrogates kept."""
    text = json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def json_in(text: str) -> object:
    """The value that a whole text holds as JSON; None where it holds none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def values_in(value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value at any depth with its path, in order. It does not recurse: none is too deep."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            fields = cast("dict[str, object]", current)
            stack.extend(((*path, name), fields[name]) for name in reversed(fields))
        elif isinstance(current, list | tuple):
            items = cast("list[object]", current)
            stack.extend((path, item) for item in reversed(items))


def leaves_of(value: object) -> Iterator[Leaf]:
    """All leaves in their order."""
    for path, current in values_in(value):
        if isinstance(current, str | int | float | None):
            yield path, current


def names_in(value: object) -> Iterator[str]:
    """Every name in an object, at any depth; one that holds nothing as well."""
    for path, _ in values_in(value):
        if path:
            yield path[-1]


def texts_in(value: object) -> Iterator[str]:
    """Every string: names and values alike."""
    for path, current in values_in(value):
        if path:
            yield path[-1]
        if isinstance(current, str):
            yield current


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def text_in(value: object, *keys: str) -> str:
    """The first non-empty string under one of the keys of an object, else empty."""
    if not is_object(value):
        return ""
    for key in keys:
        text = value.get(key)
        if isinstance(text, str) and text.strip():
            return text
    return ""


def find_object(
    value: object, wanted: Callable[[JsonObject], Found | None], depth: int
) -> Found | None:
    """The first result of `wanted` that is not None, over the objects of a value, outermost first.

    Args:
        value: Where to begin.
        wanted: Looks at one object.
        depth: How many levels below `value` are searched.
    """
    for candidate in objects(value, depth):
        result = wanted(candidate)
        if result is not None:
            return result
    return None


def objects(value: object, depth: int) -> Iterator[JsonObject]:
    """Every object in a value, level by level; `depth` levels below it are searched."""
    level = [_unwrapped(value)]
    for _ in range(depth + 1):
        yield from (each for each in level if is_object(each))
        level = [_unwrapped(inner) for each in level for inner in _children(each)]


def _children(value: object) -> Iterator[object]:
    if is_object(value):
        yield from value.values()
    elif is_list(value):
        yield from value


def _unwrapped(value: object) -> object:
    for _ in range(_MAX_NESTING):
        inner = _inner(value)
        if inner is None:
            return value
        value = inner
    return value


def _inner(value: object) -> object:
    """One wrapper less, or None when there is no wrapper."""
    if isinstance(value, str):
        return _decoded(value)
    content = value.get("content") if is_object(value) else value
    return _typed_text(content) if is_list(content) else None


def _typed_text(content: list[Any]) -> object:
    blocks = [block for block in content if is_object(block) and block.get("type") == "text"]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "".join(texts) if texts else None


def _decoded(text: str) -> object:
    """JSON at the beginning of a text; None for a text that is just text."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[", '"')):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(stripped)
    except (ValueError, RecursionError):
        return None
    return cast("object", value)
