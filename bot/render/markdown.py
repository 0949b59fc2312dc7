"""Foreign Markdown written anew for Slack's `markdown` blocks and streams: nothing in it is live.

Slack reads its own references, such as mentions, in Markdown too, so angle brackets are entities
here as well. What only looked like markup gets a backslash, addresses are links or code. From this
comes the text that notifications, search and a Slack that refuses the blocks get. In linear time.
Pure.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from textwrap import indent

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.render import limits
from bot.render.escape import (
    ADDRESSES,
    LOOKS_LIKE_TICK,
    ZERO_WIDTH_SPACE,
    IsLive,
    all_live,
    as_code,
    bare_address,
    defanged,
    escape,
    inert,
    inline_code,
    link,
    real_host,
    unlinked,
    without_fences,
)
from bot.render.tables import Cell, Table, aligned

logger = logging.getLogger(__name__)

MAX_BRACKETS = 2_000
MAX_BARS = 200
"""In one line. A text with more of them is no Markdown that anybody wrote, and slow to read."""

_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_MARKS = {"strong": "**", "em": "*", "s": "~~"}
_CITED = re.compile(r"\[\^?(\d{1,3}(?:\s*[,;]\s*\^?\d{1,3})*)\]")
_NUMBER = re.compile(r"\[?\^?(\d{1,3})\]?")
_MARK = re.compile(
    r"\\(?=[!-/:-@\[-`{-~\n]|\Z)|(?<!\s)[*~]|[*~](?!\s)|(?<![^\W_])_(?!\s)|(?<!\s)_(?![^\W_])"
)
"""What may begin or end formatting; a sign between blanks does not, nor `_` inside a word."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BRACKET = re.compile(r"\[(?!\d{1,3}(?:[,;] ?\d{1,3})*\](?![(:\[]|\Z))|\](?=[(:\[]|\Z)")
_LINE_START = re.compile(
    r"^[ \t]*(?:(\d{1,9})(?=[.)](?:\s|$))|(?=(?:[-+*]|#{1,6})(?:\s|$)|[-=|:][-=|: \t]*$))",
    re.MULTILINE,
)
"""What would begin a list or a heading, or make one of the line before, or a table."""
_LANGUAGE = re.compile(r"[\w+#-]{1,20}")
_IN_TARGET = str.maketrans({sign: f"%{ord(sign):X}" for sign in "()[]\\`"})
_BLOCK = re.compile(r"^([>\s]*)(?:#{1,6} |(- ))")
_SPAN = re.compile(
    r"`(?P<code>[^`\n]+)`|\[(?P<label>(?:\\.|[^\[\]\\\n])*)\]\((?P<url>[^()\s]+)\)"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])|\*\*|~~|\*(?!\s)|(?<!\s)\*"
)
"""What the text of a line of ours says otherwise than its Markdown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One top-level part of a text, an item of a list too."""

    text: str
    """A table as aligned code."""
    gap: str = "\n\n"
    """What stands between it and the piece before."""
    table: Table | None = None
    """That it stands for, if it is one."""


def to_markdown(markdown: str, is_live: IsLive, sources: Sequence[str] = ()) -> str:
    """The whole text as safe Markdown."""
    return joined(pieces(markdown, is_live, sources))


def to_text(markdown: str, is_live: IsLive = all_live) -> str:
    """The whole text as Slack's markup, without any but links and code."""
    return as_text(to_markdown(markdown, is_live), is_live)


def joined(parts: Sequence[Piece]) -> str:
    """Pieces as one text."""
    return "".join(part.gap + part.text for part in parts if part.text.strip()).strip("\n")


def pieces(
    markdown: str, is_live: IsLive, sources: Sequence[str] = (), *, is_plain: bool = False
) -> list[Piece]:
    """The text part by part; what is longer than an answer is cut.

    `[1]`, `[2]`, … link to the `sources`. All of it is code where it cannot be read, not in time,
    or is not to be.
    """
    text = markdown[: limits.ANSWER_CHARS]
    if not is_plain and not is_slow_to_read(text):
        try:
            return list(_Writer(is_live, sources).blocks(iter(_PARSER.parse(text))))
        except Exception:
            logger.exception("a text of %d characters is shown as it is", len(text))
    return [Piece(text=fenced(text))]


def is_slow_to_read(text: str) -> bool:
    """A text that nobody wrote as Markdown, and that takes a parser long."""
    most_bars = max((line.count("|") for line in text.split("\n")), default=0)
    return text.count("[") > MAX_BRACKETS or most_bars > MAX_BARS


def fenced(text: str, language: str = "") -> str:
    """The text as code, which it cannot end; empty where it is."""
    shown = without_fences(inert(text)).rstrip()
    return f"```{language}\n{shown}\n```" if shown.strip() else ""


def as_text(markdown: str, is_live: IsLive) -> str:
    """The text of safe Markdown. Three backticks stand in it only where code begins or ends."""
    lines: list[str] = []
    is_code = False
    for line in markdown.split("\n"):
        shown = _BLOCK.sub(lambda start: f"{start[1]}{'• ' if start[2] else ''}", line)
        if "```" in line:
            is_code = not is_code
            lines.append(f"{shown.partition('```')[0]}```")
        elif is_code:
            lines.append(escape(line))
        else:
            lines.append(defanged(_SPAN.sub(_slack_span, shown), is_live))
    return "\n".join(lines)


def _slack_span(span: re.Match[str]) -> str:
    if span["code"]:
        return f"`{escape(span['code'])}`"
    if span["url"]:
        label = _ESCAPED.sub(r"\1", span["label"])
        is_address = "://" in label and " " not in label
        return f"<{span['url']}>" if is_address else f"<{span['url']}|{label}>"
    sign = span["sign"] or ""
    return f"{sign}{ZERO_WIDTH_SPACE}" if sign in {"*", "_", "~"} else sign


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes tokens anew; `sources` are the addresses that `[1]`, `[2]`, … stand for, if known."""

    is_live: IsLive
    sources: Sequence[str]

    def blocks(self, tokens: Iterator[Token], depth: int = 0) -> Iterator[Piece]:
        """The blocks up to the end of the one that they stand in."""
        for token in tokens:
            match token.type:
                case "paragraph_open":
                    yield Piece(text=self._inline(next(tokens).children or ()))
                    next(tokens)
                case "heading_open":
                    text = " ".join(self._inline(next(tokens).children or ()).split("\n"))
                    text = re.sub(r"(?<![#\\])#(#*)\s*$", r"\\#\1", text)
                    yield Piece(text=f"{'#' * int(token.tag[1:])} {text}" if text.strip() else "")
                    next(tokens)
                case "fence" | "code_block":
                    named = _LANGUAGE.match(token.info.strip())
                    yield Piece(text=fenced(token.content, named[0] if named else ""))
                case "blockquote_open":
                    quoted = joined(list(self.blocks(tokens, depth)))
                    yield Piece(text="\n".join(f"> {line}".rstrip() for line in quoted.split("\n")))
                case "bullet_list_open" | "ordered_list_open":
                    yield from self._items(token, tokens, depth)
                case "table_open":
                    table = self._table(tokens)
                    yield Piece(text=fenced(aligned(table)), table=table)
                case "hr":
                    yield Piece(text="---")
                case _:
                    return

    def _items(self, opening: Token, tokens: Iterator[Token], depth: int) -> Iterator[Piece]:
        """A list inside of an item follows its paragraph at once, but if it begins with a 2."""
        is_bullets, number = opening.type == "bullet_list_open", int(opening.attrs.get("start", 1))
        gap = "\n" if depth and (is_bullets or number == 1) else "\n\n"
        while next(tokens).type == "list_item_open":
            sign = "-" if is_bullets else f"{number}."
            text = joined(list(self.blocks(tokens, depth + 1)))
            inside = indent(text, " " * (len(sign) + 1)).lstrip()
            yield Piece(text=f"{sign} {inside}".rstrip(), gap=gap)
            number, gap = number + 1, "\n"

    def _inline(self, children: Sequence[Token]) -> str:
        """A paragraph. A mark inside its like gets no second pair: Slack shows the signs."""
        done: list[tuple[str, list[str]]] = [("", [])]
        """The marks that are open, and the parts inside of each so far."""
        tokens = iter(children)
        for token in tokens:
            name, _, edge = token.type.rpartition("_")
            mark = _MARKS.get(name, "")
            if mark and edge == "open":
                done.append(("" if mark in dict(done) else mark, []))
                continue
            closed, inside = done.pop() if mark else ("", [self._leaf(token, tokens)])
            text = "".join(inside)
            done[-1][1].append(f"{closed}{text}{closed}" if text.strip() else text)
        return self._line("".join(done[0][1]))

    def _leaf(self, token: Token, tokens: Iterator[Token]) -> str:
        match token.type:
            case "code_inline":
                return inline_code(token.content)
            case "link_open":
                url, label = str(token.attrs.get("href", "")), _plain(_until(tokens, "link_close"))
                number = _NUMBER.fullmatch(label)
                named = _cited(number[1], url) if number and self._is_linked(url) else label
                return link(url, named, self.is_live, _literal)
            case "image":
                return unlinked(str(token.attrs.get("src", "")), token.content, _literal)
            case "softbreak" | "hardbreak":
                return "\n"
            case _:
                return "".join(
                    link(url, _cited(text, url), self.is_live, _literal) if url else _literal(text)
                    for text, url in self._runs(token.content)
                )

    def _line(self, text: str) -> str:
        """With links as Markdown has them; a bare address becomes one, or code."""
        done, end = "", 0
        for match in ADDRESSES.finditer(text):
            before = text[end : match.start()]
            if match["bare"] and (len(before) - len(before.rstrip("\\"))) % 2:
                before = before[:-1]  # it belonged to the address's first sign
            done += _BRACKET.sub(r"\\\g<0>", before)
            shown = self._address(match)
            if shown.startswith("[") and done.endswith("!"):
                done = f"{done[:-1]}\\!"
            elif shown.startswith("`") and done.endswith("`"):
                done += ZERO_WIDTH_SPACE
            done += shown
            end = match.end()
        done += _BRACKET.sub(r"\\\g<0>", text[end:])
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", done)

    def _address(self, match: re.Match[str]) -> str:
        """One code span, link or bare address of a rendered line."""
        if match[0].startswith("`"):
            return f"`{inert(unescape(match[0][1:-1]))}`"
        if not match["bare"]:
            url, _, label = match[0][1:-1].partition("|")
            inside = re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", label)
            return f"[{inside}]({url.translate(_IN_TARGET)})"
        address, rest = bare_address(_ESCAPED.sub(r"\1", match["bare"]))
        if self.is_live is all_live and real_host(address) is None:
            return match[0]
        linked = link(address, address, self.is_live, _literal)
        inner = ADDRESSES.fullmatch(linked if linked.startswith("<") else as_code(address))
        return f"{self._address(inner) if inner else ''}{_literal(rest)}"

    def _runs(self, text: str) -> Iterator[tuple[str, str]]:
        """The text in runs, each with the address of the source that a number in it stands for."""
        end = 0
        for bracket in _CITED.finditer(text) if self.sources else ():
            found = [(n, self._source(int(n))) for n in re.findall(r"\d+", bracket[1])]
            if not all(url for _, url in found):
                continue
            yield text[end : bracket.start()], ""
            for place, run in enumerate(found):
                yield (", " if place else ""), ""
                yield run
            end = bracket.end()
        yield text[end:], ""

    def _source(self, number: int) -> str:
        url = self.sources[number - 1] if 0 < number <= len(self.sources) else ""
        return url if self._is_linked(url) else ""

    def _is_linked(self, url: str) -> bool:
        return link(url, "", self.is_live).startswith("<")

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
                    runs = self._runs(_plain(next(tokens).children or ()))
                    named = ((_cited(text, url) if url else text, url) for text, url in runs)
                    rows[-1].append(tuple(run for run in named if run[0]))
                case _:
                    pass
        return Table(rows=tuple(map(tuple, rows)), alignments=tuple(alignments))


def _literal(text: str) -> str:
    """Text that has no markup."""
    return _MARK.sub(r"\\\g<0>", escape(text).replace("`", LOOKS_LIKE_TICK))


def _cited(number: str, url: str) -> str:
    """A source's number and whose it is."""
    return f"{number} · {(real_host(url) or '').removeprefix('www.')}"


def _until(tokens: Iterator[Token], end: str) -> Iterator[Token]:
    for token in tokens:
        if token.type == end:
            return
        yield token


def _plain(tokens: Iterator[Token] | Sequence[Token]) -> str:
    return "".join("\n" if each.type.endswith("break") else each.content for each in tokens)
