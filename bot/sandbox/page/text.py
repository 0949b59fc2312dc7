"""Every text of the team as finished HTML: mrkdwn, plain text, Markdown, rich text.

The page puts this HTML into its DOM as it is. So each text goes through nh3 last, whoever made it,
and `dress` takes away any HTML that an app sent along by itself.
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
_HARD_SPACE, _HAIR_SPACE, _NO_SPACE = "\u00a0", "\u200a", "\u200b"
_MRKDWN_RULES = (
    "blockquote backticks emphasis fence strikethrough newline entity balance_pairs fragments_join"
)
_STYLES = {"bold": "strong", "italic": "em", "strike": "s", "underline": "u", "code": "code"}
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
    set_tag_attribute_values={"a": {"target": "_blank"}, "button": {"type": "button"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


class Texts:
    """Renders as one person reads: the names of now, dates in the person's zone."""

    def __init__(self, state: TeamState, reader: str) -> None:
        self._state = state
        self._reader = reader
        self._markdown = MarkdownIt(
            "js-default", {"breaks": True}, renderer_cls=lambda _: _Html()
        ).disable("image")
        self._mrkdwn = MarkdownIt(
            "zero", {"breaks": True}, renderer_cls=lambda _: _MrkdwnHtml(self.typed)
        ).enable(_MRKDWN_RULES.split())
        for parser in (self._markdown, self._mrkdwn):
            parser.inline.ruler.before("text", "slack", self._read_slacks_own)

    def dress(self, value: Any) -> Any:
        """Blocks in which each text has its `html`, and nothing else has any."""
        if (items := as_array(value)) is not None:
            return [self.dress(item) for item in items]
        if (fields := as_object(value)) is None:
            return value
        dressed = {name: self.dress(field) for name, field in fields.items() if name != "html"}
        html = self._html_of(fields)
        return dressed if html is None else {**dressed, "html": _CLEANER.clean(html)}

    def mrkdwn(self, text: str) -> str:
        """Slack's own markup as it travels: `&lt;` for `<`, `<@U1>` for people."""
        return _CLEANER.clean(self._render_mrkdwn(text))

    def typed(self, text: str) -> str:
        """What a person would have typed: `@ann`, `#general`, bare links, no escapes."""
        return unescape(_REFERENCE.sub(lambda match: self._name(*match.groups("")), text))

    def _html_of(self, fields: JsonObject) -> str | None:
        match fields:
            case {"type": "mrkdwn", "text": str(text)}:
                return self._render_mrkdwn(text)
            case {"type": "plain_text", "text": str(text)}:
                escaped = escape(text, quote=False).replace("\n", "<br>")
                return _EMOJI_NAME.sub(lambda match: _emoji(match[1]) or match[0], escaped)
            case {"type": "markdown", "text": str(text)}:
                return self._markdown.render(text)
            case {"type": "rich_text", "elements": [*sections]}:
                leaves = ("".join(map(_leaf, section["elements"])) for section in sections)
                return "".join(f"<div>{inside}</div>" for inside in leaves)
            case _:
                return None

    def _render_mrkdwn(self, text: str) -> str:
        """As Markdown with less in it: one `~` strikes, a quote ends with its line.

        A space without width is where a word ends, which Markdown does not know.
        """
        text = text.replace(_NO_SPACE, _HAIR_SPACE)
        text = re.sub(r"(?<![~\w])~(?=[^\s~])([^~\n]*[^\s~])~(?![~\w])", r"~~\1~~", text)
        text = re.sub(r"(?m)^(?:&gt;|>) ?(.*)$", r"> \1", text)
        text = re.sub(r"(?m)^(> .*\n)(?!>)", r"\1\n", text)
        text = re.sub(r"(?m)^ +", lambda match: _HARD_SPACE * len(match[0]), text)
        return self._mrkdwn.render(text).replace(_HAIR_SPACE, _NO_SPACE)

    def _read_slacks_own(self, state: StateInline, silent: bool) -> bool:
        """References, emoji and bare addresses, which Slack reads in Markdown too."""
        if found := _REFERENCE.match(state.src, state.pos):
            html = self._reference(found[1], unescape(found[2] or ""))
        elif found := _EMOJI_NAME.match(state.src, state.pos):
            html = _emoji(found[1])
        elif (found := _REST_OF_URL.match(state.src, state.pos)) and not state.linkLevel:
            scheme = re.search(r"(?<!\w)https?$", state.pending)
            html = _link(unescape(scheme[0] + found[0])) if scheme else None
            if scheme and not silent:
                state.pending = state.pending[: scheme.start()]
        else:
            html = None
        if not found or html is None:
            return False
        if not silent:
            state.push("html_inline", "", 0).content = html
        state.pos = found.end()
        return True

    def _reference(self, target: str, label: str) -> str | None:
        sign, of = target[0], target[1:]
        if sign in "@#":
            look = "mention is-me" if of == self._reader else "mention"
            kind, shown = ("user" if sign == "@" else "channel"), self._name(target, label)
            return f'<button class="{look}" data-{kind}="{escape(of)}">{escape(shown)}</button>'
        if sign == "!":
            moment = re.fullmatch(r"!date\^(\d{1,10})\^([^^]+)(?:\^.*)?", target)
            return self._date(int(moment[1]), moment[2]) if moment else _group(label or of)
        address = unescape(target)
        return _link(address, label or address.removeprefix("mailto:"))

    def _name(self, target: str, label: str) -> str:
        """What a reference is called now."""
        sign, of = target[0], target[1:]
        if sign == "@":
            user = self._state.users.get(of)
            return f"@{user.name if user else label or of}"
        if sign == "#":
            channel = self._state.channels.get(of)
            return f"#{channel.name if channel else label or of}"
        return (label or f"@{of}") if sign == "!" else target

    def _date(self, moment: int, form: str) -> str:
        """Slack's date, in the reader's zone."""
        zone = ZoneInfo(self._state.users[self._reader].tz)
        at = datetime.fromtimestamp(moment, zone)
        days = (at.date() - datetime.fromtimestamp(self._state.clock.now(), zone).date()).days
        near = {-1: "yesterday", 0: "today", 1: "tomorrow"}
        words = {"time": f"{at:%-I:%M %p}", "date_short": f"{at:%b %-d, %Y}"}
        words["date_short_pretty"] = near.get(days, words["date_short"])
        shown = re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), form)
        return f"<time>{escape(unescape(shown))}</time>"


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
        return "<br><br>" if idx and tokens[idx - 1].type == "paragraph_close" else ""

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
        typed = self._typed(tokens[idx].content.rstrip().replace(_HARD_SPACE, " "))
        return f"<code>{escape(typed, quote=False)}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return f"<pre>{self.code_inline(tokens, idx, options, env)}</pre>"


def _leaf(leaf: JsonObject) -> str:
    """A text or a link of rich text."""
    text = str(leaf.get("text") or leaf.get("url"))
    html = escape(text).replace("\n", "<br>")
    if leaf["type"] == "link":
        html = _link(leaf["url"], text) or html
    for style in leaf.get("style") or ():
        html = f"<{_STYLES[style]}>{html}</{_STYLES[style]}>"
    return html


def _emoji(name: str) -> str | None:
    if name not in EMOJI:
        return None
    named = f'role="img" aria-label="{name.replace("_", " ")} emoji" title=":{name}:"'
    return f'<span class="emoji" {named}>{EMOJI[name]}</span>'


def _group(name: str) -> str:
    return f'<span class="mention is-me">@{escape(name.removeprefix("@"))}</span>'


def _link(address: str, label: str = "") -> str | None:
    """None for an address that may not be live."""
    if not re.match(r"https?://|mailto:", address, re.IGNORECASE):
        return None
    return f'<a href="{escape(address)}">{escape(label or address)}</a>'
