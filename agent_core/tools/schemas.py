"""JSON Schemas of tools: whether a provider takes one, and whether arguments fit."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Any, cast

from cachetools import LRUCache, cached
from jsonschema import Draft202012Validator
from jsonschema import exceptions as jsonschema_exceptions
from jsonschema import validators as jsonschema_validators
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry as Schemas
from referencing.exceptions import Unresolvable

from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object, is_nested_too_deeply

_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINATORS = ("oneOf", "anyOf", "allOf")
_MAX_REASON_CHARS = 300
_MAX_SCHEMA_CHARS = 100_000
_MAX_DEPTH = 40
"""Values in values; what reads a schema calls itself for each."""
_MAX_CHECKS = 20_000
"""Of one call's arguments: a schema whose parts refer to each other can ask for any number."""
_QUICK_CHECKS = 300
"""So many take less time than a hop to a thread and back costs other turns."""
_QUICK_CHARS = 20_000
_MAX_UNIQUE = 200
_UNCHECKED = ("pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties")
"""Regular expressions of others can take for ever, and these compare with what they match. The
model is told of them; who wrote them checks them."""


def fault_of_schema(schema: JsonObject) -> str:
    """Why a provider would refuse this schema and the request with it; "" if it would not."""
    if is_nested_too_deeply(schema, _MAX_DEPTH):
        return "its input schema is nested too deeply"
    try:
        if len(json.dumps(schema, allow_nan=False)) > _MAX_SCHEMA_CHARS:
            return "its input schema is too long"
    except ValueError:
        return "its input schema holds a number that JSON does not have"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"its input schema is invalid: {error.message[:_MAX_REASON_CHARS]}"
    for name in as_object(schema.get("properties")):
        if not _PROPERTY_NAME.fullmatch(name):
            return f"the model's API does not take the parameter name {name[:64]!r}"
    return ""


def schema_for_model(schema: JsonObject) -> JsonObject:
    """The schema less what providers refuse at its top; calls are checked against the whole."""
    fields = {key: value for key, value in schema.items() if key not in _COMBINATORS}
    return {"type": "object", "properties": dict[str, Any]()} | fields


async def fault_beside_loop(arguments: JsonObject, schema: JsonObject) -> str:
    """As `fault_of_arguments`, for a foreign schema; in a thread where it may hold the loop."""
    is_known = id(schema) in _VALIDATORS
    if is_known and len(str(arguments)) <= _QUICK_CHARS:
        try:
            return _fault(arguments, schema, _QUICK_CHECKS)
        except _TooMuch:
            pass
    return await asyncio.to_thread(fault_of_arguments, arguments, schema)


def fault_of_arguments(arguments: JsonObject, schema: JsonObject) -> str:
    """The fault of the arguments, naming the field and what it wants; "" without one.

    A schema that cannot be used for checking, or asks for too much of it, finds no fault: the
    server looks for itself. A schema is read once: it MUST NOT be changed afterwards.
    """
    try:
        return _fault(arguments, schema, _MAX_CHECKS)
    except _TooMuch:
        return ""


def _fault(arguments: JsonObject, schema: JsonObject, max_checks: int) -> str:
    validator, _ = _validator(schema)
    if validator is None:
        return ""
    _checks_left.set(max_checks)
    try:
        error = cast(
            "ValidationError | None",
            jsonschema_exceptions.best_match(  # pyright: ignore[reportUnknownMemberType]
                validator.iter_errors(arguments)
            ),
        )
    except (Unresolvable, RecursionError):
        return ""
    return "" if error is None else _in_words(error)


_VALIDATORS: LRUCache[int, tuple[Validator | None, JsonObject]] = LRUCache(1_024)


@cached(_VALIDATORS, key=id)
def _validator(schema: JsonObject) -> tuple[Validator | None, JsonObject]:
    """Checking a schema costs far more than checking arguments against it.

    The schema is kept beside it: as long as it lives no other one has its id.
    """
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError:
        return None, schema
    # An empty registry: a reference to elsewhere is never fetched.
    return _bounded(kind)(schema, registry=Schemas()), schema


_KeywordCheck = Callable[[Validator, Any, Any, JsonObject], "Iterator[ValidationError] | None"]
_checks_left: ContextVar[int] = ContextVar("checks_left", default=_MAX_CHECKS)


class _TooMuch(Exception):
    """Checking takes more work than arguments are worth."""


@cache
def _bounded(kind: type[Validator]) -> type[Validator]:
    """The same draft without foreign regular expressions, and with a bound on its work."""
    given = cast("dict[str, _KeywordCheck]", kind.VALIDATORS)
    checks = {name: _counted(name, check) for name, check in given.items()}
    return cast("type[Validator]", jsonschema_validators.extend(kind, checks))  # pyright: ignore[reportUnknownMemberType]


def _counted(name: str, check: _KeywordCheck) -> _KeywordCheck:
    def counted(
        validator: Validator,
        value: Any,
        instance: Any,
        schema: JsonObject,
    ) -> Iterator[ValidationError] | None:
        left = _checks_left.get()
        if left <= 0:
            raise _TooMuch
        _checks_left.set(left - 1)
        if name in _UNCHECKED or (name == "additionalProperties" and "patternProperties" in schema):
            return None
        if name == "uniqueItems" and len(instance) > _MAX_UNIQUE:
            return None
        return check(
            validator,
            value,
            instance,
            schema,
        )

    return counted


def _in_words(error: ValidationError) -> str:
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    field = f"`{path.lstrip('.')}`: " if path else ""
    if len(error.message) <= _MAX_REASON_CHARS:
        return f"{field}{error.message}"
    # The library repeats the whole wrong value; the model knows it.
    return field + f"does not fit {error.validator} {error.validator_value!r}"[:_MAX_REASON_CHARS]
