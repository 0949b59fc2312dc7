"""What the use of an interactive element looks like in Slack's payloads. Pure."""

from collections.abc import Iterable, Mapping

from bot.sandbox.slack.wire import JsonObject, as_array, as_object

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


class UnfilledError(ValueError):
    """Slack's form holds back a submission: required inputs are empty."""

    def __init__(self, blocks: list[str]) -> None:
        super().__init__(f"to be filled: {', '.join(blocks)}")
        self.blocks = blocks


def describe_action(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None, chosen: object
) -> JsonObject:
    """The entry of `actions` in a block_actions payload.

    Raises KeyError for an unknown element or choice.
    """
    for block in blocks:
        own_block_id = block.get("block_id")
        if block_id not in (None, own_block_id):
            continue
        elements = as_array(block.get("elements")) or []
        for value in (block.get("accessory"), block.get("element"), *elements):
            element = as_object(value) or {}
            if element.get("action_id") != action_id:
                continue
            return {
                "type": element["type"],
                "action_id": action_id,
                "block_id": own_block_id,
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
