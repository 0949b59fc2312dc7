"""Block elements: buttons, menus, boxes, inputs, images."""

from collections.abc import Callable, Mapping

from bot.sandbox.slack.blocks.node import HOME, MESSAGE, MODAL, Node
from bot.sandbox.slack.blocks.objects import (
    check_confirm,
    check_dispatch_config,
    check_filter,
    check_image_source,
    check_option,
    check_option_group,
    check_text,
    check_text_object,
)
from bot.sandbox.slack.problems import rule

_SELECTS = ("static", "external", "users", "conversations", "channels")
SELECTS = {f"{prefix}{kind}_select" for kind in _SELECTS for prefix in ("", "multi_")}


def _check_button(node: Node) -> None:
    check_text(node, "text", 75, plain=True, required=True)
    node.check_string("value", 2000, minimum=0)
    node.check_string("url", 3000)
    node.check_choice("style", ("primary", "danger"))
    node.check_string("accessibility_label", 75)
    node.check_string("agent_prompt", 4000)


def _check_overflow(node: Node) -> None:
    for option in node.children("options", maximum=5):
        check_option(option)


def _check_select(node: Node) -> None:
    check_text(node, "placeholder", 150, plain=True)
    node.check_whole("max_selected_items", 1, 10_000)
    node.check_whole("min_query_length", 0, 10_000)
    check_filter(node)
    if "static" not in node.type:
        return
    if node.has("option_groups"):
        for group in node.children("option_groups", maximum=100):
            check_option_group(group)
        return
    for option in node.children("options", maximum=100):
        check_option(option)


def _check_boxes(node: Node) -> None:
    for option in node.children("options", maximum=10):
        check_option(option)


def _check_placeholder(node: Node) -> None:
    check_text(node, "placeholder", 150, plain=True)


def _check_datepicker(node: Node) -> None:
    _check_placeholder(node)
    node.check_pattern("initial_date", r"\d{4}-\d{2}-\d{2}")


def _check_timepicker(node: Node) -> None:
    _check_placeholder(node)
    node.check_pattern("initial_time", r"\d{2}:\d{2}")


def _check_datetimepicker(node: Node) -> None:
    node.check_whole("initial_date_time", 10**9, 10**10 - 1)


def _check_typed_input(node: Node) -> None:
    _check_placeholder(node)
    check_dispatch_config(node)


def _check_plain_input(node: Node) -> None:
    _check_typed_input(node)
    node.check_whole("min_length", 0, 3000)
    node.check_whole("max_length", 1, 3000)


def _check_number_input(node: Node) -> None:
    _check_typed_input(node)
    node.check_flag("is_decimal_allowed", required=True)


def _check_feedback(node: Node) -> None:
    for name in ("positive_button", "negative_button"):
        if (button := node.child(name, required=True)) is not None:
            check_text(button, "text", 75, plain=True, required=True)
            button.check_string("value", 2000, required=True)
            button.check_string("accessibility_label", 75)


def _check_icon_button(node: Node) -> None:
    node.check_string("icon", 75, required=True)
    check_text(node, "text", 75, plain=True, required=True)
    node.check_string("value", 2000)
    node.items("visible_to_user_ids", maximum=10, required=False)


def _check_file_input(node: Node) -> None:
    node.check_whole("max_files", 1, 10)
    node.items("filetypes", maximum=100, required=False)


_CHECKS: Mapping[str, Callable[[Node], None]] = {
    "button": _check_button,
    "workflow_button": _check_button,
    "overflow": _check_overflow,
    **dict.fromkeys(SELECTS, _check_select),
    "checkboxes": _check_boxes,
    "radio_buttons": _check_boxes,
    "datepicker": _check_datepicker,
    "timepicker": _check_timepicker,
    "datetimepicker": _check_datetimepicker,
    "plain_text_input": _check_plain_input,
    "number_input": _check_number_input,
    "email_text_input": _check_typed_input,
    "url_text_input": _check_typed_input,
    "rich_text_input": _check_typed_input,
    "file_input": _check_file_input,
    "feedback_buttons": _check_feedback,
    "icon_button": _check_icon_button,
    "image": check_image_source,
}

# Elements that are not at home on every surface.
_SURFACES: Mapping[str, tuple[str, ...]] = {
    "number_input": (MODAL,),
    "email_text_input": (MODAL,),
    "url_text_input": (MODAL,),
    "file_input": (MODAL,),
    "rich_text_input": (MODAL, HOME),
    "datetimepicker": (MESSAGE, MODAL),
    "workflow_button": (MESSAGE,),
}

_PICKERS = {"datepicker", "timepicker", "datetimepicker"}
_BOXES = {"checkboxes", "radio_buttons"}
IN_ACTIONS = {"button", "overflow", "workflow_button", *_PICKERS, *_BOXES, *SELECTS}
IN_SECTION = {*IN_ACTIONS, "image"}
_TEXT_INPUTS = {"plain_text_input", "number_input", "email_text_input", "url_text_input"}
IN_INPUT = {*_TEXT_INPUTS, "rich_text_input", "file_input", *_PICKERS, *_BOXES, *SELECTS}


def check_element(node: Node, allowed: set[str]) -> None:
    """The node is an element of a kind that may stand here."""
    is_at_home = node.surface in _SURFACES.get(node.type, (node.surface,))
    if node.type not in allowed or node.type not in _CHECKS or not is_at_home:
        constraint = rule("enum", sorted(allowed), node.type)
        node.fail(f"unsupported type: {node.type}", "type", constraint=constraint)
        return
    node.check_string("action_id", 255)
    check_confirm(node)
    _CHECKS[node.type](node)


def check_elements(nodes: list[Node], allowed: set[str]) -> None:
    """Several elements of one block: each in order, no action id twice."""
    seen: set[str] = set()
    for node in nodes:
        check_element(node, allowed)
        action_id = node.value.get("action_id")
        if action_id is not None and action_id in seen:
            node.fail(f"duplicate action_id: {action_id}", "action_id")
        seen.add(str(action_id))


def check_context_elements(nodes: list[Node]) -> None:
    """The images and texts of a context block."""
    for node in nodes:
        if node.type == "image":
            check_image_source(node)
        else:
            check_text_object(node, 3000)
