"""From report Markdown to safe HTML: no raw HTML, no images, links to known pages alone."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from mcp_local.report.citations import CITATION, QUOTED, cited_numbers, mark_citations

LINK_REL = "noopener noreferrer nofollow"
KNOWN = "known"
_LINK_SCHEMES = ("http://", "https://")
_ALIGNMENT = re.compile(r"text-align:(left|center|right)")

# The second net under the parser: what our own rendering produces, and nothing else.
_TEXT_TAGS = {"p", "br", "hr", "strong", "em", "s", "code", "pre", "a", "ul", "ol", "li"}
_BLOCK_TAGS = {"h2", "h3", "h4", "h5", "h6", "blockquote", "aside", "div"}
_TABLE_TAGS = {"table", "thead", "tbody", "tr", "th", "td"}
_ATTRIBUTES = {
    "a": {"href", "class", "rel"},
    "aside": {"class"},
    "p": {"class"},
    "div": {"class"},
    "th": {"class"},
    "td": {"class"},
    "code": {"class"},
    "ol": {"start"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}


def parse_markdown(
    text: str, quoted: frozenset[str] = frozenset(), known: frozenset[str] = frozenset()
) -> list[Token]:
    """The tokens of `text`: citations and info boxes marked, links that lead astray left out.

    `quoted` are brackets that are no citations (see quoted_brackets). `known` are the addresses
    that may be linked: any other may carry what a page told the author to send.
    """
    return _parser().parse(text, {QUOTED: quoted, KNOWN: known})


def render_tokens(tokens: Sequence[Token]) -> str:
    """Inert HTML of the tokens: no script, style, image, form or frame, whatever came in."""
    html = _parser().renderer.render(tokens, _parser().options, {})
    return nh3.clean(
        html,
        tags=_TEXT_TAGS | _BLOCK_TAGS | _TABLE_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
        strip_comments=True,
    )


def plain_text(inline: Token) -> str:
    """What an inline token says, without marks and citations."""
    children = inline.children or []
    words = [
        " " if child.type.endswith("break") else child.content
        for child in children
        if child.type != CITATION
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
    # Before text_join an escaped bracket is still apart from running text.
    parser.core.ruler.before("text_join", "citations", mark_citations)
    parser.core.ruler.push("links", _keep_web_links)
    parser.core.ruler.push("boxes", mark_boxes)
    parser.core.ruler.push("alignment", _classify_alignment)
    for name, rule in _RENDER_RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _keep_web_links(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = _filter_links(token.children, state.env.get(KNOWN, frozenset()))


def _filter_links(children: Sequence[Token], known: frozenset[str]) -> list[Token]:
    """Drop links to addresses that are not known; their text stays, with the host beside it.

    A link around a citation goes too: links cannot be nested.
    """
    kept: list[Token] = []
    opened = -1
    for child in children:
        if child.type == "link_open":
            opened = len(kept)
        kept.append(child)
        if child.type != "link_close":
            continue
        link = kept[opened:]
        if not _is_known_link(link, known):
            kept[opened:] = [*link[1:-1], *_host_of(link)]
    return kept


def _is_known_link(link: Sequence[Token], known: frozenset[str]) -> bool:
    start = link[0]
    start.attrSet("rel", LINK_REL)
    start.attrs.pop("title", None)
    address = _address(link)
    is_web = address.lower().startswith(_LINK_SCHEMES)
    return is_web and address in known and not _holds_citation(link)


def _address(link: Sequence[Token]) -> str:
    return str(link[0].attrGet("href") or "")


def _holds_citation(link: Sequence[Token]) -> bool:
    return any(token.type == CITATION for token in link)


def _host_of(link: Sequence[Token]) -> list[Token]:
    """The host of a link that is not live, as text; nothing beside a citation or another scheme."""
    try:
        host = urlsplit(_address(link)).hostname
    except ValueError:
        host = None
    if not host or _holds_citation(link):
        return []
    return [Token("text", "", 0, content=f" ({host})")]


def _classify_alignment(state: StateCore) -> None:
    """A table's alignment as a class: inline styles do not pass the second net."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if found := _ALIGNMENT.search(style):
                token.attrSet("class", found[1])


def _render_citation(_: RendererHTML, tokens: Sequence[Token], at: int, *more: object) -> str:
    return "".join(
        f'<a class="citation" href="#source-{number}">[{number}]</a>'
        for number in cited_numbers(tokens[at].content)
    )


def _render_image(_: RendererHTML, tokens: Sequence[Token], at: int, *more: object) -> str:
    return escape(tokens[at].content)


def _open_table(*_: object) -> str:
    return '<div class="table"><table>\n'


def _close_table(*_: object) -> str:
    return "</table></div>\n"


_RENDER_RULES: dict[str, Any] = {
    CITATION: _render_citation,
    "image": _render_image,
    "table_open": _open_table,
    "table_close": _close_table,
}


_QUOTED_TEXT = ["blockquote_open", "paragraph_open", "inline"]
_FIRST_PARAGRAPH = 4
"""Tokens of a quotation's start and its first paragraph."""
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
        if [token.type for token in state.tokens[at : at + 3]] == _QUOTED_TEXT:
            _mark_box(state.tokens, at)


def _mark_box(tokens: list[Token], at: int) -> None:
    box, paragraph, inline = tokens[at : at + 3]
    children = inline.children or []
    label = _LABEL.match(children[0].content) if children else None
    if label is None or children[0].type != "text":
        return
    children[0].content = children[0].content[label.end() :]
    end = _closing(tokens, at)
    title, body = _split_title(children)
    has_text_below = body or end > at + _FIRST_PARAGRAPH
    if not title or not has_text_below:
        name = label[1].strip()
        if name.isupper():
            name = name.capitalize()
        body = title or body
        title = [Token("text", "", 0, content=name)]
    kind, _, _ = label[1].casefold().strip().partition(" ")
    box.tag = "aside"
    box.attrSet("class", f"box {_STYLES.get(kind, 'note')}")
    tokens[end].tag = "aside"
    inline.children = title
    paragraph.attrSet("class", "box-title")
    if body:
        behind_title = at + _FIRST_PARAGRAPH
        tokens[behind_title:behind_title] = [
            Token("paragraph_open", "p", 1, block=True),
            Token("inline", "", 0, children=body),
            Token("paragraph_close", "p", -1, block=True),
        ]


def _split_title(children: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """The children on the first line, and those below it."""
    title: list[Token] = []
    body: list[Token] = []
    line = title
    for child in children:
        if child.type.endswith("break") and line is title:
            line = body
        elif child.type != "text" or child.content:
            line.append(child)
    return title, body


def _closing(tokens: Sequence[Token], at: int) -> int:
    level = tokens[at].level
    for index in range(at + 1, len(tokens)):
        token = tokens[index]
        if token.type == "blockquote_close" and token.level == level:
            return index
    raise ValueError("the parser closes every quotation")
