"""Markdown as models write it, rendered to Slack's mrkdwn. Pure.

Answers are posted as mrkdwn text, not as `markdown` blocks: how to make foreign text inert is
documented for mrkdwn alone, and one text then serves screen, notification, search and read-back.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from bot.render.escape import ZERO_WIDTH_SPACE, code, inline_code, literal
from bot.render.links import link, unlinked
from bot.render.tables import Table, table_fence

_BULLETS = ("•", "◦", "▪")
_INDENT = "    "
_RULE = "──────────"
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_WORD_END, _WORD_START = re.compile(r"\w\Z"), re.compile(r"\A\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One top-level part of a text: mrkdwn, and the table that it stands for, if it is one."""

    text: str
    table: Table | None = None


def to_mrkdwn(markdown: str) -> str:
    """The whole text in Slack's markup, tables as aligned code."""
    return "\n\n".join(piece.text for piece in pieces(markdown))


def pieces(markdown: str) -> list[Piece]:
    """The text part by part, in order; parts that render to nothing are left out."""
    root = SyntaxTreeNode(_PARSER.parse(markdown))
    rendered = (_piece(node) for node in root.children)
    return [piece for piece in rendered if piece.text.strip()]


def _piece(node: SyntaxTreeNode) -> Piece:
    if node.type == "table":
        table = _table(node)
        return Piece(text=table_fence(table), table=table)
    return Piece(text=_block(node, depth=0))


def _block(node: SyntaxTreeNode, depth: int) -> str:
    match node.type:
        case "heading":
            return _wrap("*", _inline(node, bold=True))
        case "fence" | "code_block":
            return f"```\n{code(node.content.rstrip())}\n```"
        case "blockquote":
            return _quote(node, depth)
        case "bullet_list" | "ordered_list":
            return "\n".join(_items(node, depth))
        case "table":
            return table_fence(_table(node))
        case _:
            return _RULE if node.type == "hr" else _inline(node)


def _quote(node: SyntaxTreeNode, depth: int) -> str:
    parts = (_block(child, depth) for child in node.children)
    quoted = "\n\n".join(part for part in parts if part.strip())
    return "\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))


def _items(node: SyntaxTreeNode, depth: int) -> Iterator[str]:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        mark = f"{number}." if node.type == "ordered_list" else _BULLETS[depth % len(_BULLETS)]
        yield _item(item, mark, depth)


def _item(item: SyntaxTreeNode, mark: str, depth: int) -> str:
    parts = [_item_part(child, depth) for child in item.children]
    text = "\n".join(part for part in parts if part.strip())
    return f"{_INDENT * depth}{mark} {text.removeprefix(_INDENT * depth)}".rstrip()


def _item_part(child: SyntaxTreeNode, depth: int) -> str:
    if child.type.endswith("_list"):
        return _block(child, depth + 1)
    return "\n".join(f"{_INDENT * depth}{line}" for line in _block(child, depth).split("\n"))


def _inline(node: SyntaxTreeNode, *, bold: bool = False) -> str:
    text = ""
    for child in node.children:
        part = _inline(child, bold=bold) if child.type == "inline" else _leaf(child, bold=bold)
        text = _joined(text, part, marked=child.type in _MARKS)
    return text


def _leaf(node: SyntaxTreeNode, *, bold: bool) -> str:
    match node.type:
        case "strong" | "em" | "s":
            return _marked(node, bold=bold)
        case "code_inline":
            return inline_code(node.content)
        case "link":
            return link(str(node.attrs.get("href", "")), _plain(node))
        case "image":
            return unlinked(str(node.attrs.get("src", "")), node.content)
        case "softbreak" | "hardbreak":
            return "\n"
        case _:
            return literal(node.content)


def _marked(node: SyntaxTreeNode, *, bold: bool) -> str:
    """A heading is bold already, so bold inside it gets no second pair of stars."""
    inside = _inline(node, bold=bold or node.type == "strong")
    return inside if bold and node.type == "strong" else _wrap(_MARKS[node.type], inside)


def _wrap(mark: str, text: str) -> str:
    """The mark around every line: in Slack no formatting reaches over a line break."""
    return "\n".join(_wrap_line(mark, line) for line in text.split("\n"))


def _wrap_line(mark: str, line: str) -> str:
    inside = line.strip()
    if not inside:
        return line
    return line.replace(inside, f"{mark}{inside}{mark}", 1)


def _joined(before: str, part: str, *, marked: bool) -> str:
    """Slack sees a mark only at a word's edge, so marks inside a word get an invisible edge."""
    if before and part and _touches(before, part, marked):
        return f"{before}{ZERO_WIDTH_SPACE}{part}"
    return before + part


def _touches(before: str, part: str, marked: bool) -> bool:
    if marked:
        return _WORD_END.search(before) is not None
    ends_with_mark = before[-1] in "*_~"
    return ends_with_mark and _WORD_START.match(part) is not None


def _plain(node: SyntaxTreeNode) -> str:
    if not node.children:
        return "\n" if node.type.endswith("break") else node.content
    return "".join(_plain(child) for child in node.children)


def _table(node: SyntaxTreeNode) -> Table:
    rows = [row for section in node.children for row in section.children]
    return Table(
        rows=tuple(tuple(_plain(cell) for cell in row.children) for row in rows),
        alignments=tuple(_alignment(cell) for cell in rows[0].children),
    )


def _alignment(cell: SyntaxTreeNode) -> str:
    style = str(cell.attrs.get("style", ""))
    return style.partition("text-align:")[2] or "left"
