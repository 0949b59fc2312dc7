"""Foreign Markdown written anew for Slack's `markdown` blocks and streams: nothing in it is live.

Slack reads its own references, such as mentions, in Markdown too, so angle brackets are entities
here as well. What only looked like markup gets a backslash, addresses are links or code. Pure.
"""

import re
from collections.abc import Sequence
from html import unescape
from textwrap import indent
from typing import ClassVar

from markdown_it.token import Token

from bot.render.escape import LOOKS_LIKE_TICK, ZERO_WIDTH_SPACE, escape, inert_code
from bot.render.links import ADDRESSES, IsLive, all_live, as_code, bare_address, link, real_host
from bot.render.mrkdwn import MrkdwnWriter, Piece, joined, written
from bot.render.tables import Table

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
_FENCE = re.compile("``(?=`)")
_LANGUAGE = re.compile(r"[\w+#-]{1,20}")
_IN_TARGET = str.maketrans({sign: f"%{ord(sign):X}" for sign in "()[]\\`"})


def to_markdown(markdown: str, is_live: IsLive, sources: Sequence[str] = ()) -> str:
    """The whole text as safe Markdown, tables as aligned code."""
    read = written(markdown, MarkdownWriter(is_live, sources))
    return joined(read[0]) if read else fenced(markdown)


def fenced(text: str, language: str = "") -> str:
    """The text as code, which it cannot end; empty where it is."""
    shown = _FENCE.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", inert_code(text)).rstrip()
    return f"```{language}\n{shown}\n```" if shown.strip() else ""


class MarkdownWriter(MrkdwnWriter):
    """Writes tokens as Markdown."""

    __slots__ = ()

    marks: ClassVar = {"strong": "**", "em": "*", "s": "~~"}
    edges: ClassVar = frozenset[str]()
    rule: ClassVar = "---"

    def heading(self, children: Sequence[Token], level: int) -> str:
        text = " ".join(self._inline(children, "").split("\n"))
        text = re.sub(r"(?<![#\\])#(#*)\s*$", r"\\#\1", text)
        return f"{'#' * level} {text}" if text.strip() else ""

    def fence(self, token: Token) -> str:
        named = _LANGUAGE.match(token.info.strip())
        return fenced(token.content, named[0] if named else "")

    def item(self, mark: str, depth: int, pieces: Sequence[Piece]) -> str:
        sign = mark or "-"
        text = joined(pieces)
        return f"{sign} {indent(text, ' ' * (len(sign) + 1)).lstrip()}".rstrip()

    def nested(self, items: Piece, mark: str) -> Piece:
        """A list of any number may follow its paragraph at once, but for those that begin late."""
        is_late = mark not in {"", "1."} and items.gap != "\n"
        return Piece(text=items.text, gap="\n\n" if is_late else "\n")

    def literal(self, text: str) -> str:
        shown = escape(text).replace("`", LOOKS_LIKE_TICK)
        return _MARK.sub(r"\\\g<0>", shown)

    def line(self, text: str) -> str:
        """With links as Markdown has them; a bare address becomes one, or code."""
        parts: list[str] = []
        end = 0
        for match in ADDRESSES.finditer(text):
            before = text[end : match.start()]
            if match["bare"] and (len(before) - len(before.rstrip("\\"))) % 2:
                before = before[:-1]  # it belonged to the address's first sign
            parts.append(_BRACKET.sub(r"\\\g<0>", before))
            shown = self._shown(match)
            if shown.startswith("[") and parts[-1].endswith("!"):
                parts[-1] = f"{parts[-1][:-1]}\\!"
            if shown.startswith("`") and "".join(parts).endswith("`"):
                parts.append(ZERO_WIDTH_SPACE)
            parts.append(shown)
            end = match.end()
        parts.append(_BRACKET.sub(r"\\\g<0>", text[end:]))
        whole = "".join(parts)
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", whole)

    def table(self, table: Table) -> str:
        lines = super().table(table).split("\n")
        return fenced(unescape("\n".join(lines[1:-1])))

    def _shown(self, match: re.Match[str]) -> str:
        """One code span, link or bare address of a rendered line."""
        if match[0].startswith("`"):
            return f"`{inert_code(unescape(match[0][1:-1]))}`"
        if not match["bare"]:
            url, _, label = match[0][1:-1].partition("|")
            inside = re.sub(r"(?<!\\)[\[\]]", r"\\\g<0>", label)
            return f"[{inside}]({url.translate(_IN_TARGET)})"
        address, rest = bare_address(_ESCAPED.sub(r"\1", match["bare"]))
        if self.is_live is all_live and real_host(address) is None:
            return match[0]
        linked = link(address, address, self.is_live, self.literal)
        inner = ADDRESSES.fullmatch(linked) if linked.startswith("<") else None
        shown = self._shown(inner) if inner else f"`{inert_code(unescape(as_code(address)[1:-1]))}`"
        return f"{shown}{self.literal(rest)}"
