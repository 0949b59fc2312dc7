"""Markdown as models write it, rendered to Slack's mrkdwn in linear time. Pure.

Answers are seen as `markdown` blocks (`bot.render.markdown`); mrkdwn is what notifications, search
and a Slack that refuses the blocks get.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.render import limits
from bot.render.escape import ZERO_WIDTH_SPACE, code, inline_code, literal
from bot.render.links import IsLive, all_live, defanged, link, real_host, unlinked
from bot.render.tables import Cell, Table, table_fence

logger = logging.getLogger(__name__)

MAX_BRACKETS = 2_000
MAX_BARS = 200
"""In one line. A text with more of them is no Markdown that anybody wrote, and slow to read."""

_BULLETS = ("•", "◦", "▪")
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_WORD = re.compile(r"\w")
_LINE = re.compile(r"\S(?:.*\S)?")
"""What a line says, without the gaps at its ends."""
_CITED = re.compile(r"\[\^?(\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*)\]")
_NUMBER = re.compile(r"\[?\^?(\d{1,3})\]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One top-level part of a text, an item of a list too: as one of Slack's two markups has it."""

    text: str
    gap: str = "\n\n"
    """What stands between it and the piece before."""
    table: Table | None = None
    """That it stands for, if it is one."""


def to_mrkdwn(markdown: str, is_live: IsLive = all_live) -> str:
    """The whole text in Slack's markup, tables as aligned code."""
    read = written(markdown, MrkdwnWriter(is_live))
    return joined(read[0]) if read else as_it_is(markdown)


def joined(pieces: Sequence[Piece]) -> str:
    """Pieces as one text."""
    return "".join(piece.gap + piece.text for piece in pieces if piece.text.strip()).strip("\n")


def written(markdown: str, *writers: "MrkdwnWriter") -> list[list[Piece]] | None:
    """What each writer makes of the text; None where it cannot be read, or not in time.

    What is longer than an answer is cut.
    """
    text = markdown[: limits.ANSWER_CHARS]
    most_bars = max((line.count("|") for line in text.split("\n")), default=0)
    if text.count("[") > MAX_BRACKETS or most_bars > MAX_BARS:
        return None
    try:
        tokens = _PARSER.parse(text)
        return [writer.pieces(tokens) for writer in writers]
    except Exception:
        logger.exception("a text of %d characters is shown as it is", len(text))
        return None


def as_it_is(text: str) -> str:
    """The text with nothing in it read: code."""
    shown = code(text[: limits.ANSWER_CHARS])
    return f"```\n{shown}\n```" if shown.strip() else ""


