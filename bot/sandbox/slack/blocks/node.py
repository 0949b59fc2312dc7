"""One JSON object under examination, and the problems found, worded as Slack words them."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from bot.sandbox.slack.problems import Problem, rule
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object

MESSAGE, MODAL, HOME = "message", "modal", "home"


@dataclass(frozen=True, slots=True)
class Node:
    """An object with its JSON pointer. All nodes of one check share the list of problems."""

    value: JsonObject
    pointer: str
    problems: list[Problem]
    surface: str = MESSAGE
    """Where the object is to be shown."""

    @property
    def type(self) -> str:
        return str(self.value.get("type"))

    def fail(
        self,
        message: str,
        name: str = "",
        *,
        code: str = "failed_constraint",
        constraint: JsonObject | None = None,
    ) -> None:
        """Note a problem of the object, or of one of its fields."""
        at = f"{self.pointer}/{name}" if name else self.pointer
        problem = Problem(message=message, pointer=at, code=code, constraint=constraint)
        self.problems.append(problem)

    def has(self, name: str, *, required: bool = False) -> bool:
        """Whether the field is there; a missing required one is a problem."""
        is_there = self.value.get(name) is not None
        if required and not is_there:
            constraint = rule("required", name, None)
            self.fail(f"missing required field: {name}", constraint=constraint)
        return is_there

    def check_string(
        self, name: str, maximum: int, *, minimum: int = 1, required: bool = False
    ) -> None:
        """The field is a string within its length."""
        if not self.has(name, required=required):
            return
        value = self.value[name]
        if not isinstance(value, str):
            self.fail("must be a string", name, constraint=rule("type", "string", _kind(value)))
        elif len(value) > maximum:
            constraint = rule("max_length", maximum, len(value))
            self.fail(f"must be less than {maximum + 1} characters", name, constraint=constraint)
        elif len(value) < minimum:
            constraint = rule("min_length", minimum, len(value))
            self.fail(f"must be more than {minimum - 1} characters", name, constraint=constraint)

    def check_pattern(self, name: str, pattern: str) -> None:
        """The field, if it is there, is a string of this form."""
        if self.has(name) and not re.fullmatch(pattern, str(self.value[name])):
            constraint = rule("pattern", pattern, self.value[name])
            self.fail("must match the expected format", name, constraint=constraint)

    def check_whole(self, name: str, minimum: int, maximum: int, *, required: bool = False) -> None:
        """The field is a whole number within its bounds."""
        if not self.has(name, required=required):
            return
        value = self.value[name]
        if isinstance(value, bool) or not isinstance(value, int):
            self.fail("must be an integer", name, constraint=rule("type", "integer", _kind(value)))
        elif not minimum <= value <= maximum:
            constraint = rule("range", [minimum, maximum], value)
            self.fail(f"must be between {minimum} and {maximum}", name, constraint=constraint)

    def check_flag(self, name: str, *, required: bool = False) -> None:
        """The field is true or false."""
        if self.has(name, required=required) and not isinstance(self.value[name], bool):
            constraint = rule("type", "boolean", _kind(self.value[name]))
            self.fail("must be a boolean", name, constraint=constraint)

    def check_choice(self, name: str, allowed: Collection[str], *, required: bool = False) -> None:
        """The field has one of the allowed values."""
        if self.has(name, required=required) and self.value[name] not in allowed:
            constraint = rule("enum", list(allowed), self.value[name])
            self.fail(f"unsupported {name}: {self.value[name]}", name, constraint=constraint)

    def check_keys(self, allowed: Collection[str]) -> None:
        """No key but the allowed ones: Slack refuses the whole message for a single one."""
        for key in self.value:
            if key not in allowed:
                constraint = rule("additional_property", list(allowed), key)
                self.fail(f"invalid additional property: {key}", constraint=constraint)

    def child(self, name: str, *, required: bool = False) -> "Node | None":
        """The object in a field."""
        if not self.has(name, required=required):
            return None
        return self._wrap(name, self.value[name])

    def items(
        self, name: str, *, maximum: int, minimum: int = 1, required: bool = True
    ) -> JsonArray:
        """The values in an array field, its length checked."""
        if not self.has(name, required=required):
            return []
        items = as_array(self.value[name])
        if items is None:
            constraint = rule("type", "array", _kind(self.value[name]))
            self.fail("must be an array", name, constraint=constraint)
            return []
        if len(items) > maximum:
            constraint = rule("max_items", maximum, len(items))
            self.fail(f"no more than {maximum} items allowed", name, constraint=constraint)
        if len(items) < minimum:
            constraint = rule("min_items", minimum, len(items))
            self.fail(f"no fewer than {minimum} items allowed", name, constraint=constraint)
        return items

    def children(
        self, name: str, *, maximum: int, minimum: int = 1, required: bool = True
    ) -> "list[Node]":
        """The objects in an array field, its length checked."""
        items = self.items(name, maximum=maximum, minimum=minimum, required=required)
        nodes = (self._wrap(f"{name}/{index}", item) for index, item in enumerate(items))
        return [node for node in nodes if node is not None]

    def _wrap(self, name: str, value: object) -> "Node | None":
        if (fields := as_object(value)) is None:
            constraint = rule("type", "object", _kind(value))
            self.fail("must be an object", name, constraint=constraint)
            return None
        return replace(self, value=fields, pointer=f"{self.pointer}/{name}")


def _kind(value: object) -> str:
    return type(value).__name__
