"""Interactive elements in the hands of a person: finding one, and what its use looks like. Pure."""

from collections.abc import Iterable, Mapping

from bot.sandbox.slack.records import Post
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
_STATELESS = ("button", "icon_button", "workflow_button", "overflow", "feedback_buttons", "image")
_INITIAL_FIELDS: Mapping[str, str] = {
    "selected_option": "initial_option",
    "selected_options": "initial_options",
    **{field: field.replace("selected", "initial", 1) for field in _CHOSEN_FIELDS.values()},
}
_MANY_OPTIONS = ("multi_static_select", "multi_external_select", "checkboxes")


def blocks_of_post(post: Post) -> list[JsonObject]:
    """Its blocks, and those of its attachments."""
    blocks = list(post.blocks)
    for attachment in post.attachments:
        blocks += [block for block in as_array(attachment.get("blocks")) or () if as_object(block)]
    return blocks


def find_element(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None = None
) -> tuple[str, JsonObject]:
    """The block id and the element with this action id, in any block or a given one.

    Raises KeyError.
    """
    for block in blocks:
        if block_id and block.get("block_id") != block_id:
            continue
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
        told = ("text", "value", "style", "url")
        action |= {name: element[name] for name in told if name in element}
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
        for option in _initial_options(element):
            if option.get("value") == chosen:
                return option
        return {"text": {"type": "plain_text", "text": str(chosen)}, "value": chosen}
    raise KeyError(chosen)


def _initial_options(element: JsonObject) -> list[JsonObject]:
    listed = [element.get("initial_option"), *(as_array(element.get("initial_options")) or ())]
    return [option for item in listed if (option := as_object(item)) is not None]


def _chosen_feedback(element: JsonObject, chosen: object) -> JsonObject:
    for name in ("positive_button", "negative_button"):
        if element[name]["value"] == chosen:
            return {"value": chosen, "text": element[name]["text"]}
    raise KeyError(chosen)


def collect_values(blocks: Iterable[JsonObject], chosen: Mapping[str, object]) -> JsonObject:
    """`state.values` of a post: what each menu and box shows, by block and action id."""
    values: dict[str, JsonObject] = {}
    for block in blocks:
        for element in _elements_of(block):
            kind, action_id = str(element.get("type")), element.get("action_id")
            if action_id is None or kind in _STATELESS:
                continue
            shown = {"type": kind, **_shown_value(element, chosen)}
            values.setdefault(str(block.get("block_id")), {})[str(action_id)] = shown
    return dict(values)


def _shown_value(element: JsonObject, chosen: Mapping[str, object]) -> JsonObject:
    if element["action_id"] in chosen:
        return describe_value(element, chosen[element["action_id"]])
    name = next(iter(describe_value(element, None)))
    return {name: element.get(_INITIAL_FIELDS.get(name, "initial_value"))}


def _elements_of(block: JsonObject) -> list[JsonObject]:
    single = [as_object(block.get(name)) for name in ("accessory", "element")]
    listed = [as_object(element) for element in as_array(block.get("elements")) or ()]
    return [element for element in (*single, *listed) if element is not None]


def find_response_places(blocks: Iterable[JsonObject], values: JsonObject) -> list[JsonObject]:
    """The channels chosen in inputs that ask for a response URL."""
    places: list[JsonObject] = []
    for block in blocks:
        element = as_object(block.get("element")) or {}
        if not element.get("response_url_enabled"):
            continue
        place = {"block_id": block["block_id"], "action_id": element["action_id"]}
        value: JsonObject = values[place["block_id"]][place["action_id"]]
        channel = value.get("selected_conversation") or value.get("selected_channel")
        places += [{**place, "channel_id": channel}] if channel else []
    return places


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
