"""One JSON object under examination, and the problems found, worded as Slack words them."""

from collections.abc import Collection
from dataclasses import dataclass

from bot.sandbox.slack.wire import JsonObject, as_array, as_object


@dataclass(frozen=True, slots=True)
class Node:
    """An object with its JSON pointer. All nodes of one check share the list of problems."""

    value: JsonObject
    pointer: str
    problems: list[str]

    @property
    def type(self) -> str:
        return str(self.value.get("type"))

    def fail(self, message: str, name: str = "") -> None:
        at = f"{self.pointer}/{name}" if name else self.pointer
        self.problems.append(f"{message} [json-pointer:{at}]")

    def has(self, name: str, *, required: bool = False) -> bool:
        """Whether the field is there; a missing required one is a problem."""
        is_there = self.value.get(name) is not None
        if required and not is_there:
            self.fail(f"missing required field: {name}")
        return is_there

    def check_string(
        self, name: str, maximum: int, *, minimum: int = 1, required: bool = False
    ) -> None:
        """The field is a string within its length."""
        if not self.has(name, required=required):
            return
        value = self.value[name]
        if not isinstance(value, str):
            self.fail("must be a string", name)
        elif len(value) > maximum:
            self.fail(f"must be less than {maximum + 1} characters", name)
        elif len(value) < minimum:
            self.fail(f"must be more than {minimum - 1} characters", name)

    def check_choice(self, name: str, allowed: Collection[str], *, required: bool = False) -> None:
        if self.has(name, required=required) and self.value[name] not in allowed:
            self.fail(f"unsupported {name}: {self.value[name]}", name)

    def check_keys(self, allowed: Collection[str]) -> None:
        """No key but the allowed ones: Slack refuses the whole message for a single one."""
        for key in self.value:
            if key not in allowed:
                self.fail(f"invalid additional property: {key}")

    def child(self, name: str, *, required: bool = False) -> "Node | None":
        """The object in a field."""
        if not self.has(name, required=required):
            return None
        value = as_object(self.value[name])
        if value is None:
            self.fail("must be an object", name)
            return None
        return Node(value, f"{self.pointer}/{name}", self.problems)

    def children(
        self, name: str, *, maximum: int, minimum: int = 1, required: bool = True
    ) -> "list[Node]":
        """The objects in an array field, its length checked."""
        if not self.has(name, required=required):
            return []
        items = as_array(self.value[name])
        if items is None:
            self.fail("must be an array", name)
            return []
        if len(items) > maximum:
            self.fail(f"no more than {maximum} items allowed", name)
        if len(items) < minimum:
            self.fail(f"no fewer than {minimum} items allowed", name)
        return self._wrap(name, items)

    def _wrap(self, name: str, items: list[object]) -> "list[Node]":
        nodes: list[Node] = []
        for index, item in enumerate(items):
            pointer = f"{self.pointer}/{name}/{index}"
            if (value := as_object(item)) is None:
                self.problems.append(f"must be an object [json-pointer:{pointer}]")
            else:
                nodes.append(Node(value, pointer, self.problems))
        return nodes
