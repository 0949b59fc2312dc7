"""The few shapes of which an app manifest is made. Objects are closed: no unknown key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.sandbox.slack.problems import Problem, rule
from bot.sandbox.slack.wire import as_array, as_object


class Shape(Protocol):
    """Notes what is wrong with a value, under its JSON pointer."""

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A string within its length, of a form or from a set where these are given."""

    maximum: int | None = None
    minimum: int = 0
    pattern: str = ""
    choices: tuple[str, ...] = ()

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        if not isinstance(value, str):
            problems.append(_wrong("must be a string", pointer, "type", "string", value))
        elif self.maximum is not None and len(value) > self.maximum:
            message = f"must be at most {self.maximum} characters"
            problems.append(_wrong(message, pointer, "max_length", self.maximum, len(value)))
        elif len(value) < self.minimum:
            message = f"must be at least {self.minimum} characters"
            problems.append(_wrong(message, pointer, "min_length", self.minimum, len(value)))
        elif self.pattern and not re.search(self.pattern, value):
            message = "must match the expected format"
            problems.append(_wrong(message, pointer, "pattern", self.pattern, value))
        elif self.choices and value not in self.choices:
            message = f"must be one of {', '.join(self.choices)}"
            problems.append(_wrong(message, pointer, "enum", list(self.choices), value))


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        if not isinstance(value, bool):
            problems.append(_wrong("must be a boolean", pointer, "type", "boolean", value))


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number."""

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            problems.append(_wrong("must be an integer", pointer, "type", "integer", value))


@dataclass(frozen=True, slots=True)
class Anything:
    """A part that is not looked into."""

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        return


@dataclass(frozen=True, slots=True)
class Items:
    """An array of values of one shape."""

    of: Shape
    maximum: int | None = None
    minimum: int = 0
    is_unique: bool = False

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        items = as_array(value)
        if items is None:
            problems.append(_wrong("must be an array", pointer, "type", "array", value))
            return
        count = len(items)
        if self.maximum is not None and count > self.maximum:
            message = f"must have at most {self.maximum} items"
            problems.append(_wrong(message, pointer, "max_items", self.maximum, count))
        if count < self.minimum:
            message = f"must have at least {self.minimum} items"
            problems.append(_wrong(message, pointer, "min_items", self.minimum, count))
        if self.is_unique and len({repr(item) for item in items}) < count:
            problems.append(_wrong("must have no item twice", pointer, "unique_items", True, False))
        for index, item in enumerate(items):
            self.of.check(item, f"{pointer}/{index}", problems)


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with these keys and no others."""

    fields: Mapping[str, Shape]
    required: tuple[str, ...] = ()

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        given = as_object(value)
        if given is None:
            problems.append(_wrong("must be an object", pointer, "type", "object", value))
            return
        for name in self.required:
            if name not in given:
                message = f"missing required field: {name}"
                problems.append(_wrong(message, pointer, "required", name, None))
        for name, part in given.items():
            shape = self.fields.get(name)
            if shape is not None:
                shape.check(part, f"{pointer}/{name}", problems)
                continue
            message = f"invalid additional property: {name}"
            known = sorted(self.fields)
            problems.append(_wrong(message, pointer, "additional_property", known, name))


@dataclass(frozen=True, slots=True)
class Named:
    """An object whose keys are names and whose values have one shape."""

    of: Shape
    maximum: int

    def check(self, value: object, pointer: str, problems: list[Problem]) -> None:
        given = as_object(value)
        if given is None:
            problems.append(_wrong("must be an object", pointer, "type", "object", value))
            return
        if len(given) > self.maximum:
            message = f"must have at most {self.maximum} entries"
            problems.append(_wrong(message, pointer, "max_properties", self.maximum, len(given)))
        for name, part in given.items():
            self.of.check(part, f"{pointer}/{name}", problems)


def _wrong(message: str, pointer: str, kind: str, expected: object, got: object) -> Problem:
    return Problem(message=message, pointer=pointer, constraint=rule(kind, expected, got))
