"""Whole messages and views: their blocks, the totals over all blocks, and Slack's error answers."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks.kinds import check_block
from bot.sandbox.slack.blocks.lengths import count_text
from bot.sandbox.slack.blocks.node import HOME, MESSAGE, MODAL, Node
from bot.sandbox.slack.blocks.objects import check_text
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.problems import Problem
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object

# How many blocks of a kind one message may hold, and the word with which more are refused.
_MOST_OF_A_KIND = {
    "table": (1, "only_one_table_allowed"),
    "data_visualization": (2, "no more than 2 items allowed"),
}
_MODAL_ONLY = ("title", "submit", "close")


def find_message_problems(message: JsonObject, pointer: str = "") -> list[Problem]:
    """What is wrong with the blocks of a message."""
    root = Node(message, pointer, [], MESSAGE)
    nodes = root.children("blocks", maximum=limits.MAX_BLOCKS, minimum=0, required=False)
    _check_blocks(nodes)
    for kind, (most, word) in _MOST_OF_A_KIND.items():
        for node in [node for node in nodes if node.type == kind][most:]:
            node.fail(word)
    return root.problems


def _check_blocks(nodes: list[Node]) -> None:
    """Each block by itself, and no block id twice (Slack's words for that are not documented)."""
    seen: set[str] = set()
    for node in nodes:
        check_block(node)
        block_id = node.value.get("block_id")
        if block_id is not None and block_id in seen:
            node.fail(f"duplicate block_id: {block_id}", "block_id")
        seen.add(str(block_id))


def check_message_blocks(blocks: JsonArray, *, is_total_limited: bool = True) -> None:
    """Raises `invalid_blocks` with Slack's messages, or `msg_blocks_too_long`."""
    if problems := find_message_problems({"blocks": blocks}):
        raise invalid_blocks(problems)
    if is_total_limited:
        _check_totals([as_object(block) or {} for block in blocks])


def invalid_blocks(problems: list[Problem]) -> ApiError:
    """Slack's answer to blocks with problems: the same list twice."""
    sentences = [problem.sentence for problem in problems]
    messages = [f"[ERROR] {sentence}" for sentence in sentences]
    return ApiError("invalid_blocks", errors=sentences, messages=messages)


def _check_totals(blocks: list[JsonObject]) -> None:
    """A data table has a sum of its own and does not count here."""
    counted = [block for block in blocks if block.get("type") != "data_table"]
    markdown = count_text([block for block in blocks if block.get("type") == "markdown"])
    total = count_text(counted)
    if markdown > limits.MAX_MARKDOWN_TEXT or total > limits.MAX_BLOCKS_TOTAL_CHARS:
        raise ApiError("msg_blocks_too_long")


def find_view_problems(view: JsonObject, kind: str) -> list[Problem]:
    """What is wrong with a view that is to be a "modal" or a "home"."""
    root = Node(view, "/view", [], HOME if kind == "home" else MODAL)
    root.check_choice("type", (kind,), required=True)
    _check_blocks(root.children("blocks", maximum=100, minimum=0))
    for name, maximum in (("private_metadata", 3000), ("callback_id", 255), ("external_id", 255)):
        root.check_string(name, maximum, minimum=0)
    if kind == "modal":
        _check_modal_frame(root)
    else:
        _check_home_frame(root)
    return root.problems


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with Slack's messages. The kind is "modal" or "home"."""
    if problems := find_view_problems(view, kind):
        messages = [f"[ERROR] {problem.sentence}" for problem in problems]
        raise ApiError("invalid_arguments", messages=messages)


def _check_modal_frame(root: Node) -> None:
    blocks = as_array(root.value.get("blocks")) or []
    has_input = any((as_object(block) or {}).get("type") == "input" for block in blocks)
    check_text(root, "title", 24, plain=True, required=True)
    check_text(root, "submit", 24, plain=True, required=has_input)
    check_text(root, "close", 24, plain=True)


def _check_home_frame(root: Node) -> None:
    for name in _MODAL_ONLY:
        if root.has(name):
            root.fail(f"invalid additional property: {name}")
