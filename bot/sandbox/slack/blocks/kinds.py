"""The kinds of blocks: where each may stand, what it needs, and its limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.sandbox.slack.blocks.data import check_data_table, check_table, check_visualization
from bot.sandbox.slack.blocks.elements import (
    IN_ACTIONS,
    IN_INPUT,
    IN_SECTION,
    check_context_elements,
    check_element,
    check_elements,
)
from bot.sandbox.slack.blocks.node import HOME, MESSAGE, MODAL, Node
from bot.sandbox.slack.blocks.objects import check_image_source, check_text, check_text_object
from bot.sandbox.slack.blocks.rich_text import check_rich_text
from bot.sandbox.slack.problems import rule

_EVERYWHERE = frozenset((MESSAGE, MODAL, HOME))
_MESSAGE_ONLY = frozenset((MESSAGE,))
_NOWHERE: frozenset[str] = frozenset()
"""Slack shows such blocks in messages that are read; nobody can post them."""
_TASK_STATUSES = ("pending", "in_progress", "complete", "error")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of block is checked, and on which surfaces it may stand."""

    check: Callable[[Node], None]
    surfaces: frozenset[str] = _EVERYWHERE


def _check_section(node: Node) -> None:
    if not node.has("text") and not node.has("fields"):
        node.fail("missing required field: text")
    check_text(node, "text", 3000)
    for field in node.children("fields", maximum=10, required=False):
        check_text_object(field, 2000)
    if (accessory := node.child("accessory")) is not None:
        check_element(accessory, IN_SECTION)


def _check_header(node: Node) -> None:
    check_text(node, "text", 150, plain=True, required=True)


def _check_context(node: Node) -> None:
    check_context_elements(node.children("elements", maximum=10))


def _check_actions(node: Node) -> None:
    check_elements(node.children("elements", maximum=25), IN_ACTIONS)


def _check_image(node: Node) -> None:
    check_image_source(node)
    check_text(node, "title", 2000, plain=True)


def _check_input(node: Node) -> None:
    check_text(node, "label", 2000, plain=True, required=True)
    check_text(node, "hint", 2000, plain=True)
    if (element := node.child("element", required=True)) is not None:
        check_element(element, IN_INPUT)


def _check_video(node: Node) -> None:
    check_text(node, "title", 199, plain=True, required=True)
    node.check_string("alt_text", 2000, required=True)
    node.check_string("thumbnail_url", 3000, required=True)
    node.check_string("video_url", 3000, required=True)
    node.check_string("author_name", 49)


def _check_markdown(node: Node) -> None:
    node.check_string("text", 12_000, required=True)


def _check_context_actions(node: Node) -> None:
    check_elements(node.children("elements", maximum=5), {"feedback_buttons", "icon_button"})


def _check_task_card(node: Node) -> None:
    node.check_string("task_id", 255, required=True)
    node.check_string("title", 256, required=True)
    node.check_choice("status", _TASK_STATUSES)
    for name in ("details", "output"):
        if (text := node.child(name)) is not None:
            text.check_choice("type", ("rich_text",), required=True)
            check_rich_text(text)
    for source in node.children("sources", maximum=100, minimum=0, required=False):
        source.check_choice("type", ("url",), required=True)
        source.check_string("url", 3000, required=True)
        source.check_string("text", 3000, required=True)


def _check_plan(node: Node) -> None:
    node.check_string("title", 256, required=True)
    tasks = node.children("tasks", maximum=50, minimum=0, required=False)
    for task in tasks:
        _check_task_card(task)
    if len({task.value.get("task_id") for task in tasks}) < len(tasks):
        node.fail("duplicate task_id", "tasks")


def _check_alert(node: Node) -> None:
    check_text(node, "text", 200, required=True)
    node.check_choice("level", ("default", "info", "warning", "error", "success"))


def _check_card(node: Node) -> None:
    if not any(node.has(name) for name in ("hero_image", "title", "actions", "body")):
        node.fail("missing required field: title")
    for name, maximum in (("title", 150), ("subtitle", 150), ("body", 200), ("subtext", 200)):
        check_text(node, name, maximum)
    check_elements(node.children("actions", maximum=3, required=False), {"button"})


def _check_carousel(node: Node) -> None:
    for card in node.children("elements", maximum=10):
        _check_card(card)


_IN_CONTAINER = (
    "actions", "context", "divider", "file", "header", "image", "input", "rich_text", "section",
    "table", "video",
)  # fmt: skip


def _check_container(node: Node) -> None:
    if not node.has("rich_text_title"):
        check_text(node, "title", 150, plain=True, required=True)
    check_text(node, "subtitle", 150)
    node.check_choice("width", ("narrow", "standard", "wide", "full"))
    for child in node.children("child_blocks", maximum=10):
        child.check_choice("type", _IN_CONTAINER, required=True)
        if child.type in _IN_CONTAINER:
            check_block(child)


def _check_nothing(_: Node) -> None:
    return


KINDS: Mapping[str, Kind] = {
    "section": Kind(_check_section),
    "header": Kind(_check_header),
    "divider": Kind(_check_nothing),
    "context": Kind(_check_context),
    "actions": Kind(_check_actions),
    "image": Kind(_check_image),
    "input": Kind(_check_input),
    "rich_text": Kind(check_rich_text),
    "video": Kind(_check_video),
    "file": Kind(_check_nothing, _NOWHERE),
    "call": Kind(_check_nothing, _MESSAGE_ONLY),
    "markdown": Kind(_check_markdown, _MESSAGE_ONLY),
    "context_actions": Kind(_check_context_actions, _MESSAGE_ONLY),
    "table": Kind(check_table, _MESSAGE_ONLY),
    "data_table": Kind(check_data_table, _MESSAGE_ONLY),
    "data_visualization": Kind(check_visualization, _MESSAGE_ONLY),
    "task_card": Kind(_check_task_card, _MESSAGE_ONLY),
    "plan": Kind(_check_plan, _MESSAGE_ONLY),
    "alert": Kind(_check_alert, frozenset((MODAL,))),
    "card": Kind(_check_card),
    "carousel": Kind(_check_carousel, frozenset((MESSAGE, HOME))),
    "container": Kind(_check_container, _MESSAGE_ONLY),
    "auth_provider": Kind(_check_nothing, _MESSAGE_ONLY),
}


def check_block(node: Node) -> None:
    """The node is a block that may stand on its surface."""
    kind = KINDS.get(node.type)
    if kind is None or node.surface not in kind.surfaces:
        constraint = rule("enum", [name for name, k in KINDS.items() if k.surfaces], node.type)
        node.fail(f"unsupported type: {node.type}", "type", constraint=constraint)
        return
    node.check_string("block_id", 255)
    kind.check(node)
