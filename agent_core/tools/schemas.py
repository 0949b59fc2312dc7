"""JSON Schemas of tools: whether a provider takes one, and whether arguments fit."""

import json
import re
from typing import Any, cast

from cachetools import LRUCache, cached
from jsonschema import Draft202012Validator
from jsonschema import exceptions as jsonschema_exceptions
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object, is_nested_too_deeply

_PROPERTY_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINATORS = ("oneOf", "anyOf", "allOf")
_MAX_REASON_CHARS = 300
_MAX_SCHEMA_CHARS = 100_000
_MAX_DEPTH = 40
"""Values in values; what reads a schema calls itself for each."""


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
    shown = {key: value for key, value in schema.items() if key not in _COMBINATORS}
    return {"type": "object", "properties": dict[str, Any]()} | shown


def fault_of_arguments(arguments: JsonObject, schema: JsonObject) -> str:
    """What is wrong with the arguments, naming the field and what it wants; "" if nothing is.

    A schema that cannot be used for checking finds no fault. A schema is read once: it MUST NOT be
    changed afterwards.
    """
    validator, _ = _validator(schema)
    if validator is None:
        return ""
    try:
        error = cast(
            "ValidationError | None",
            jsonschema_exceptions.best_match(  # pyright: ignore[reportUnknownMemberType]
                validator.iter_errors(arguments)
            ),
        )
    except (Unresolvable, RecursionError, re.error):
        return ""
    return "" if error is None else _in_words(error)


@cached(LRUCache[int, "tuple[Validator | None, JsonObject]"](1_024), key=id)
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
    return kind(schema, registry=Registry()), schema


def _in_words(error: ValidationError) -> str:
    field = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    where = f"`{field.lstrip('.')}`: " if field else ""
    if len(error.message) <= _MAX_REASON_CHARS:
        return f"{where}{error.message}"
    # The library repeats the whole wrong value; the model knows it.
    return where + f"does not fit {error.validator} {error.validator_value!r}"[:_MAX_REASON_CHARS]
