"""What agents write, as HTML for the live view: Markdown, in which only known addresses are links.

markdown-it reads no HTML in it, and nh3 lets nothing pass but the tags listed here, so the page
puts the result into its DOM as it is. Which addresses may be links `live_links` decides, as it does
for the answer's post in Slack.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token
from nh3 import Cleaner

from agent_core.events import TurnFinished
from bot.presenter.answer import live_links
from bot.render import (
    IsLive,
    limits,
    real_host,
)
from bot.render.markdown import is_slow_to_read

_TAGS = """
    a blockquote br code em h4 hr li ol p pre s span strong table tbody td th thead tr ul
"""
_CLEANER = Cleaner(
    tags=set(_TAGS.split()),
    attributes={"a": {"href", "title"}, "ol": {"start"}},
    allowed_classes={
        "h4": {f"is-level-{level}" for level in range(1, 7)},
        "span": {"link-host"},
        "td": {"align-center", "align-right"},
        "th": {"align-center", "align-right"},
    },
    set_tag_attribute_values={"a": {"target": "_blank"}, "pre": {"tabindex": "0"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer",
)
_PARSER = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 30}).enable(
    ["table", "strikethrough"]
)
_ADDRESS = re.compile(r"https?://[^\s<>\"'`|]*[^\s<>\"'`|.,;:!?)\]}*_~]")


_UNFINISHED = re.compile(r"!?\[([^\]]*)(?:\](?:\([^)\s]*)?)?$|https?:[^\s)]*$")
_UNFINISHED_CHARS = 400


def _undecided(_: str) -> bool:
    """Before the turn ends nobody knows which addresses are live: a link is its words alone."""
    return False


def html_of(markdown: str, is_live: IsLive) -> str:
    """The text as inert HTML; an address that is not live stands there as text."""
    if len(markdown) > limits.ANSWER_CHARS or is_slow_to_read(markdown):
        return _CLEANER.clean(f"<pre>{escape(markdown)}</pre>")
    tokens = _PARSER.parse(markdown)
    for token in tokens:
        # All headings are of one tag, and alignment is a class: the page's policy allows no style.
        if token.type == "heading_open":
            token.attrSet("class", f"is-level-{token.tag[1:]}")
        if token.type.startswith("heading"):
            token.tag = "h4"
        if style := token.attrGet("style"):
            token.attrs = {"class": str(style).replace("text-align:", "align-")}
        if token.children:
            token.children = list(_with_links(token.children, is_live))
    return _CLEANER.clean(_PARSER.renderer.render(tokens, _PARSER.options, {}))


class AgentHtml:
    """The texts of one agent as HTML: each is read once, and of one that grows its last block."""

    def __init__(self) -> None:
        self._end: TurnFinished | None = None
        self._known: dict[str, str] = {}
        self._live = ""
        self._settled = ""
        """HTML of the blocks of the live text that are whole."""
        self._tail_start = 0
        """Where the last block of the live text begins."""

    def of(self, text: str, end: TurnFinished | None) -> str:
        """A text as HTML; which addresses are live the end of the turn says."""
        if end is not self._end:
            self._end = end
            self._known.clear()
        if text not in self._known:
            is_live = live_links(end, home="") if end else _undecided
            self._known[text] = html_of(text, is_live)
        return self._known[text]

    def of_live(self, text: str) -> str:
        """The text of the model call under way as HTML: of a link its words, also unfinished."""
        if not text.startswith(self._live):
            self._settled = ""
            self._tail_start = 0
        self._live = text
        tail = text[self._tail_start :]
        if not is_slow_to_read(tail):
            tokens = _PARSER.parse(tail)
            starts = [token.map[0] for token in tokens if token.level == 0 and token.map]
            whole = "".join(tail.splitlines(keepends=True)[: max(starts, default=0)])
            self._settled += html_of(whole, _undecided)
            self._tail_start += len(whole)
            tail = text[self._tail_start :]
        start = max(0, len(tail) - _UNFINISHED_CHARS)
        end = _UNFINISHED.sub(r"\1", tail[start:])
        return self._settled + html_of(tail[:start] + end, _undecided)


def _with_links(tokens: Iterable[Token], is_live: IsLive) -> Iterator[Token]:
    """The tokens of a paragraph, with each link in the HTML of its address.

    Addresses that have no markup become links; those inside of a link are its words. Nothing is
    loaded: a picture is a link to it.
    """
    url: str | None = None
    label = ""
    for token in tokens:
        html = ""
        match token.type:
            case "link_open":
                url = str(token.attrGet("href"))
                html = _opening(url, is_live)
                label = ""
            case "link_close" if url is not None:
                html = _closing(url, label, is_live)
                url = None
            case "image":
                source = str(token.attrGet("src"))
                html = _link(source, token.content or source, is_live)
            case "text" if url is None:
                end = 0
                for match in _ADDRESS.finditer(token.content):
                    html += escape(token.content[end : match.start()])
                    html += _link(match[0], match[0], is_live)
                    end = match.end()
                html += escape(token.content[end:])
            case _:
                label += token.content
                yield token
                continue
        label += token.content
        yield Token("html_inline", "", 0, content=html)


def _link(url: str, label: str, is_live: IsLive) -> str:
    return _opening(url, is_live) + escape(label) + _closing(url, label, is_live)


def _opening(url: str, is_live: IsLive) -> str:
    if real_host(url) is None or not is_live(url):
        return ""
    return f'<a href="{escape(url)}" title="{escape(url)}">'


def _closing(url: str, label: str, is_live: IsLive) -> str:
    host = real_host(url)
    if host is None or not is_live(url):
        is_plain = is_live is _undecided or url in (label, "")
        return "" if is_plain else f'<span class="link-host"> ({escape(url)})</span>'
    if not label.strip() or host in label:
        return "</a>"
    return f'<span class="link-host"> ({escape(host)})</span></a>'
