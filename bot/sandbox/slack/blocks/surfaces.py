"""Whole messages and views: their blocks, the totals over all blocks, and Slack's error answers."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks.kinds import HOME, MESSAGE, MODAL, check_block
from bot.sandbox.slack.blocks.node import Node
from bot.sandbox.slack.blocks.objects import check_text
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.wire import JsonArray, as_array, as_object


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with Slack's messages, or `msg_blocks_too_long`."""
    root = Node({"blocks": blocks}, "", [])
    nodes = root.children("blocks", maximum=limits.MAX_BLOCKS, minimum=0)
    for node in nodes:
        check_block(node, MESSAGE)
    for node in [node for node in nodes if node.type == "table"][1:]:
        node.fail("only_one_table_allowed")
    if root.problems:
        raise invalid_blocks(root.problems)
    _check_totals(nodes, blocks)


def invalid_blocks(problems: list[str]) -> ApiError:
    """Slack's answer to blocks with problems: the same list twice."""
    messages = [f"[ERROR] {problem}" for problem in problems]
    return ApiError("invalid_blocks", errors=problems, messages=messages)


def _check_totals(nodes: list[Node], blocks: JsonArray) -> None:
    markdown = sum(len(str(node.value.get("text"))) for node in nodes if node.type == "markdown")
    if markdown > limits.MAX_MARKDOWN_TEXT or count_text(blocks) > limits.MAX_BLOCKS_TOTAL_CHARS:
        raise ApiError("msg_blocks_too_long")


def count_text(value: object) -> int:
    """The characters of all texts in blocks, at any depth."""
    if (items := as_array(value)) is not None:
        return sum(count_text(item) for item in items)
    if (fields := as_object(value)) is None:
        return 0
    text = fields.get("text")
    own = len(text) if isinstance(text, str) else 0
    return own + sum(count_text(field) for field in fields.values())


def check_view(view: dict[str, object], kind: str) -> None:
    """Raises `invalid_arguments` with Slack's messages. The kind is "modal" or "home"."""
    root = Node(view, "/view", [])
    root.check_choice("type", (kind,), required=True)
    for node in root.children("blocks", maximum=100, minimum=0):
        check_block(node, HOME if kind == "home" else MODAL)
    for name, maximum in (("private_metadata", 3000), ("callback_id", 255), ("external_id", 255)):
        root.check_string(name, maximum, minimum=0)
    if kind == "modal":
        _check_modal_frame(root)
    if root.problems:
        messages = [f"[ERROR] {problem}" for problem in root.problems]
        raise ApiError("invalid_arguments", messages=messages)


def _check_modal_frame(root: Node) -> None:
    blocks = as_array(root.value.get("blocks")) or []
    has_input = any((as_object(block) or {}).get("type") == "input" for block in blocks)
    check_text(root, "title", 24, plain=True, required=True)
    check_text(root, "submit", 24, plain=True, required=has_input)
    check_text(root, "close", 24, plain=True)
