"""From report Markdown to safe HTML: no raw HTML, no images, links to known pages alone."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from html import escape
from itertools import chain, takewhile, zip_longest
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from mcp_local.report.charts import KINDS, draw_chart
from mcp_local.report.citations import (
    CITATION,
    NOTE_SIGN,
    UNFOUND,
    cited_numbers,
    read_citation,
    read_note,
)

LINK_REL = "noopener noreferrer nofollow"
KNOWN = "known"
LABELS = "labels"
NOTES = "notes"
"""In the meta of a citation's token: the ids of its footnotes by the numbers of their sources."""
CHART = "chart"
"""The type of the block token that stands for a drawing; its content is SVG of ours."""
_LINK_SCHEMES = ("http://", "https://")
_ALIGNMENT = re.compile(r'style="text-align:(left|center|right)"')
_SPACED_CITATION = re.compile(r'(?<!\s)\s++(?=<a class="citation")')

# The second net under the parser: what our own rendering produces, and nothing else.
_CHART_MARK = "<i></i>"
"""Passes the second net in the place of a drawing, which does not; nothing else makes it."""
_TEXT_TAGS = {
    "i",
    "small",
    "p",
    "br",
    "hr",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "a",
    "ul",
    "ol",
    "li",
}
_BLOCK_TAGS = {"h2", "h3", "h4", "h5", "h6", "blockquote", "aside", "figure"}
_TABLE_TAGS = {"table", "thead", "tbody", "tr", "th", "td"}
_ATTRIBUTES = {
    "a": {"href", "class", "rel", "id", "aria-describedby"},
    "aside": {"class", "role"},
    "figure": {"class"},
    "p": {"class"},
    "small": {"class", "title"},
    "th": {"class"},
    "td": {"class"},
    "code": {"class"},
    "ol": {"start"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}


def parse_markdown(text: str, known: frozenset[str] = frozenset()) -> list[Token]:
    """The tokens of `text`: citations and info boxes marked, links that lead astray left out.

    `known` are the addresses that may be linked: any other may carry what a page told the author
    to send.
    """
    return _parser().parse(text.replace(NOTE_SIGN, ""), {KNOWN: known})


def parse_again(inline: Token, content: str, known: frozenset[str]) -> None:
    """Give an inline token the children of another text, in which marks of the check stand."""
    (parsed,) = _parser().parseInline(content, {KNOWN: known})
    inline.children = parsed.children


def render_tokens(
    tokens: Sequence[Token],
    labels: Mapping[int, int],
    marks: Mapping[str, str] | None = None,
) -> str:
    """Inert HTML of the tokens: no script, style, image, form or frame, whatever came in.

    A citation shows its source's number in the page, of `labels`. `marks` are what a mark says to
    the reader, by its kind, and `table` and `scrolls` what a table does.
    """
    names = marks or {}
    drawings: list[str] = []
    environment = {LABELS: labels, CHART: drawings, **names}
    html = _parser().renderer.render(tokens, _parser().options, environment)
    # Inline styles do not pass the second net; a citation follows its sentence without a space.
    html = _ALIGNMENT.sub(r'class="\1"', html)
    html = _SPACED_CITATION.sub("", html)
    clean = nh3.clean(
        html,
        tags=_TEXT_TAGS | _BLOCK_TAGS | _TABLE_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )
    # A wide table scrolls in a box of its own, which the keyboard reaches; so does code.
    label = escape(names.get("table", ""))
    hint = escape(names.get("scrolls", ""))
    box = f'<div class="table" tabindex="0" role="group" aria-label="{label}" data-hint="{hint}">'
    framed = clean.replace("<pre>", '<pre tabindex="0">').replace("<table>", f"{box}<table>")
    framed = framed.replace("</table>", "</table></div>")
    parts = chain.from_iterable(zip_longest(framed.split(_CHART_MARK), drawings, fillvalue=""))
    return "".join(parts)


def plain_text(inline: Token) -> str:
    """What an inline token says, without marks and citations."""
    children = inline.children or []
    words = [
        " " if child.type.endswith("break") else child.content
        for child in children
        if child.type not in (CITATION, UNFOUND)
    ]
    return " ".join("".join(words).split())


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Parse every link, so that the text of one we refuse can stay without its address."""
        return True


@cache
def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Reference definitions would turn [1] into a foreign link; a dashed line under a paragraph and
    # four leading spaces are slips of a model more often than a heading and code.
    parser.disable(["reference", "lheading", "code"])
    parser.inline.ruler.before("link", "citation", read_citation)
    parser.inline.ruler.before("citation", "note", read_note)
    parser.core.ruler.push("links", _keep_known_links)
    parser.core.ruler.before("inline", "boxes", mark_boxes)
    parser.core.ruler.push("charts", _draw_charts)
    for name, rule in _RENDER_RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _keep_known_links(state: StateCore) -> None:
    """A link to a known address; of another its text, with the host beside it if it has one."""
    known: frozenset[str] = state.env.get(KNOWN, frozenset())
    for token in state.tokens:
        if token.children:
            token.children = _known_links(token.children, known)


def _known_links(children: Sequence[Token], known: frozenset[str]) -> list[Token]:
    kept: list[Token] = []
    address = ""
    for child in children:
        if child.type == "link_open":
            address = str(child.attrGet("href") or "")
            child.attrs = {"href": address, "rel": LINK_REL}
        is_link = child.type in ("link_open", "link_close")
        if not is_link or (address in known and address.lower().startswith(_LINK_SCHEMES)):
            kept.append(child)
        elif child.type == "link_close":
            with suppress(ValueError):
                host = urlsplit(address).hostname
                kept.append(Token("text", "", 0, content=f" ({host})" if host else ""))
    return kept


def _render_citation(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: object, env: Mapping[str, Any]
) -> str:
    labels: Mapping[int, int] = env[LABELS]
    token = tokens[at]
    notes: Mapping[int, int] = token.meta.get(NOTES, {})
    links: list[str] = []
    for number in cited_numbers(token.content):
        label = labels[number]
        note = notes.get(number)
        about = f' id="c{note}" aria-describedby="p{note}"' if note else ""
        links.append(f'<a class="citation" href="#source-{label}"{about}>[{label}]</a>')
    return "".join(links)


def _render_chart(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: object, env: Mapping[str, Any]
) -> str:
    env[CHART].append(tokens[at].content)
    return _CHART_MARK


def _render_unfound(
    _: RendererHTML, tokens: Sequence[Token], at: int, options: object, env: dict[str, Any]
) -> str:
    """The words stand in the page, as paper has no tooltip; it names what was not found."""
    label = escape(env[tokens[at].info])
    return f' <small class="unfound" title="{label}: {escape(tokens[at].content)}">{label}</small>'


def _render_image(_: RendererHTML, tokens: Sequence[Token], at: int, *more: object) -> str:
    return escape(tokens[at].content)


_RENDER_RULES: dict[str, Any] = {
    CITATION: _render_citation,
    UNFOUND: _render_unfound,
    CHART: _render_chart,
    "image": _render_image,
}


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
    "figures": "figures",
    "timeline": "timeline",
    **dict.fromkeys(KINDS, CHART),
}


def mark_boxes(state: StateCore) -> None:
    """Core rule of the parser, before the inline one: labelled blockquotes become boxes.

    Words on the label's line are the box's title if a text follows them, else they are the text
    and the label itself is the title. The first word of a label chooses the style.
    """
    for at in range(len(state.tokens) - 4, -1, -1):
        kinds = [token.type for token in state.tokens[at : at + 3]]
        if kinds == ["blockquote_open", "paragraph_open", "inline"]:
            _mark_box(state.tokens, at)


def _mark_box(tokens: list[Token], at: int) -> None:
    box, opening, inline, closing = tokens[at : at + 4]
    label = _LABEL.match(inline.content)
    if label is None:
        return
    end = at + 1
    while tokens[end].type != "blockquote_close" or tokens[end].level != box.level:
        end += 1
    kind, _, _ = label[1].casefold().strip().partition(" ")
    style = _STYLES.get(kind, "note")
    box.tag = tokens[end].tag = "aside"
    box.attrs = {"class": f"box {style}", "role": "note"}
    if style == CHART:
        box.tag = tokens[end].tag = "figure"
        box.attrs = {"class": CHART}
        box.info = kind
    title, _, text = inline.content[label.end() :].partition("\n")
    is_alone = tokens[at + 4] is tokens[end]
    if not title or (is_alone and not text):
        text = title or text
        title = label[1].strip()
        if title.isupper():
            title = title.capitalize()
    inline.content = title
    if text:
        tokens[at + 4 : at + 4] = [
            replace(opening),
            replace(inline, content=text, children=[]),
            replace(closing),
        ]
    opening.attrs = {"class": "box-title"}


def _draw_charts(state: StateCore) -> None:
    """Core rule of the parser, after the inline one: a chart box's table is drawn above it."""
    for at in range(len(state.tokens) - 1, -1, -1):
        box = state.tokens[at]
        if box.tag == "figure" and box.nesting == 1:
            inside = takewhile(lambda token: token.tag != "figure", state.tokens[at + 1 :])
            rows: list[list[str]] = []
            for token in inside:
                if token.type == "tr_open":
                    rows.append([])
                elif token.type == "inline" and rows:
                    rows[-1].append(plain_text(token))
            drawing = draw_chart(box.info, plain_text(state.tokens[at + 2]), rows)
            chart = Token(CHART, "", 0, content=drawing)
            state.tokens[at + 4 : at + 4] = [chart]
