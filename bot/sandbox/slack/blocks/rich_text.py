"""rich_text blocks: sections, lists, quotes, code, and the leaves that these are made of."""

from collections.abc import Mapping

from bot.sandbox.slack.blocks.node import Node

_SECTION, _LIST = "rich_text_section", "rich_text_list"
_PREFORMATTED, _QUOTE = "rich_text_preformatted", "rich_text_quote"
_KINDS = (_SECTION, _LIST, _PREFORMATTED, _QUOTE)
_STYLES = (
    "bold",
    "italic",
    "strike",
    "code",
    "underline",
    "highlight",
    "client_highlight",
    "unlink",
)
_NEEDED: Mapping[str, str] = {
    "text": "text",
    "link": "url",
    "user": "user_id",
    "usergroup": "usergroup_id",
    "channel": "channel_id",
    "emoji": "name",
    "broadcast": "range",
    "color": "value",
    "team": "team_id",
    "date": "format",
}
_IN_CODE = ("text", "link")
MAX_LEAF_TEXT = 40_000


def check_rich_text(node: Node) -> None:
    """The node holds rich text, as a block or as the cell of a table."""
    for element in node.children("elements", maximum=1000, minimum=0):
        _check_element(element)


def _check_element(element: Node) -> None:
    element.check_choice("type", _KINDS, required=True)
    if element.type == _LIST:
        _check_list(element)
        return
    allowed = _IN_CODE if element.type == _PREFORMATTED else tuple(_NEEDED)
    for leaf in element.children("elements", maximum=10_000, minimum=0):
        _check_leaf(leaf, allowed)


def _check_list(node: Node) -> None:
    node.check_choice("style", ("bullet", "ordered"), required=True)
    node.check_whole("indent", 0, 8)
    node.check_whole("offset", 0, 10_000)
    node.check_whole("border", 0, 1)
    for item in node.children("elements", maximum=1000, minimum=0):
        item.check_choice("type", (_SECTION,), required=True)
        for leaf in item.children("elements", maximum=10_000, minimum=0):
            _check_leaf(leaf, tuple(_NEEDED))


def _check_leaf(leaf: Node, allowed: tuple[str, ...]) -> None:
    leaf.check_choice("type", allowed, required=True)
    if leaf.type not in allowed:
        return
    leaf.check_string(_NEEDED[leaf.type], MAX_LEAF_TEXT, required=True)
    if leaf.type == "broadcast":
        leaf.check_choice("range", ("here", "channel", "everyone"))
    if leaf.type == "date":
        leaf.check_whole("timestamp", 0, 10**11, required=True)
    if (style := leaf.child("style")) is not None:
        style.check_keys(_STYLES)
        for name in style.value:
            style.check_flag(name)
