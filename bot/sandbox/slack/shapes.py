"""The few shapes of which Block Kit is made, each noting what is wrong with a value.

A problem is a sentence as Slack words it, with the JSON pointer of the faulty part.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.sandbox.slack.wire import JsonObject, as_array, as_object

Problems = list[str]


class Shape(Protocol):
    def check(self, value: object, at: str, problems: Problems) -> None:
        """Note what is wrong with the value that stands at this pointer."""
        ...


def fail(problems: Problems, at: str, message: str) -> None:
    """Note a problem."""
    problems.append(f"{message} [json-pointer:{at}]")


@dataclass(frozen=True, slots=True)
class String:
    maximum: int
    minimum: int = 1

    def check(self, value: object, at: str, problems: Problems) -> None:
        if not isinstance(value, str):
            fail(problems, at, "must be a string")
        elif len(value) > self.maximum:
            fail(problems, at, f"must be less than {self.maximum + 1} characters")
        elif len(value) < self.minimum:
            fail(problems, at, f"must be more than {self.minimum - 1} characters")


@dataclass(frozen=True, slots=True)
class Choice:
    values: tuple[str, ...]

    def check(self, value: object, at: str, problems: Problems) -> None:
        if value not in self.values:
            fail(problems, at, f"unsupported {at.rpartition('/')[2]}: {value}")


@dataclass(frozen=True, slots=True)
class Number:
    minimum: float = -math.inf
    maximum: float = math.inf

    def check(self, value: object, at: str, problems: Problems) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            fail(problems, at, "must be a number")
        elif not self.minimum <= value <= self.maximum:
            fail(problems, at, f"must be between {self.minimum} and {self.maximum}")


@dataclass(frozen=True, slots=True)
class Flag:
    def check(self, value: object, at: str, problems: Problems) -> None:
        if not isinstance(value, bool):
            fail(problems, at, "must be a boolean")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object. A `*` after a name: the field must be there; closed: no other may be."""

    shapes: Mapping[str, Shape]
    is_closed: bool = False
    any_of: tuple[str, ...] = ()
    """Fields of which one must be there."""

    def check(self, value: object, at: str, problems: Problems) -> None:
        fields = as_object(value)
        if fields is None:
            fail(problems, at, "must be an object")
            return
        if self.any_of and not any(fields.get(name) for name in self.any_of):
            fail(problems, at, f"missing required field: {self.any_of[0]}")
        for marked, shape in self.shapes.items():
            name = marked.removesuffix("*")
            if fields.get(name) is not None:
                shape.check(fields[name], f"{at}/{name}", problems)
            elif name != marked:
                fail(problems, at, f"missing required field: {name}")
        known = {name.removesuffix("*") for name in self.shapes}
        for name in fields.keys() - known if self.is_closed else ():
            fail(problems, at, f"invalid additional property: {name}")


@dataclass(frozen=True, slots=True)
class Kind:
    """An object whose `type` picks the row of a table by which it is checked."""

    rows: Mapping[str, Fields]

    def check(self, value: object, at: str, problems: Problems) -> None:
        kind = str((as_object(value) or {}).get("type"))
        if kind in self.rows:
            self.rows[kind].check(value, at, problems)
        else:
            fail(problems, f"{at}/type", f"unsupported type: {kind}")


@dataclass(frozen=True, slots=True)
class Items:
    """An array of values of one shape; `unique` names a field that may have no value twice."""

    of: Shape
    maximum: int
    minimum: int = 1
    unique: str = ""
    max_chars: int = 1_000_000

    def check(self, value: object, at: str, problems: Problems) -> None:
        items = as_array(value)
        if items is None:
            fail(problems, at, "must be an array")
            return
        if len(items) > self.maximum:
            fail(problems, at, f"no more than {self.maximum} items allowed")
        if len(items) < self.minimum:
            fail(problems, at, f"no fewer than {self.minimum} items allowed")
        if count_text(items) > self.max_chars:
            fail(problems, at, f"must be less than {self.max_chars + 1} characters")
        seen: set[str] = set()
        for index, item in enumerate(items):
            self.of.check(item, f"{at}/{index}", problems)
            name = str((as_object(item) or {}).get(self.unique) or "")
            if name in seen:
                fail(problems, f"{at}/{index}/{self.unique}", f"duplicate {self.unique}: {name}")
            seen |= {name} if name else set()


def count_text(value: object) -> int:
    """The characters of all texts in a payload, at any depth."""
    if (items := as_array(value)) is not None:
        return sum(count_text(item) for item in items)
    fields: JsonObject = as_object(value) or {}
    text = fields.get("text")
    own = len(text) if isinstance(text, str) else 0
    return own + sum(count_text(field) for field in fields.values())
