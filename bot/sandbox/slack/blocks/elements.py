"""Block elements: buttons, menus, boxes, inputs, images."""

from collections.abc import Callable, Mapping

from bot.sandbox.slack.blocks.node import Node
from bot.sandbox.slack.blocks.objects import (
    check_confirm,
    check_image_source,
    check_option,
    check_option_group,
    check_text,
    check_text_object,
)

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


def _check_plain_input(node: Node) -> None:
    _check_placeholder(node)
    for name in ("min_length", "max_length"):
        limit = node.value.get(name)
        if isinstance(limit, int) and not 0 <= limit <= 3000:
            node.fail("must be between 0 and 3000", name)


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


def _check_file_input(node: Node) -> None:
    files = node.value.get("max_files", 1)
    if not isinstance(files, int) or not 1 <= files <= 10:
        node.fail("must be between 1 and 10", "max_files")


_CHECKS: Mapping[str, Callable[[Node], None]] = {
    "button": _check_button,
    "workflow_button": _check_button,
    "overflow": _check_overflow,
    **dict.fromkeys(SELECTS, _check_select),
    "checkboxes": _check_boxes,
    "radio_buttons": _check_boxes,
    "datepicker": _check_placeholder,
    "timepicker": _check_placeholder,
    "datetimepicker": lambda _: None,
    "plain_text_input": _check_plain_input,
    "number_input": _check_placeholder,
    "email_text_input": _check_placeholder,
    "url_text_input": _check_placeholder,
    "rich_text_input": _check_placeholder,
    "file_input": _check_file_input,
    "feedback_buttons": _check_feedback,
    "icon_button": _check_icon_button,
    "image": check_image_source,
}

_PICKERS = {"datepicker", "timepicker", "datetimepicker"}
_BOXES = {"checkboxes", "radio_buttons"}
IN_ACTIONS = {"button", "overflow", "workflow_button", *_PICKERS, *_BOXES, *SELECTS}
IN_SECTION = {*IN_ACTIONS, "image"}
_TEXT_INPUTS = {"plain_text_input", "number_input", "email_text_input", "url_text_input"}
IN_INPUT = {*_TEXT_INPUTS, "rich_text_input", "file_input", *_PICKERS, *_BOXES, *SELECTS}


def check_element(node: Node, allowed: set[str]) -> None:
    """The node is an element of a kind that may stand here."""
    if node.type not in allowed or node.type not in _CHECKS:
        node.fail(f"unsupported type: {node.type}", "type")
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
