"""JSON as it travels: the type aliases and the few narrowing functions that the stand-in uses."""

from collections.abc import Mapping
from typing import Any, cast

JsonObject = dict[str, Any]
JsonArray = list[Any]


def as_object(value: object) -> JsonObject | None:
    """The value as a JSON object, or None when it is something else."""
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_array(value: object) -> JsonArray | None:
    """The value as a JSON array, or None when it is something else."""
    return cast("JsonArray", value) if isinstance(value, list) else None


def without_none(fields: Mapping[str, Any]) -> JsonObject:
    """A copy without the fields whose value is None, as Slack leaves out what is not set."""
    return {name: value for name, value in fields.items() if value is not None}
