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


def leaves_of(value: object) -> Iterator[Leaf]:
    """All leaves in their order. It does not recurse: no depth of nesting is too deep for it."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, current = stack.pop()
        if isinstance(current, dict):
            items = cast("dict[str, object]", current).items()
            stack.extend(reversed([((*path, str(name)), inner) for name, inner in items]))
        elif isinstance(current, list | tuple):
            stack.extend(reversed([(path, each) for each in cast("list[object]", current)]))
        elif isinstance(current, str | int | float | None):
            yield Leaf(path=path, value=current)
        else:
            yield Leaf(path=path, value=str(current))


def names_in(value: object) -> Iterator[str]:
    """Every name in an object, at any depth; one that holds nothing as well."""
    stack: list[object] = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            for name, inner in cast("dict[str, object]", current).items():
                yield str(name)
                stack.append(inner)
        elif isinstance(current, list | tuple):
            stack.extend(cast("list[object]", current))


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
