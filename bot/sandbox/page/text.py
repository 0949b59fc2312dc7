"""Renders every text of the team as HTML: mrkdwn, plain text, Markdown, rich text.

The page puts this HTML into its DOM unchanged. So nh3 cleans each text last, whoever made it, and
`dress` removes any HTML that an app sent along by itself.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from html import escape, unescape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from nh3 import Cleaner

from bot.sandbox.slack.state import TeamState
from bot.sandbox.slack.wire import JsonObject, as_array, as_object

EMOJI: Mapping[str, str] = json.loads((Path(__file__).parent / "emoji.json").read_text("utf-8"))
"""Short names as Slack has them, and their characters."""
_EMOJI_NAME = re.compile(r":([a-z0-9_+'-]+):")
_REFERENCE = re.compile(r"<([^<>|\n]+)(?:\|([^<>\n]*))?>")
_REST_OF_URL = re.compile(r"://[^\s<>|`]*[^\s<>|`.,;:!?)\]}'\"*_~]")
_DATE = re.compile(r"!date\^(\d{1,10})\^([^^]+)(?:\^.*)?")
_NEAR_DAYS = {
    -1: "yesterday",
    0: "today",
    1: "tomorrow",
}
_HARD_SPACE = "\u00a0"
_HAIR_SPACE = "\u200a"
_NO_SPACE = "\u200b"
_MRKDWN_RULES = (
    "blockquote backticks emphasis fence strikethrough newline entity balance_pairs fragments_join"
)
_TAGS = "a blockquote br button code div em h4 hr li ol p pre s span strong table tbody td th thead"
_CLEANER = Cleaner(
    tags={*_TAGS.split(), "time", "tr", "u", "ul"},
    attributes={
        "a": {"href"},
        "button": {"data-user", "data-channel"},
        "ol": {"start"},
        "span": {"aria-label", "role", "title"},
    },
    allowed_classes={tag: {"emoji", "mention", "is-me"} for tag in ("button", "span")},
    set_tag_attribute_values={
        "a": {"target": "_blank"},
        "button": {"type": "button"},
    },
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


class Texts:
    """Renders for one reader: present names, dates in the reader's zone."""

    def __init__(self, state: TeamState, reader: str) -> None:
        self._state = state
        self._reader = reader
        self._markdown = MarkdownIt(
            "js-default",
            {"breaks": True},
            renderer_cls=lambda _: _Html(),
        )
        self._markdown.disable("image")
        self._mrkdwn = MarkdownIt(
            "zero",
            {"breaks": True},
            renderer_cls=lambda _: _MrkdwnHtml(self.typed),
        )
        self._mrkdwn.enable(_MRKDWN_RULES.split())
        for parser in (self._markdown, self._mrkdwn):
            parser.inline.ruler.before("text", "slack", self._parse_slack_syntax)

    def dress(self, value: Any) -> Any:
        """Blocks in which each text has its `html`, and no other object has any."""
        items = as_array(value)
        if items is not None:
            return [self.dress(item) for item in items]
        fields = as_object(value)
        if fields is None:
            return value
        dressed = {name: self.dress(field) for name, field in fields.items() if name != "html"}
        html = self._html_of(fields)
        if html is not None:
            dressed["html"] = _CLEANER.clean(html)
        return dressed

    def mrkdwn(self, text: str) -> str:
        """The HTML of mrkdwn in wire form: `&lt;` for `<`, `<@U1>` for people."""
        return _CLEANER.clean(self._render_mrkdwn(text))

    def typed(self, text: str) -> str:
        """The typed form of wire text: `@ann`, `#general`, bare links, no escapes."""
        named = _REFERENCE.sub(lambda match: self._name(match[1], match[2] or ""), text)
        return unescape(named)

    def _html_of(self, fields: JsonObject) -> str | None:
        match fields:
            case {"type": "mrkdwn", "text": str(text)}:
                return self._render_mrkdwn(text)
            case {"type": "plain_text", "text": str(text)}:
                escaped = escape(text, quote=False)
                lines = escaped.replace("\n", "<br>")
                return _EMOJI_NAME.sub(lambda match: _emoji(match[1]) or match[0], lines)
            case {"type": "markdown", "text": str(text)}:
                return self._markdown.render(text)
            case {"type": "rich_text", "elements": [*sections]}:
                return "".join(_paragraph(section["elements"]) for section in sections)
            case _:
                return None

    def _render_mrkdwn(self, text: str) -> str:
        """Mrkdwn as a subset of Markdown: one `~` strikes, a quote ends with its line.

        A space without width ends a word in mrkdwn, but not in Markdown.
        """
        text = text.replace(_NO_SPACE, _HAIR_SPACE)
        text = re.sub(r"(?<![~\w])~(?=[^\s~])([^~\n]*[^\s~])~(?![~\w])", r"~~\1~~", text)
        text = re.sub(r"(?m)^(?:&gt;|>) ?(.*)$", r"> \1", text)
        text = re.sub(r"(?m)^(> .*\n)(?!>)", r"\1\n", text)
        text = re.sub(r"(?m)^ +", lambda match: _HARD_SPACE * len(match[0]), text)
        html = self._mrkdwn.render(text)
        return html.replace(_HAIR_SPACE, _NO_SPACE)

    def _parse_slack_syntax(self, state: StateInline, silent: bool) -> bool:
        """References, emoji and bare addresses, which Slack reads in Markdown too."""
        text = state.src
        at = state.pos
        reference = _REFERENCE.match(text, at)
        emoji = _EMOJI_NAME.match(text, at)
        rest = _REST_OF_URL.match(text, at)
        scheme = re.search(r"(?<!\w)https?$", state.pending)
        html = None
        parsed = ""
        if reference:
            label = unescape(reference[2] or "")
            html = self._reference(reference[1], label)
        elif emoji:
            html = _emoji(emoji[1])
        elif rest and scheme and not state.linkLevel:
            # The parser has read the scheme as plain text already.
            parsed = scheme[0]
            html = _link(unescape(parsed + rest[0]))
        match = reference or emoji or rest
        if match is None or html is None:
            return False
        if not silent:
            state.pending = state.pending.removesuffix(parsed)
            token = state.push("html_inline", "", 0)
            token.content = html
        state.pos = match.end()
        return True

    def _reference(self, target: str, label: str) -> str | None:
        """The HTML of `<target|label>`; None for an address that may not be live."""
        sign = target[0]
        name = target[1:]
        if sign in "@#":
            look = "mention is-me" if name == self._reader else "mention"
            kind = "user" if sign == "@" else "channel"
            key = escape(name)
            user = self._state.users.get(name)
            shown = self._name(target, label)
            if user and user.display_name:
                shown = f"@{user.display_name}"
            return f'<button class="{look}" data-{kind}="{key}">{escape(shown)}</button>'
        if sign == "!":
            date = _DATE.fullmatch(target)
            if date:
                return self._date(int(date[1]), date[2])
            group = escape((label or name).removeprefix("@"))
            return f'<span class="mention is-me">@{group}</span>'
        address = unescape(target)
        return _link(address, label or address.removeprefix("mailto:"))

    def _name(self, target: str, label: str) -> str:
        """The present name of a reference."""
        sign = target[0]
        key = target[1:]
        if sign == "!":
            return label or f"@{key}"
        if sign not in "@#":
            return target
        entry = self._state.users.get(key) or self._state.channels.get(key)
        return sign + (entry.name if entry else label or key)

    def _date(self, epoch_s: int, form: str) -> str:
        """Slack's date, in the reader's zone."""
        zone = ZoneInfo(self._state.users[self._reader].tz)
        moment = datetime.fromtimestamp(epoch_s, zone)
        today = datetime.fromtimestamp(self._state.clock.now(), zone).date()
        days = (moment.date() - today).days
        text = unescape(form)
        text = text.replace("{date_short_pretty}", _NEAR_DAYS.get(days, f"{moment:%b %-d, %Y}"))
        text = text.replace("{time}", f"{moment:%-I:%M %p}")
        return f"<time>{escape(text)}</time>"


