"""What agents write, as HTML for the live view: Markdown, in which only known addresses are links.

markdown-it reads no HTML in it, and nh3 lets nothing pass but the tags listed here, so the page
puts the result into its DOM as it is. Which addresses may be links `live_links` decides, as it does
for the answer's post in Slack.
"""

import re
from collections.abc import MutableMapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from nh3 import Cleaner

from agent_core.events import TurnFinished
from bot.presenter.answer import live_links
from bot.render import (
    IsLive,
    limits,
    none_live,
    real_host,
)
from bot.render.markdown import is_slow_to_read

_TEXT_TAGS = {"a", "br", "code", "em", "s", "span", "strong"}
_BLOCK_TAGS = {"blockquote", "h4", "hr", "li", "ol", "p", "pre", "ul"}
_TABLE_TAGS = {"table", "tbody", "td", "th", "thead", "tr"}
_CLEANER = Cleaner(
    tags=_TEXT_TAGS | _BLOCK_TAGS | _TABLE_TAGS,
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
_ADDRESS = re.compile(r"https?://[^\s<>\"'`|]*[^\s<>\"'`|.,;:!?)\]}*_~]")

_Env = MutableMapping[str, Any]
"""What a rendering is given: `is_live` says which addresses may be links."""


def html_of(markdown: str, is_live: IsLive) -> str:
    """The text as inert HTML; an address that is not live stands there as text."""
    if len(markdown) > limits.ANSWER_CHARS or is_slow_to_read(markdown):
        return _CLEANER.clean(f"<pre>{escape(markdown)}</pre>")
    env: _Env = {"is_live": is_live}
    tokens = _PARSER.parse(markdown, env)
    for token in tokens:
        # All headings are of one tag, and alignment is a class: the page's policy allows no style.
        if token.type == "heading_open":
            token.attrSet("class", f"is-level-{token.tag[1:]}")
        if token.type.startswith("heading"):
            token.tag = "h4"
        if style := token.attrGet("style"):
            token.attrs = {"class": str(style).replace("text-align:", "align-")}
    return _CLEANER.clean(_PARSER.renderer.render(tokens, _PARSER.options, env))


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
            is_live = live_links(end, home="") if end else none_live
            self._known[text] = html_of(text, is_live)
        return self._known[text]

    def of_live(self, text: str) -> str:
        """The text of the model call under way as HTML, without links."""
        if not text.startswith(self._live):
            self._settled = ""
            self._tail_start = 0
        self._live = text
        tail = text[self._tail_start :]
        if not is_slow_to_read(tail):
            tokens = _PARSER.parse(tail)
            starts = [token.map[0] for token in tokens if token.level == 0 and token.map]
            whole = "".join(tail.splitlines(keepends=True)[: max(starts, default=0)])
            self._settled += html_of(whole, none_live)
            self._tail_start += len(whole)
            tail = text[self._tail_start :]
        return self._settled + html_of(tail, none_live)


def _text(
    _writer: object,
    tokens: Sequence[Token],
    index: int,
    _options: object,
    env: _Env,
) -> str:
    """Addresses that have no markup become links; those inside of a link are its words."""
    content = tokens[index].content
    depth = sum(token.nesting for token in tokens[:index] if token.type.startswith("link_"))
    if depth:
        return escape(content)
    html = ""
    end = 0
    for match in _ADDRESS.finditer(content):
        url = match[0]
        html += escape(content[end : match.start()])
        html += _link(url, url, env)
        end = match.end()
    return html + escape(content[end:])


def _link_open(
    _writer: object,
    tokens: Sequence[Token],
    index: int,
    _options: object,
    env: _Env,
) -> str:
    return _opening(str(tokens[index].attrGet("href")), env)


def _link_close(
    _writer: object,
    tokens: Sequence[Token],
    index: int,
    _options: object,
    env: _Env,
) -> str:
    opened = index
    while tokens[opened].type != "link_open":
        opened -= 1
    url = str(tokens[opened].attrGet("href"))
    label = "".join(token.content for token in tokens[opened:index])
    return _closing(url, label, env)


def _image(
    _writer: object,
    tokens: Sequence[Token],
    index: int,
    _options: object,
    env: _Env,
) -> str:
    """Nothing is loaded: a picture is a link to it."""
    url = str(tokens[index].attrGet("src"))
    label = tokens[index].content
    return _link(url, label or url, env)


def _link(url: str, label: str, env: _Env) -> str:
    return _opening(url, env) + escape(label) + _closing(url, label, env)


def _opening(url: str, env: _Env) -> str:
    if not _is_live(url, env):
        return ""
    return f'<a href="{escape(url)}" title="{escape(url)}">'


def _closing(url: str, label: str, env: _Env) -> str:
    if not _is_live(url, env):
        return "" if url in (label, "") else f" ({escape(url)})"
    host = real_host(url) or ""
    if not label.strip() or host in label:
        return "</a>"
    return f'<span class="link-host"> ({escape(host)})</span></a>'


def _is_live(url: str, env: _Env) -> bool:
    return real_host(url) is not None and env["is_live"](url)


_RULES = {
    "text": _text,
    "link_open": _link_open,
    "link_close": _link_close,
    "image": _image,
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 30})
    parser.enable(["table", "strikethrough"])
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _parser()
