"""Validates Block Kit as Slack does before it shows anything: the JSON Schema in `blocks.yml`."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from bot.sandbox.slack import limits
from bot.sandbox.slack.text import texts_in
from bot.sandbox.slack.wire import ApiError, JsonArray, JsonObject

_SCHEMA = Path(__file__).with_name("blocks.yml")
_MAX_PROBLEM = 200
"""A problem ends with what is wrong; a long value before it is cut off."""


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with a sentence about each fault, or `msg_blocks_too_long`."""
    problems = list(_problems_of("message", {"blocks": blocks}, ""))
    if problems:
        raise ApiError("invalid_blocks", messages=problems, errors=problems)
    _check_chars(blocks, limits.MAX_BLOCKS_TOTAL_CHARS)
    markdown = [block for block in blocks if block["type"] == "markdown"]
    _check_chars(markdown, limits.MAX_MARKDOWN_TEXT)
    for block in blocks:
        if block["type"] in ("table", "data_table"):
            _check_chars(block, limits.MAX_TABLE_CHARS)


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with a sentence about each fault; the kind is modal or home."""
    problems = list(_problems_of(kind, view, "/view"))
    if problems:
        raise ApiError("invalid_arguments", messages=problems)


def _check_chars(value: object, most: int) -> None:
    """All texts of the value together have a limit."""
    chars = sum(len(text) for text in texts_in(value))
    if chars > most:
        raise ApiError("msg_blocks_too_long")


def _problems_of(kind: str, value: JsonObject, at: str) -> Iterator[str]:
    for error in _validator(kind).iter_errors(value):
        pointer = "".join(f"/{step}" for step in error.absolute_path)
        yield f"{error.message[-_MAX_PROBLEM:]} [json-pointer:{at}{pointer}]"


@cache
def _validator(kind: str) -> Any:
    """The validator of a message, a modal or a home; jsonschema has no useful types for it."""
    schemas = yaml.load(_SCHEMA.read_bytes(), yaml.CSafeLoader)
    keywords = {"byType": _check_by_type, "uniqueBy": _check_unique}
    validator: Any = extend(Draft202012Validator, keywords)
    return validator(schemas[kind])


def _check_by_type(
    validator: Any, schemas: JsonObject, item: JsonObject, _schema: object
) -> Iterator[ValidationError]:
    kind = item.get("type")
    if kind in schemas:
        yield from validator.descend(item, schemas[kind])
    else:
        yield ValidationError(f"unsupported type: {kind}")


def _check_unique(
    _validator: object, field: str, items: JsonArray, _schema: object
) -> Iterator[ValidationError]:
    values = [item[field] for item in items if field in item]
    if len(values) > len(set(values)):
        yield ValidationError(f"duplicate {field}")
