"""Block Kit: validated by the JSON Schema in `blocks.yml`, and what the use of an element sends."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

from bot.sandbox.slack.wire import (
    ApiError,
    JsonArray,
    JsonObject,
    invalid_arguments,
    texts_in,
)

MAX_BLOCKS_TOTAL_CHARS = 13_200
MAX_MARKDOWN_TEXT = 12_000
MAX_TABLE_CHARS = 10_000
_SCHEMA = Path(__file__).with_name("blocks.yml")
_MAX_PROBLEM = 200
"""A problem ends with what is wrong; a long value before it is cut off."""
_VALUE_FIELDS: Mapping[str, str] = {
    "overflow": "selected_option",
    "static_select": "selected_option",
    "conversations_select": "selected_conversation",
    "plain_text_input": "value",
}
"""The field of a payload that holds an element's value."""
_INITIAL_FIELDS: Mapping[str, str] = {
    "static_select": "initial_option",
    "conversations_select": "initial_conversation",
    "plain_text_input": "initial_value",
}
"""The field of a form's element that holds its first value."""
_BUTTON_FIELDS = ("text", "value", "style", "url")


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with a sentence about each fault, or `msg_blocks_too_long`."""
    problems = list(_problems_of("message", {"blocks": blocks}, ""))
    if problems:
        raise ApiError("invalid_blocks", errors=problems)
    _check_chars(blocks, MAX_BLOCKS_TOTAL_CHARS)
    markdown = [block for block in blocks if block["type"] == "markdown"]
    _check_chars(markdown, MAX_MARKDOWN_TEXT)
    for block in blocks:
        if block["type"] in ("table", "data_table"):
            _check_chars(block, MAX_TABLE_CHARS)


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with a sentence about each fault; the kind is modal or home."""
    problems = list(_problems_of(kind, view, "/view"))
    if problems:
        raise invalid_arguments(*problems)


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
    library: Any = validators
    return library.extend(Draft202012Validator, keywords)(schemas[kind])


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


class UnfilledError(ValueError):
    """Slack's form holds back a submission: required inputs are empty."""

    def __init__(self, blocks: list[str]) -> None:
        super().__init__(f"to be filled: {', '.join(blocks)}")
        self.blocks = blocks


def elements_in(block: JsonObject) -> Iterator[JsonObject]:
    """The interactive elements of a block."""
    elements: JsonArray = block.get("elements", [])
    for element in (block.get("accessory"), block.get("element"), *elements):
        if element and "action_id" in element:
            yield element


def describe_action(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None, chosen: object
) -> JsonObject:
    """The entry of `actions` in a block_actions payload.

    Raises KeyError for an unknown element or choice.
    """
    for block in blocks:
        for element in elements_in(block):
            is_meant = block_id in (None, block["block_id"])
            if is_meant and element["action_id"] == action_id:
                return {
                    "type": element["type"],
                    "action_id": action_id,
                    "block_id": block["block_id"],
                    **_describe_use(element, chosen),
                }
    raise KeyError(action_id)


def _describe_use(element: JsonObject, chosen: object) -> JsonObject:
    if element["type"] == "button":
        return {name: element[name] for name in _BUTTON_FIELDS if name in element}
    if element["type"] == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            button = element[side]
            if button["value"] == chosen:
                return {"value": chosen, "text": button["text"]}
        raise KeyError(chosen)
    return _describe_value(element, chosen)


def _describe_value(element: JsonObject, chosen: object) -> JsonObject:
    """An element's value: a whole option where the element has options, the rest as given."""
    name = _VALUE_FIELDS[element["type"]]
    if name == "selected_option" and chosen is not None:
        options = {option["value"]: option for option in element["options"]}
        return {name: options[chosen]}
    return {name: chosen}


def collect_state(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values` of a submitted modal: the value of each input, by block and action id.

    `entered` is by action id; other inputs have their first values. Raises UnfilledError, and
    KeyError for an unknown option.
    """
    values: JsonObject = {}
    unfilled: list[str] = []
    for block in blocks:
        if block["type"] != "input":
            continue
        element = block["element"]
        kind = element["type"]
        action_id = element["action_id"]
        if action_id in entered:
            shown = _describe_value(element, entered[action_id])
        else:
            shown = {_VALUE_FIELDS[kind]: element.get(_INITIAL_FIELDS[kind])}
        if None in shown.values() and not block.get("optional"):
            unfilled.append(block["block_id"])
        values[block["block_id"]] = {action_id: {"type": kind, **shown}}
    if unfilled:
        raise UnfilledError(unfilled)
    return values
