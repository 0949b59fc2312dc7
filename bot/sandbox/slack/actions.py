"""Interactive elements in the hands of a person: finding one, and what its use looks like. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from bot.sandbox.slack.records import Post
from bot.sandbox.slack.wire import JsonObject, as_array, as_object

# Of each kind of element that has a value: the field in which it is told, and its first value.
_VALUES: Mapping[str, tuple[str, str]] = {
    "overflow": ("selected_option", ""),
    "static_select": ("selected_option", "initial_option"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "plain_text_input": ("value", "initial_value"),
}
_WITHOUT_STATE = ("button", "overflow", "feedback_buttons")


def blocks_of_post(post: Post) -> list[JsonObject]:
    """Its blocks."""
    return list(post.blocks)


def find_element(
    blocks: Iterable[JsonObject], action_id: str, block_id: str | None = None
) -> tuple[str, JsonObject]:
    """The block id and the element with this action id, in any block or a given one.

    Raises KeyError.
    """
    for block in blocks:
        for element in _elements_of(block):
            if element["action_id"] == action_id and block_id in (None, block.get("block_id")):
                return str(block.get("block_id")), element
    raise KeyError(action_id)


def _elements_of(block: JsonObject) -> Iterator[JsonObject]:
    places = (
        block.get("accessory"),
        block.get("element"),
        *(as_array(block.get("elements")) or ()),
    )
    for place in places:
        if (element := as_object(place)) is not None and element.get("action_id"):
            yield element


def describe_action(
    element: JsonObject, block_id: str, chosen: object, action_ts: str
) -> JsonObject:
    """The entry of `actions` in a block_actions payload. Raises KeyError for a wrong choice."""
    action = {"type": element["type"], "action_id": element["action_id"], "block_id": block_id}
    return action | _describe_use(element, chosen) | {"action_ts": action_ts}


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
    if name == "selected_option" and chosen is not None:
        return {name: {option["value"]: option for option in element["options"]}[chosen]}
    return {name: chosen}


def collect_values(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values`: what each menu and box shows, by block and action id.

    What was entered is given by action id. Raises KeyError for an option that is not there.
    """
    values: dict[str, JsonObject] = {}
    for block in blocks:
        for element in _elements_of(block):
            kind, action_id = str(element["type"]), str(element["action_id"])
            if kind not in _WITHOUT_STATE:
                shown = {"type": kind, **_shown_value(element, entered)}
                values.setdefault(str(block.get("block_id")), {})[action_id] = shown
    return dict(values)


def _shown_value(element: JsonObject, entered: Mapping[str, object]) -> JsonObject:
    if element["action_id"] in entered:
        return _describe_value(element, entered[element["action_id"]])
    name, initial = _VALUES[element["type"]]
    return {name: element.get(initial)}


def collect_state(blocks: Iterable[JsonObject], entered: Mapping[str, object]) -> JsonObject:
    """`state.values` of a modal that is submitted.

    Raises ValueError for an input that must be filled and was not, as Slack's form does.
    """
    blocks = list(blocks)
    values = collect_values(blocks, entered)
    for block in blocks:
        if block["type"] == "input" and not block.get("optional"):
            element: JsonObject = block["element"]
            name, _ = _VALUES[element["type"]]
            if values[str(block["block_id"])][element["action_id"]][name] is None:
                raise ValueError(f"the input {element['action_id']} must be filled")
    return values