class _Html(RendererHTML):
    """Markdown's HTML with one size of headings."""

    def heading_open(self, *_: object) -> str:
        return "<h4>"

    def heading_close(self, *_: object) -> str:
        return "</h4>"


class _MrkdwnHtml(_Html):
    """The HTML of mrkdwn, in which lines follow each other as they were typed."""

    def __init__(self, typed: Callable[[str], str]) -> None:
        self._typed = typed
        super().__init__()

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        if idx == 0:
            return ""
        previous = tokens[idx - 1]
        return "<br><br>" if previous.type == "paragraph_close" else ""

    def paragraph_close(self, *_: object) -> str:
        return ""

    def em_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return "<strong>" if tokens[idx].markup == "*" else "<em>"

    def em_close(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return "</strong>" if tokens[idx].markup == "*" else "</em>"

    def strong_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        """Two signs mean nothing to Slack."""
        return tokens[idx].markup

    strong_close = strong_open

    def code_inline(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        """Code as it was typed, whatever it holds."""
        code = tokens[idx].content.rstrip().replace(_HARD_SPACE, " ")
        code = escape(self._typed(code), quote=False)
        return f"<code>{code}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        code = self.code_inline(tokens, idx, options, env)
        return f"<pre>{code}</pre>"


def _paragraph(leaves: Sequence[JsonObject]) -> str:
    """A section of rich text, which has texts and links."""
    html = ""
    for leaf in leaves:
        address = str(leaf.get("url", ""))
        text = str(leaf.get("text", address))
        html += _link(address, text) or escape(text).replace("\n", "<br>")
    return f"<div>{html}</div>"


def _emoji(name: str) -> str | None:
    if name not in EMOJI:
        return None
    label = name.replace("_", " ")
    attributes = f'class="emoji" role="img" aria-label="{label} emoji" title=":{name}:"'
    return f"<span {attributes}>{EMOJI[name]}</span>"


def _link(address: str, label: str = "") -> str | None:
    """None for an address that may not be live."""
    if not re.match(r"https?://|mailto:", address, re.IGNORECASE):
        return None
    shown = escape(label or address)
    return f'<a href="{escape(address)}">{shown}</a>'
