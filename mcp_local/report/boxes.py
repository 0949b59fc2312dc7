"""Info boxes: a blockquote that begins with `[!LABEL]` becomes a box with a title."""

import re
from collections.abc import Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_LABEL = re.compile(r"\[!([^\[\]\n]{1,40})\][ \t]*")
_STYLES = {
    "note": "note",
    "info": "note",
    "tip": "tip",
    "success": "tip",
    "important": "key",
    "key": "key",
    "warning": "warning",
    "caution": "warning",
    "danger": "warning",
}


def mark_boxes(state: StateCore) -> None:
    """Core rule of the parser: turn labelled blockquotes into boxes.

    Words on the label's line are the box's title if a text follows them, else they are the text
    and the label itself is the title. The first word of a label chooses the style.
    """
    for at in range(len(state.tokens) - 2):
        if [token.type for token in state.tokens[at : at + 3]] == [
            "blockquote_open",
            "paragraph_open",
            "inline",
        ]:
            _mark_box(state.tokens, at)


def _mark_box(tokens: list[Token], at: int) -> None:
    paragraph, inline = tokens[at + 1], tokens[at + 2]
    children = inline.children or []
    label = _LABEL.match(children[0].content) if children and children[0].type == "text" else None
    if label is None:
        return
    children[0].content = children[0].content[label.end() :]
    end = _closing(tokens, at)
    title, body = _split_title(children)
    if not (title and (body or end > at + 4)):
        title, body = [Token("text", "", 0, content=_title_case(label[1]))], title or body
    tokens[at].tag = tokens[end].tag = "aside"
    tokens[at].attrSet("class", f"box {_style(label[1])}")
    inline.children = title
    paragraph.attrSet("class", "box-title")
    if body:
        tokens[at + 4 : at + 4] = [
            Token("paragraph_open", "p", 1, block=True),
            Token("inline", "", 0, children=body),
            Token("paragraph_close", "p", -1, block=True),
        ]


def _split_title(children: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """The children on the first line, and those below it."""
    for at, child in enumerate(children):
        if child.type.endswith("break"):
            return _worded(children[:at]), _worded(children[at + 1 :])
    return _worded(children), []


def _worded(children: Sequence[Token]) -> list[Token]:
    return [child for child in children if child.type != "text" or child.content]


def _closing(tokens: Sequence[Token], at: int) -> int:
    level = tokens[at].level
    return next(
        index
        for index in range(at + 1, len(tokens))
        if tokens[index].type == "blockquote_close" and tokens[index].level == level
    )


def _style(label: str) -> str:
    return _STYLES.get(label.split()[0].casefold() if label.split() else "", "note")


def _title_case(label: str) -> str:
    words = label.strip()
    return words.capitalize() if words.isupper() else words
