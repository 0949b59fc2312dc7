"""Markdown as models write it, rendered to Slack's mrkdwn in linear time. Pure.

Answers are posted as mrkdwn text, not as `markdown` blocks: how to make foreign text inert is
documented for mrkdwn alone, and one text then serves screen, notification, search and read-back.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.render import limits
from bot.render.escape import ZERO_WIDTH_SPACE, code, inline_code, literal
from bot.render.links import IsLive, all_live, defanged, link, unlinked
from bot.render.tables import Table, table_fence

logger = logging.getLogger(__name__)

MAX_BRACKETS = 2_000
MAX_BARS = 200
"""In one line. A text with more of them is no Markdown that anybody wrote, and slow to read."""

_BULLETS = ("•", "◦", "▪")
_INDENT = "    "
_RULE = "──────────"
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_EDGES = "*_~`"
_WORD = re.compile(r"\w")
_LINE = re.compile(r"\S(?:.*\S)?")
"""What a line says, without the gaps at its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One top-level part of a text: mrkdwn, and the table that it stands for, if it is one."""

    text: str
    table: Table | None = None


def to_mrkdwn(markdown: str, is_live: IsLive = all_live) -> str:
    """The whole text in Slack's markup, tables as aligned code."""
    return "\n\n".join(piece.text for piece in pieces(markdown, is_live))


def pieces(markdown: str, is_live: IsLive = all_live) -> list[Piece]:
    """The text part by part, in order; parts that render to nothing are left out.

    An address that `is_live` does not let through is shown as text. What is longer than an answer
    is cut, and what cannot be read, or not in time, is shown as it is.
    """
    text = markdown[: limits.ANSWER_CHARS]
    most_bars = max((line.count("|") for line in text.split("\n")), default=0)
    if text.count("[") > MAX_BRACKETS or most_bars > MAX_BARS:
        return as_it_is(text)
    try:
        found = list(_Writer(is_live).blocks(iter(_PARSER.parse(text))))
    except Exception:
        logger.exception("a text of %d characters is shown as it is", len(text))
        return as_it_is(text)
    return [piece for piece in found if piece.text.strip()]


def as_it_is(text: str) -> list[Piece]:
    """The text with nothing in it read: code."""
    return [Piece(text=f"```\n{code(text)}\n```")] if text.strip() else []


@dataclass(frozen=True, slots=True)
class _Writer:
    is_live: IsLive

    def blocks(self, tokens: Iterator[Token], depth: int = 0) -> Iterator[Piece]:
        """The blocks up to the end of the one that they stand in."""
        for token in tokens:
            match token.type:
                case "paragraph_open" | "heading_open":
                    mark = "*" if token.type == "heading_open" else ""
                    text = self._inline(next(tokens).children or (), mark)
                    next(tokens)
                    yield Piece(text=text)
                case "fence" | "code_block":
                    yield Piece(text=f"```\n{code(token.content.rstrip())}\n```")
                case "blockquote_open":
                    quoted = "\n\n".join(self._texts(tokens, depth))
                    yield Piece(text="\n".join(f"> {line}".rstrip() for line in quoted.split("\n")))
                case "bullet_list_open" | "ordered_list_open":
                    items = "\n".join(self._items(token, tokens, depth))
                    yield Piece(text=indent(items, _INDENT) if depth else items)
                case "table_open":
                    table = _table(tokens)
                    yield Piece(text=table_fence(table), table=table)
                case "hr":
                    yield Piece(text=_RULE)
                case _:
                    return

    def _texts(self, tokens: Iterator[Token], depth: int) -> list[str]:
        return [piece.text for piece in self.blocks(tokens, depth) if piece.text.strip()]

    def _items(self, opening: Token, tokens: Iterator[Token], depth: int) -> Iterator[str]:
        number = int(opening.attrs.get("start", 1))
        while next(tokens).type == "list_item_open":
            is_ordered = opening.type == "ordered_list_open"
            mark = f"{number}." if is_ordered else _BULLETS[depth % len(_BULLETS)]
            text = "\n".join(self._texts(tokens, depth + 1))
            yield f"{mark} {text}".rstrip()
            number += 1

    def _inline(self, children: Sequence[Token], outer: str) -> str:
        """A line of text. A mark inside its like gets no second pair: Slack shows the signs."""
        done: list[tuple[str, list[str]]] = [(outer, [])]
        """The marks that are open, and the parts inside of each so far."""
        tokens = iter(children)
        for token in tokens:
            name, _, edge = token.type.rpartition("_")
            is_mark = name in _MARKS
            if is_mark and edge == "open":
                is_open = _MARKS[name] in {mark for mark, _ in done}
                done.append(("" if is_open else _MARKS[name], []))
                continue
            part = _wrap(done[-1][0], "".join(done.pop()[1])) if is_mark else ""
            _join(done[-1][1], part or self._leaf(token, tokens))
        return defanged(_wrap(outer, "".join(done[0][1])), self.is_live)

    def _leaf(self, token: Token, tokens: Iterator[Token]) -> str:
        match token.type:
            case "code_inline":
                return inline_code(token.content)
            case "link_open":
                label = _plain(_until(tokens, "link_close"))
                return link(str(token.attrs.get("href", "")), label, self.is_live)
            case "image":
                return unlinked(str(token.attrs.get("src", "")), token.content)
            case "softbreak" | "hardbreak":
                return "\n"
            case _:
                return literal(token.content)


def _until(tokens: Iterator[Token], end: str) -> Iterator[Token]:
    for token in tokens:
        if token.type == end:
            return
        yield token


def _wrap(mark: str, text: str) -> str:
    """The mark around every line: in Slack no formatting reaches over a line break."""
    return _LINE.sub(rf"{mark}\g<0>{mark}", text) if mark else text


def _join(parts: list[str], part: str) -> None:
    """Slack sees a mark only at a word's edge, so marks inside a word get an invisible edge."""
    if not part:
        return
    last = parts[-1][-1] if parts else " "
    if (last in _EDGES and _WORD.match(part)) or (part[0] in _EDGES and _WORD.match(last)):
        parts.append(ZERO_WIDTH_SPACE)
    parts.append(part)


def _plain(tokens: Iterator[Token] | Sequence[Token]) -> str:
    return "".join("\n" if each.type.endswith("break") else each.content for each in tokens)


def _table(tokens: Iterator[Token]) -> Table:
    rows: list[list[str]] = []
    alignments: list[str] = []
    for token in _until(tokens, "table_close"):
        match token.type:
            case "tr_open":
                rows.append([])
            case "th_open" | "td_open":
                if len(rows) == 1:
                    style = str(token.attrs.get("style", ""))
                    alignments.append(style.partition("text-align:")[2] or "left")
                rows[-1].append(_plain(next(tokens).children or ()))
            case _:
                pass
    return Table(rows=tuple(map(tuple, rows)), alignments=tuple(alignments))
