"""JSON that others wrote: a model's or a server's read strictly, a tool's result leniently.

In a result JSON may be plain, within a string, or wrapped as typed content.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard, TypeVar, cast

from agent_core.messages import JsonObject

Found = TypeVar("Found")

Leaf = tuple[tuple[str, ...], str | int | float | bool | None]
"""A value that holds no other one, behind its path: the names of the objects around it, outermost
first. Positions in lists have none."""

MAX_NESTING = 64
"""Values in values; what is nested deeper could not even be stored."""
_MAX_WRAPPERS = 20


def load_strictly(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON, or nested too deeply; NaN, infinities and numbers too large for
            a float are none.
    """
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if is_nested_too_deeply(value):
        raise ValueError("nested too deeply")
    return value


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:20]} is not a number of JSON, or too large a one")
    return number


def is_nested_too_deeply(value: object, max_depth: int = MAX_NESTING) -> bool:
    """Whether a JSON value goes deeper than `max_depth`."""
    layer = [value]
    for _ in range(max_depth):
        layer = [inner for each in layer for inner in _children(each)]
        if not layer:
            return False
    return True


def mended(text: str) -> str:
    """`text` as UTF-8 can write it: two halves of a sign joined, a lone half as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mended_value(value: Any) -> Any:
    """A JSON value with all its texts and names `mended`."""
    return json.loads(mended(json.dumps(value, ensure_ascii=False)))


def digest_of_json(value: object) -> str:
    """SHA-256 in hex of canonical JSON: sorted names, no white space, lone surrogates kept."""
    text = json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def as_object(value: object) -> JsonObject:
    """The value where it is an object; an empty one elsewhere."""
    return value if is_object(value) else {}


def _children(value: object) -> Iterable[object]:
    """The values of an object, the items of a list; nothing of any other value."""
    if is_object(value):
        return value.values()
    return value if is_list(value) else ()


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


def text_in(value: object, *keys: str) -> str:
    """The first non-empty string under one of the keys of an object, else empty."""
    fields = as_object(value)
    for key in keys:
        text = fields.get(key)
        if isinstance(text, str) and text.strip():
            return text
    return ""


def parse_result(text: str) -> object:
    """The JSON value in a result, out of typed content and strings; None when there is none."""
    return _unwrapped(_decoded(text))


def objects(value: object, depth: int) -> Iterator[JsonObject]:
    """Every object in a value, level by level; `depth` levels below it are searched."""
    level = [_unwrapped(value)]
    for _ in range(depth + 1):
        yield from filter(is_object, level)
        level = [_unwrapped(inner) for each in level for inner in _children(each)]


def find_object(
    value: object, wanted: Callable[[JsonObject], Found | None], depth: int
) -> Found | None:
    """The first result of `wanted` that is not None, over the `objects` of a value."""
    results = map(wanted, objects(value, depth))
    return next((result for result in results if result is not None), None)


def _unwrapped(value: object) -> object:
    for _ in range(_MAX_WRAPPERS):
        if isinstance(value, str):
            inner = _decoded(value)
        else:
            content = value.get("content") if is_object(value) else value
            inner = _typed_text(content) if is_list(content) else None
        if inner is None:
            return value
        value = inner
    return value


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