@dataclass(frozen=True, slots=True)
class MrkdwnWriter:
    """Writes tokens; `sources` are the addresses that `[1]`, `[2]`, … stand for, if known."""

    is_live: IsLive
    sources: Sequence[str] = ()

    marks: ClassVar = {"strong": "*", "em": "_", "s": "~"}
    edges: ClassVar = frozenset("*_~`")
    rule: ClassVar = "──────────"

    def pieces(self, tokens: Sequence[Token]) -> list[Piece]:
        """The text part by part, in order."""
        return list(self._blocks(iter(tokens)))

    def heading(self, children: Sequence[Token], _level: int) -> str:
        return self._inline(children, self.marks["strong"])

    def fence(self, token: Token) -> str:
        return f"```\n{code(token.content.rstrip())}\n```"

    def item(self, mark: str, depth: int, pieces: Sequence[Piece]) -> str:
        """`mark` is a number with its dot, or empty."""
        sign = mark or _BULLETS[depth % len(_BULLETS)]
        text = "\n".join(piece.text for piece in pieces if piece.text.strip())
        return f"{sign} {text}".rstrip()

    def nested(self, items: Piece, _mark: str) -> Piece:
        """An item of a list inside of another one's item."""
        return Piece(text=indent(items.text, "    "), gap=items.gap)

    def literal(self, text: str) -> str:
        """Text that has no markup."""
        return literal(text)

    def line(self, text: str) -> str:
        """A whole paragraph; no address in it is live that may not be."""
        return defanged(text, self.is_live)

    def table(self, table: Table) -> str:
        return table_fence(table)

    def _blocks(self, tokens: Iterator[Token], depth: int = 0) -> Iterator[Piece]:
        """The blocks up to the end of the one that they stand in."""
        for token in tokens:
            match token.type:
                case "paragraph_open" | "heading_open":
                    children = next(tokens).children or ()
                    next(tokens)
                    is_heading = token.type == "heading_open"
                    level = int(token.tag[1:]) if is_heading else 0
                    yield Piece(
                        text=self.heading(children, level) if level else self._inline(children, "")
                    )
                case "fence" | "code_block":
                    yield Piece(text=self.fence(token))
                case "blockquote_open":
                    quoted = joined(list(self._blocks(tokens, depth)))
                    yield Piece(text="\n".join(f"> {line}".rstrip() for line in quoted.split("\n")))
                case "bullet_list_open" | "ordered_list_open":
                    yield from self._items(token, tokens, depth)
                case "table_open":
                    table = self._table(tokens)
                    yield Piece(text=self.table(table), table=table)
                case "hr":
                    yield Piece(text=self.rule)
                case _:
                    return

    def _items(self, opening: Token, tokens: Iterator[Token], depth: int) -> Iterator[Piece]:
        number, gap = int(opening.attrs.get("start", 1)), "\n\n"
        while next(tokens).type == "list_item_open":
            mark = f"{number}." if opening.type == "ordered_list_open" else ""
            inside = list(self._blocks(tokens, depth + 1))
            item = Piece(text=self.item(mark, depth, inside), gap=gap)
            yield self.nested(item, mark) if depth else item
            number, gap = number + 1, "\n"

    def _inline(self, children: Sequence[Token], outer: str) -> str:
        """A line of text. A mark inside its like gets no second pair: Slack shows the signs."""
        done: list[tuple[str, list[str]]] = [(outer, [])]
        """The marks that are open, and the parts inside of each so far."""
        tokens = iter(children)
        for token in tokens:
            name, _, edge = token.type.rpartition("_")
            is_mark = name in self.marks
            if is_mark and edge == "open":
                is_open = self.marks[name] in {mark for mark, _ in done}
                done.append(("" if is_open else self.marks[name], []))
                continue
            part = _wrap(done[-1][0], "".join(done.pop()[1])) if is_mark else ""
            self._join(done[-1][1], part or self._leaf(token, tokens))
        return self.line(_wrap(outer, "".join(done[0][1])))

    def _join(self, parts: list[str], part: str) -> None:
        """Slack sees a mark only at a word's edge: marks inside a word get an invisible edge."""
        last, edges = (parts[-1][-1] if parts else " "), self.edges
        if (last in edges and _WORD.match(part)) or (part[:1] in edges and _WORD.match(last)):
            parts.append(ZERO_WIDTH_SPACE)
        if part:
            parts.append(part)

    def _leaf(self, token: Token, tokens: Iterator[Token]) -> str:
        match token.type:
            case "code_inline":
                return inline_code(token.content)
            case "link_open":
                url, label = str(token.attrs.get("href", "")), _plain(_until(tokens, "link_close"))
                if (number := _NUMBER.fullmatch(label)) and self._is_linked(url):
                    return self._cite(number[1], url)
                return link(url, label, self.is_live, self.literal)
            case "image":
                return unlinked(str(token.attrs.get("src", "")), token.content, self.literal)
            case "softbreak" | "hardbreak":
                return "\n"
            case _:
                runs = self.cited(token.content)
                return "".join(self._cite(*run) if run[1] else self.literal(run[0]) for run in runs)

    def cited(self, text: str) -> Iterator[tuple[str, str]]:
        """The text in runs, each with the address of the source that a number in it stands for."""
        end = 0
        for bracket in _CITED.finditer(text) if self.sources else ():
            numbers = re.findall(r"\d+", bracket[1])
            found = [(n, self._source(int(n))) for n in numbers]
            if not all(url for _, url in found):
                continue
            yield text[end : bracket.start()], ""
            for place, (number, url) in enumerate(found):
                yield (", " if place else ""), ""
                yield number, url
            end = bracket.end()
        yield text[end:], ""

    def _source(self, number: int) -> str:
        known = 0 < number <= len(self.sources)
        url = self.sources[number - 1] if known else ""
        return url if self._is_linked(url) else ""

    def _is_linked(self, url: str) -> bool:
        return real_host(url) is not None and link(url, "", self.is_live).startswith("<")

    def _cite(self, number: str, url: str) -> str:
        """A number that is a link to its source, which is named."""
        return link(url, cited_label(number, url), self.is_live, self.literal)

    def _table(self, tokens: Iterator[Token]) -> Table:
        rows: list[list[Cell]] = []
        alignments: list[str] = []
        for token in _until(tokens, "table_close"):
            match token.type:
                case "tr_open":
                    rows.append([])
                case "th_open" | "td_open":
                    if len(rows) == 1:
                        style = str(token.attrs.get("style", ""))
                        alignments.append(style.partition("text-align:")[2] or "left")
                    rows[-1].append(self._cell(next(tokens).children or ()))
                case _:
                    pass
        return Table(rows=tuple(map(tuple, rows)), alignments=tuple(alignments))

    def _cell(self, children: Sequence[Token]) -> Cell:
        """Plain words, and the numbers among them that are links."""
        runs = [
            (cited_label(text, url) if url else text, url)
            for text, url in self.cited(_plain(children))
        ]
        return tuple(run for run in runs if run[0])


def cited_label(number: str, url: str) -> str:
    """A source's number and whose it is."""
    return f"{number} · {(real_host(url) or '').removeprefix('www.')}"


def _until(tokens: Iterator[Token], end: str) -> Iterator[Token]:
    for token in tokens:
        if token.type == end:
            return
        yield token


def _wrap(mark: str, text: str) -> str:
    """The mark around every line: in Slack no formatting reaches over a line break."""
    return _LINE.sub(rf"{mark}\g<0>{mark}", text) if mark else text


def _plain(tokens: Iterator[Token] | Sequence[Token]) -> str:
    return "".join("\n" if each.type.endswith("break") else each.content for each in tokens)
