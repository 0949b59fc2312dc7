"""Interactive elements in the hands of a person: what their use looks like to the app. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from bot.sandbox.slack.wire import JsonObject, as_array, as_object

# Of each kind of element that has a value: the field in which it is told, and its first value.
_VALUES: Mapping[str, tuple[str, str]] = {
    "overflow": ("selected_option", ""),
    "static_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "checkboxes": ("selected_options", "initial_options"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "plain_text_input": ("value", "initial_value"),
}
_WITHOUT_STATE = ("button", "overflow", "feedback_buttons")


class UnfilledError(ValueError):
    """Inputs of a form must be filled and were not, which Slack's form does not let pass."""

    def __init__(self, blocks: list[str]) -> None:
        super().__init__(f"to be filled: {', '.join(blocks)}")
        self.blocks = blocks


def _elements_of(blocks: Iterable[JsonObject]) -> Iterator[tuple[str, JsonObject]]:
    """What can be used in the blocks, with the ids of its blocks."""
    for block in blocks:
        elements = as_array(block.get("elements")) or ()
        for place in (block.get("accessory"), block.get("element"), *elements):
            if (element := as_object(place)) is not None and element.get("action_id"):
                yield str(block.get("block_id")), element


def describe_action(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None, chosen: object
) -> JsonObject:
    """The entry of `actions` in a block_actions payload.

    Raises KeyError for an element or a choice that is not there.
    """
    for place, element in _elements_of(blocks):
        if element["action_id"] == action_id and block_id in (None, place):
            action = {"type": element["type"], "action_id": action_id, "block_id": place}
            return action | _describe_use(element, chosen)
    raise KeyError(action_id)


def _describe_use(element: JsonObject, chosen: object) -> JsonObject:
    match element["type"]:
        case "button":
            told = ("text", "value", "style", "url")
            return {name: element[name] for name in told if name in element}
        case "feedback_buttons":
            buttons = (element["positive_button"], element["negative_button"])
            text = {button["value"]: button["text"] for button in buttons}[chosen]
            return {"value": chosen, "text": text}
        case _:
            return _describe_value(element, chosen)


def _describe_value(element: JsonObject, chosen: object) -> JsonObject:
    """An element's value as in `state.values`: options by their `value`, the rest as given."""
    name, _ = _VALUES[element["type"]]
    options = {option["value"]: option for option in element.get("options", ())}
    if name == "selected_options":
        return {name: [options[value] for value in as_array(chosen) or ()]}
    return {name: options[chosen] if name == "selected_option" and chosen is not None else chosen}


def collect_values(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values`: what each menu and box shows, by block and action id.

    What was entered is given by action id. Raises KeyError for an option that is not there.
    """
    values: dict[str, JsonObject] = {}
    for block_id, element in _elements_of(blocks):
        kind, action_id = str(element["type"]), str(element["action_id"])
        if kind in _WITHOUT_STATE:
            continue
        name, initial = _VALUES[kind]
        shown = {name: element.get(initial)}
        if action_id in entered:
            shown = _describe_value(element, entered[action_id])
        values.setdefault(block_id, {})[action_id] = {"type": kind, **shown}
    return dict(values)


def collect_state(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values` of a modal that is submitted. Raises UnfilledError and KeyError."""
    blocks = list(blocks)
    values = collect_values(blocks, entered)
    required = [b for b in blocks if b["type"] == "input" and not b.get("optional")]
    if unfilled := [b["block_id"] for b in required if not _is_filled(values[b["block_id"]])]:
        raise UnfilledError(unfilled)
    return values


def _is_filled(shown: Mapping[str, JsonObject]) -> bool:
    return not any(value in (None, []) for fields in shown.values() for value in fields.values())
