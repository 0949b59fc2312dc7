"""A walk over everything in a call's arguments, however deep: names and values."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A value that holds no other one."""

    path: tuple[str, ...]
    """Names of the objects around it, outermost first; places in lists have none."""
    value: str | int | float | bool | None


def _values_in(value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value at any depth with its path, in order. It does not recurse: none is too deep."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            items = cast("dict[str, object]", current).items()
            stack.extend(reversed([((*path, name), inner) for name, inner in items]))
        elif isinstance(current, list | tuple):
            stack.extend(reversed([(path, each) for each in cast("list[object]", current)]))


def leaves_of(value: object) -> Iterator[Leaf]:
    """All leaves in their order."""
    for path, current in _values_in(value):
        if isinstance(current, str | int | float | None):
            yield Leaf(path=path, value=current)


def names_in(value: object) -> Iterator[str]:
    """Every name in an object, at any depth; one that holds nothing as well."""
    return (path[-1] for path, _ in _values_in(value) if path)


def texts_in(value: object) -> Iterator[str]:
    """Every string: names and values alike."""
    yield from names_in(value)
    yield from (leaf.value for leaf in leaves_of(value) if isinstance(leaf.value, str))


def json_in(text: str) -> object:
    """The value that a text holds as JSON; None where it holds none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None
