"""Sanitizer of foreign Markdown, for Slack's `markdown` blocks and streams: nothing in it is live.

The text is parsed and written anew. Slack reads its own references, such as mentions, in Markdown
too, so angle brackets become entities. A sign that only looks like markup gets a backslash, and an
address becomes a link or code. `as_text` makes plain text of the result, for notifications, search,
and for posts whose blocks Slack refuses. In linear time. Pure.
"""

import logging
import re
from collections.abc import (
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from html import unescape
from textwrap import indent

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.render import limits
from bot.render.citations import CITED, TITLE, Footnotes, host_of, plain_host, tidied
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
    flat,
    inert,
    inline_code,
    link,
    real_host,
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
_MARKS = {
    "strong": "**",
    "em": "*",
    "s": "~~",
}
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
_CLOSING_SIGNS = re.compile(r"(?<![#\\])#(#*)\s*$")
"""At the end of a heading they would be taken for its end."""
_IN_TARGET = str.maketrans({sign: f"%{ord(sign):X}" for sign in "()[]\\`"})
_WITH_BACKSLASH = r"\\\g<0>"
_OPEN_BRACKET = re.compile(r"(?<!\\)[\[\]]")
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


def to_markdown(
    markdown: str,
    is_live: IsLive,
    footnotes: Footnotes | None = None,
) -> str:
    """The whole text as safe Markdown."""
    return joined(pieces(markdown, is_live, footnotes))


def to_text(markdown: str, is_live: IsLive = all_live) -> str:
    """The whole text as Slack's mrkdwn, of which it uses links and code alone."""
    return as_text(to_markdown(markdown, is_live), is_live)


def joined(parts: Iterable[Piece]) -> str:
    """Pieces as one text."""
    texts = [part.gap + part.text for part in parts if part.text.strip()]
    return "".join(texts).strip("\n")


def pieces(
    markdown: str,
    is_live: IsLive,
    footnotes: Footnotes | None = None,
) -> list[Piece]:
    """The text part by part; what is longer than an answer is cut.

    With `footnotes`, links and `[1]`, `[2]`, … become marks that are numbered there. All of it is
    code where it cannot be read, or not in time.
    """
    text = markdown[: limits.ANSWER_CHARS]
    if not is_slow_to_read(text):
        try:
            tokens = _PARSER.parse(text)
            return list(_Writer(is_live, footnotes).blocks(iter(tokens)))
        except Exception:
            logger.exception("a text of %d characters is shown as it is", len(text))
    return [Piece(text=fenced(text))]


def is_slow_to_read(text: str) -> bool:
    """Whether the parser would take long: no person writes Markdown like this."""
    if text.count("[") > MAX_BRACKETS:
        return True
    return any(line.count("|") > MAX_BARS for line in text.split("\n"))


def fenced(text: str, language: str = "") -> str:
    """The text as code, which it cannot end; empty where it is."""
    code = without_fences(inert(text)).rstrip()
    if not code.strip():
        return ""
    return f"```{language}\n{code}\n```"


def as_text(markdown: str, is_live: IsLive) -> str:
    """The text of safe Markdown. Three backticks stand in it only where code begins or ends."""
    lines: list[str] = []
    is_code = False
    for line in markdown.split("\n"):
        if "```" in line:
            is_code = not is_code
            before, _, _ = _BLOCK.sub(_plain_block, line).partition("```")
            lines.append(f"{before}```")
        elif is_code:
            lines.append(escape(line))
        else:
            spans = _SPAN.sub(_slack_span, _BLOCK.sub(_plain_block, line))
            lines.append(defanged(spans, is_live))
    return "\n".join(lines)


def _plain_block(start: re.Match[str]) -> str:
    """How a line begins: a bullet for an item, nothing for a heading."""
    before, dash = start.groups()
    if dash:
        return f"{before}• "
    return before


def _slack_span(span: re.Match[str]) -> str:
    if span["code"]:
        return f"`{escape(span['code'])}`"
    url = span["url"]
    if url:
        label = _ESCAPED.sub(r"\1", span["label"])
        if "://" in label and " " not in label:
            return f"<{url}>"
        return f"<{url}|{label}>"
    sign = span["sign"] or ""
    if sign in {"*", "_", "~"}:
        return f"{sign}{ZERO_WIDTH_SPACE}"
    return sign


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes tokens anew; without `footnotes` a link stays in its words, and `[1]` as it is."""

    is_live: IsLive
    footnotes: Footnotes | None = None

    def blocks(self, tokens: Iterator[Token], depth: int = 0) -> Iterator[Piece]:
        """The blocks up to the end of the one that they stand in."""
        for token in tokens:
            match token.type:
                case "paragraph_open":
                    yield Piece(text=self._content(tokens))
                case "heading_open":
                    yield Piece(text=self._heading(token, tokens))
                case "fence" | "code_block":
                    language = _LANGUAGE.match(token.info.strip())
                    name = language[0] if language else ""
                    yield Piece(text=fenced(token.content, name))
                case "blockquote_open":
                    yield Piece(text=self._quote(tokens, depth))
                case "bullet_list_open" | "ordered_list_open":
                    yield from self._items(token, tokens, depth)
                case "table_open":
                    table = self._table(tokens)
                    text = fenced(aligned(table))
                    yield Piece(text=text, table=table)
                case "hr":
                    yield Piece(text="---")
                case _:
                    return

    def _content(self, tokens: Iterator[Token]) -> str:
        """The text of a block that holds no other, up to its end."""
        text = self._inline(next(tokens).children or ())
        next(tokens)
        return text

    def _heading(self, opening: Token, tokens: Iterator[Token]) -> str:
        line = self._content(tokens).replace("\n", " ")
        text = _CLOSING_SIGNS.sub(r"\\#\1", line)
        signs = "#" * int(opening.tag[1:])
        if not text.strip():
            return ""
        return f"{signs} {text}"

    def _quote(self, tokens: Iterator[Token], depth: int) -> str:
        text = joined(self.blocks(tokens, depth))
        lines = [f"> {line}".rstrip() for line in text.split("\n")]
        return "\n".join(lines)

    def _items(self, opening: Token, tokens: Iterator[Token], depth: int) -> Iterator[Piece]:
        """A list inside of an item follows its paragraph at once, but if it begins with a 2."""
        is_bullets = opening.type == "bullet_list_open"
        number = int(opening.attrs.get("start", 1))
        gap = "\n\n"
        if depth and (is_bullets or number == 1):
            gap = "\n"
        while next(tokens).type == "list_item_open":
            sign = "- " if is_bullets else f"{number}. "
            text = joined(self.blocks(tokens, depth + 1))
            inside = indent(text, " " * len(sign)).lstrip()
            yield Piece(text=f"{sign}{inside}".rstrip(), gap=gap)
            number += 1
            gap = "\n"

    def _inline(self, children: Sequence[Token]) -> str:
        """A paragraph. A mark inside its like gets no second pair: Slack shows the signs."""
        opened: list[tuple[str, list[str]]] = [("", [])]
        """The marks that are open, and the parts inside of each so far."""
        tokens = iter(children)
        for token in tokens:
            name, _, edge = token.type.rpartition("_")
            mark = _MARKS.get(name, "")
            if not mark:
                _, parts = opened[-1]
                parts.append(self._leaf(token, tokens))
            elif edge == "open":
                if any(mark == other for other, _ in opened):
                    mark = ""
                opened.append((mark, []))
            else:
                closed, parts = opened.pop()
                marked = _marked("".join(parts), closed)
                _, outer = opened[-1]
                outer.append(marked)
        _, parts = opened[0]
        return self._line("".join(parts))

    def _leaf(self, token: Token, tokens: Iterator[Token]) -> str:
        match token.type:
            case "code_inline":
                return inline_code(token.content)
            case "link_open":
                return self._link(token, tokens)
            case "image":
                return _unlinked(str(token.attrs.get("src", "")), token.content)
            case "softbreak" | "hardbreak":
                return "\n"
            case _:
                runs = self._runs(token.content)
                return "".join(self._mark(url) if url else _literal(words) for words, url in runs)

    def _link(self, opening: Token, tokens: Iterator[Token]) -> str:
        url = str(opening.attrs.get("href", ""))
        label = _plain(_until(tokens, "link_close"))
        if self.footnotes and _is_source(url, label):
            mark = self.footnotes.mark(url)
            if _NUMBER.fullmatch(label):
                return mark
            return f"{TITLE}{_literal(flat(label))}{CITED} {mark}"
        linked = link(url, label, self.is_live, _literal)
        is_live = link(url, "", self.is_live).startswith("<")
        return linked if is_live else _unlinked(url, label)

    def _mark(self, url: str) -> str:
        return self.footnotes.mark(url) if self.footnotes else ""

    def _line(self, text: str) -> str:
        """With links as Markdown has them; a bare address becomes one, or code."""
        text = tidied(text)
        line = ""
        end = 0
        for match in ADDRESSES.finditer(text):
            before = text[end : match.start()]
            backslashes = len(before) - len(before.rstrip("\\"))
            if match["bare"] and backslashes % 2:
                before = before[:-1]  # it belonged to the address's first sign
            line += _BRACKET.sub(_WITH_BACKSLASH, before)
            address = self._address(match)
            if address.startswith("[") and line.endswith("!"):
                line = f"{line[:-1]}\\!"
            elif address.startswith("`") and line.endswith("`"):
                line += ZERO_WIDTH_SPACE
            line += address
            end = match.end()
        line += _BRACKET.sub(_WITH_BACKSLASH, text[end:])
        return _LINE_START.sub(lambda match: f"{match[1] or ''}\\", line)

    def _address(self, match: re.Match[str]) -> str:
        """One code span, link or bare address of a rendered line."""
        if match[0].startswith("`"):
            content = match[0].strip("`")
            return f"`{inert(unescape(content))}`"
        if not match["bare"]:
            inside_brackets = match[0].strip("<>")
            url, _, label = inside_brackets.partition("|")
            inside = _OPEN_BRACKET.sub(_WITH_BACKSLASH, label)
            return f"[{inside}]({url.translate(_IN_TARGET)})"
        address, rest = bare_address(_ESCAPED.sub(r"\1", match["bare"]))
        if self.is_live is all_live and real_host(address) is None:
            return match[0]
        linked = link(address, address, self.is_live, _literal)
        if not linked.startswith("<"):
            linked = as_code(address)
        inner = ADDRESSES.fullmatch(linked)
        written = self._address(inner) if inner else ""
        return written + _literal(rest)

    def _runs(self, text: str) -> Iterator[tuple[str, str]]:
        """The text in runs, each with the address of the source that a number in it stands for.

        A number without a source is left out, unless there are no sources: it cites nothing then.
        """
        end = 0
        footnotes = self.footnotes
        if footnotes and footnotes.urls:
            for bracket in _CITED.finditer(text):
                urls = [footnotes.url_of(int(n)) for n in re.findall(r"\d+", bracket[1])]
                cited = [url for url in urls if url]
                before = text[end : bracket.start()]
                yield before if cited else before.rstrip(" "), ""
                for url in cited:
                    yield "", url
                end = bracket.end()
        yield text[end:], ""

    def _table(self, tokens: Iterator[Token]) -> Table:
        rows: list[tuple[Cell, ...]] = []
        alignments: list[str] = []
        row: list[Cell] = []
        for token in _until(tokens, "table_close"):
            match token.type:
                case "tr_open":
                    row = []
                case "th_open" | "td_open":
                    if not rows:
                        style = str(token.attrs.get("style", ""))
                        _, _, alignment = style.partition("text-align:")
                        alignments.append(alignment or "left")
                    row.append(self._cell(next(tokens)))
                case "tr_close":
                    rows.append(tuple(row))
                case _:
                    pass
        return Table(rows=tuple(rows), alignments=tuple(alignments))

    def _cell(self, content: Token) -> Cell:
        """Its words and marks; a page that they link to is cited behind them."""
        runs: list[tuple[str, str]] = []
        tokens = iter(content.children or ())
        for token in tokens:
            if token.type == "text":
                runs += self._runs(token.content)
                continue
            if token.type != "link_open":
                runs.append((_plain([token]), ""))
                continue
            url = str(token.attrs.get("href", ""))
            label = _plain(_until(tokens, "link_close"))
            is_number = _NUMBER.fullmatch(label)
            if not (self.footnotes and is_number):
                runs.append((label, ""))
            if self.footnotes and _is_source(url, label):
                runs += [("" if is_number else " ", ""), ("", url)]
        return tuple(_merged_cell(runs, self.footnotes))


def _merged_cell(
    runs: Iterable[tuple[str, str]], footnotes: Footnotes | None
) -> Iterator[tuple[str, str]]:
    """The runs with something in them, marks as they are shown; equal neighbours once."""
    last = ""
    for words, url in runs:
        if url and footnotes and url != last:
            address = url if footnotes.is_linked(url) else ""
            yield f"[{footnotes.number_of(url)}]", address
        elif words:
            yield words, ""
        last = url or (last if not words.strip() else "")


def _is_source(url: str, label: str) -> bool:
    """Whether a link is cited by a number: to the web, and its label does not show the host."""
    host = real_host(url) or ""
    if not url.lower().startswith(("http://", "https://")) or host.endswith(".slack.com"):
        return False
    words = flat(label)
    own = {url, host, host.removeprefix("www."), f"www.{host}"}
    return bool(words) and words.lower() not in own and "://" not in words


def _unlinked(url: str, label: str) -> str:
    """A label and its host as words; an address that nobody can follow where there is no label."""
    words = flat(label)
    if not words or "://" in words:
        return as_code(url)
    host = host_of(url)
    if not host:
        return _literal(words)
    return f"{_literal(words)} · {plain_host(host)}"


def _marked(text: str, mark: str) -> str:
    """The text between marks; breaks at its edges stand outside, where the marks still count."""
    inside = text.strip()
    if not inside:
        return text
    return text.replace(inside, f"{mark}{inside}{mark}", 1)


def _literal(text: str) -> str:
    """Text that has no markup."""
    without_ticks = escape(text).replace("`", LOOKS_LIKE_TICK)
    return _MARK.sub(_WITH_BACKSLASH, without_ticks)


def _until(tokens: Iterator[Token], end: str) -> Iterator[Token]:
    for token in tokens:
        if token.type == end:
            return
        yield token


def _plain(tokens: Iterable[Token]) -> str:
    text = ""
    for token in tokens:
        text += "\n" if token.type.endswith("break") else token.content
    return text
