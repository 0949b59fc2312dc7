"""Arguments are checked against a tool's schema, and faults are told so that a model can mend."""

import pytest

from agent_core.messages import JsonObject
from agent_core.tools import fault_of_arguments, fault_of_schema, schema_for_model

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "urls": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "mode": {"enum": ["fast", "slow"]},
        "page": {"type": "object", "properties": {"size": {"type": "integer"}}},
    },
    "required": ["urls"],
}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, ["urls", "required"]),
        ({"urls": "one"}, ["`urls`", "array"]),
        ({"urls": ["a", 7]}, ["`urls[1]`", "string"]),
        ({"urls": [], "mode": "medium"}, ["`mode`", "fast", "slow"]),
        ({"urls": [], "page": {"size": "big"}}, ["`page.size`", "integer"]),
    ],
)
def test_a_fault_names_the_field_and_what_it_wants(arguments: JsonObject, words: list[str]) -> None:
    fault = fault_of_arguments(arguments, SCHEMA)
    assert all(word in fault for word in words), fault


def test_arguments_that_fit_have_no_fault_and_further_ones_are_left_alone() -> None:
    assert fault_of_arguments({"urls": ["a"], "other": 1}, SCHEMA) == ""


def test_a_fault_is_short_however_long_the_wrong_value() -> None:
    fault = fault_of_arguments({"urls": "x" * 100_000}, SCHEMA)
    assert "`urls`" in fault
    assert len(fault) < 400


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$ref": "http://elsewhere.test/schema.json"},
        {"properties": {"a": {"pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_used_finds_no_fault(schema: JsonObject) -> None:
    assert fault_of_arguments({"a": "x"}, schema) == ""


def test_a_schema_that_providers_refuse_is_told() -> None:
    assert "invalid" in fault_of_schema({"type": "object", "required": "a"})
    assert "$filter" in fault_of_schema({"type": "object", "properties": {"$filter": {}}})
    assert fault_of_schema(SCHEMA) == ""
    deep = SCHEMA
    for _ in range(90):
        deep = {"type": "object", "properties": {"a": deep}}
    assert "too deeply" in fault_of_schema(deep)


def test_the_model_is_shown_an_object_schema_without_alternatives_at_its_top() -> None:
    alternatives: JsonObject = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert schema_for_model(alternatives) == {"type": "object", "properties": {}}
    assert schema_for_model(SCHEMA) == SCHEMA
    assert fault_of_arguments({}, alternatives)
    assert not fault_of_arguments({"b": 1}, alternatives)
