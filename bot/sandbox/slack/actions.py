"""Interactive elements in the hands of a person: finding one, and what its use looks like. Pure."""

from collections.abc import Iterable, Mapping

from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object

_CHOSEN_FIELDS: Mapping[str, str] = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "rich_text_input": "rich_text_value",
    "file_input": "files",
}
_ONE_OPTION = ("overflow", "static_select", "external_select", "radio_buttons")
_MANY_OPTIONS = ("multi_static_select", "multi_external_select", "checkboxes")


def find_element(blocks: Iterable[JsonObject], action_id: str) -> tuple[str, JsonObject]:
    """The block id and the element with this action id. Raises KeyError."""
    for block in blocks:
        if (element := _find_in(block, action_id)) is not None:
            return str(block.get("block_id")), element
    raise KeyError(action_id)


def _find_in(value: object, action_id: str) -> JsonObject | None:
    if (fields := as_object(value)) is not None:
        if fields.get("action_id") == action_id:
            return fields
        value = list(fields.values())
    for item in as_array(value) or ():
        if (found := _find_in(item, action_id)) is not None:
            return found
    return None


def describe_action(
    element: JsonObject, block_id: str, chosen: object, action_ts: str
) -> JsonObject:
    """The entry of `actions` in a block_actions payload."""
    kind = element["type"]
    action: JsonObject = {"type": kind, "action_id": element["action_id"], "block_id": block_id}
    if kind in ("button", "icon_button", "workflow_button"):
        action |= {name: element[name] for name in ("text", "value", "style") if name in element}
    elif kind == "feedback_buttons":
        action |= _chosen_feedback(element, chosen)
    else:
        action |= describe_value(element, chosen)
    return action | {"action_ts": action_ts}


def describe_value(element: JsonObject, chosen: object) -> JsonObject:
    """An element's value as in `state.values`: options by their `value`, the rest as given."""
    kind = element["type"]
    if kind in _ONE_OPTION:
        return {"selected_option": None if chosen is None else _find_option(element, chosen)}
    if kind in _MANY_OPTIONS:
        values = as_array(chosen) or []
        return {"selected_options": [_find_option(element, value) for value in values]}
    return {_CHOSEN_FIELDS.get(kind, "value"): chosen}


def _find_option(element: JsonObject, chosen: object) -> JsonObject:
    groups: JsonArray = element.get("option_groups") or [element]
    for group in groups:
        for option in group.get("options") or ():
            if option.get("value") == chosen:
                return option
    if "external" in element["type"]:
        return {"text": {"type": "plain_text", "text": str(chosen)}, "value": chosen}
    raise KeyError(chosen)


def _chosen_feedback(element: JsonObject, chosen: object) -> JsonObject:
    for name in ("positive_button", "negative_button"):
        if element[name]["value"] == chosen:
            return {"value": chosen, "text": element[name]["text"]}
    raise KeyError(chosen)


def collect_state(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values` of a modal from what was entered by action id.

    Raises ValueError for an input that must be filled and was not, as Slack's form does.
    """
    values: dict[str, JsonObject] = {}
    for block in blocks:
        if block["type"] != "input":
            continue
        element: JsonObject = block["element"]
        chosen = entered.get(element["action_id"], element.get("initial_value"))
        if chosen is None and not block.get("optional"):
            raise ValueError(f"the input {element['action_id']} must be filled")
        value = {"type": element["type"], **describe_value(element, chosen)}
        values[str(block["block_id"])] = {element["action_id"]: value}
    return dict(values)
