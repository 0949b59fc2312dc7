"""JSON that a model or its gateway wrote, read strictly: what JSON has and UTF-8 can write."""

import json
import math
from collections.abc import Iterable
from typing import Any, cast

from agent_core.messages import JsonObject

MAX_NESTING = 64
"""Values in values; what is nested deeper could not even be stored."""


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


def is_nested_too_deeply(value: object, max_depth: int = MAX_NESTING) -> bool:
    """Whether a JSON value goes deeper than `max_depth`."""
    layer = [value]
    for _ in range(max_depth):
        layer = [inner for each in layer for inner in _inside(each)]
        if not layer:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def as_object(value: object) -> JsonObject:
    """The value where it is an object; an empty one elsewhere."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def mended(text: str) -> str:
    """`text` as UTF-8 can write it: two halves of a sign joined, a lone half as U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mended_value(value: Any) -> Any:
    """A JSON value with all its texts and names `mended`."""
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, list):
        return [mended_value(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {mended(name): mended_value(item) for name, item in items}
    return value


def begun_sign(text: str) -> str:
    """The half of a sign that `text` ends with and that the next piece may complete, else empty."""
    return text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:20]} is not a number of JSON, or too large a one")
    return number
