"""Every text of the team as finished HTML: mrkdwn, plain text, Markdown, rich text.

The page puts this HTML into its DOM as it is. So each text goes through nh3 last, whoever made it,
and `dress` takes away any HTML that an app sent along by itself.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from markdown_it import MarkdownIt
from nh3 import Cleaner

from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject, as_array, as_object

EMOJI: Mapping[str, str] = json.loads((Path(__file__).parent / "emoji.json").read_text("utf-8"))
"""Short names as Slack has them, and their characters."""
_NAME = r":([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):"
_ATOM = re.compile(
    rf"`(?P<code>[^`\n]+)`|<(?P<reference>[^<>|\n][^<>\n]*)>|(?P<emoji>{_NAME})"
    r"|(?<!\w)(?P<url>https?://[^\s<>|`]*[^\s<>|`.,;:!?)\]}'\"*_~])"
)
_MARKS = (("*", "strong"), ("_", "em"), ("~", "s"))
_STYLES = {"bold": "strong", "italic": "em", "strike": "s", "underline": "u", "code": "code"}
_DATES = {
    "date_num": "%Y-%m-%d",
    "date": "%B %-d, %Y",
    "date_short": "%b %-d, %Y",
    "date_long": "%A, %B %-d, %Y",
    "time": "%-I:%M %p",
    "time_secs": "%-I:%M:%S %p",
}
_TAGS = "a b blockquote br button code del div em h4 hr li ol p pre s span strong table tbody td th"
_CLEANER = Cleaner(
    tags={*_TAGS.split(), "thead", "time", "tr", "u", "ul"},
    attributes={
        "a": {"href"},
        "button": {"data-user", "data-channel"},
        "ol": {"start"},
        "span": {"aria-label", "role", "title"},
        "time": {"title"},
    },
    allowed_classes={
        "button": {"mention", "is-me"},
        "span": {"emoji", "mention", "is-me"},
        "ol": {f"indent-{depth}" for depth in range(9)},
        "ul": {f"indent-{depth}" for depth in range(9)},
    },
    set_tag_attribute_values={"a": {"target": "_blank"}, "button": {"type": "button"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


class Texts:
    """Renders as one person reads: the names of now, dates in the person's zone."""

    def __init__(self, state: State, reader: str) -> None:
        self._state = state
        self._reader = reader
        self._markdown = MarkdownIt("commonmark", {"html": False, "breaks": True})
        self._markdown.enable(["table", "strikethrough"])
        self._markdown.add_render_rule("text", self._rule_for_text())
        self._markdown.add_render_rule("image", _image_as_link)
        self._markdown.add_render_rule("heading_open", lambda *_: "<h4>")
        self._markdown.add_render_rule("heading_close", lambda *_: "</h4>")

    def dress(self, value: Any) -> Any:
        """Blocks in which each text has its `html`, and nothing else has any."""
        if (items := as_array(value)) is not None:
            return [self.dress(item) for item in items]
        if (fields := as_object(value)) is None:
            return value
        dressed = {name: self.dress(field) for name, field in fields.items() if name != "html"}
        try:
            html = self._html_of(fields)
        except (AttributeError, LookupError, TypeError, ValueError):
            html = None  # malformed: the page shows it as JSON
        return dressed if html is None else {**dressed, "html": _CLEANER.clean(html)}

    def mrkdwn(self, text: str) -> str:
        """Slack's own markup as it travels: `&lt;` for `<`, `<@U1>` for people."""
        return _CLEANER.clean(self._mrkdwn(text))

    def typed(self, text: str) -> str:
        """What a person would have typed: `@ann`, `#general`, bare links, no escapes."""
        return _unescape(re.sub(r"<([^<>]+)>", lambda match: self._typed_name(match[1]), text))

    def _html_of(self, fields: JsonObject) -> str | None:
        match fields.get("type"):
            case "mrkdwn":
                return self._mrkdwn(fields["text"])
            case "plain_text":
                return self._plain(fields["text"])
            case "markdown":
                return self._markdown.render(fields["text"].replace("\0", ""))
            case "rich_text":
                return "".join(self._rich_part(part) for part in fields["elements"])
            case _:
                return None

    def _plain(self, text: str) -> str:
        escaped = escape(text, quote=False).replace("\n", "<br>")
        return re.sub(_NAME, lambda match: _emoji(match[1]) or match[0], escaped)

    def _mrkdwn(self, text: str) -> str:
        parts = re.split(r"\n?```\n?(.+?)\n?```\n?", text.replace("\0", ""), flags=re.DOTALL)
        return "".join(
            f"<pre>{self._code(part)}</pre>" if index % 2 else self._lines(part)
            for index, part in enumerate(parts)
        )

    def _lines(self, text: str) -> str:
        html = ""
        for is_quoted, lines in groupby(_marked_lines(text), key=lambda line: line[0]):
            body = "<br>".join(self._inline(line) for _, line in lines)
            html += f"<blockquote>{body}</blockquote>" if is_quoted else body
        return html

    def _inline(self, line: str) -> str:
        """Code, references, emoji and addresses are set aside while emphasis is looked for."""
        atoms: list[str] = []

        def set_aside(match: re.Match[str]) -> str:
            atom = self._atom(match)
            atoms.append(atom or "")
            return match[0] if atom is None else f"\0{len(atoms) - 1}\0"

        text = escape(_unescape(_ATOM.sub(set_aside, line)), quote=False)
        for mark, tag in _MARKS:
            text = _emphasise(text, mark, tag)
        return re.sub("\0(\\d+)\0", lambda match: atoms[int(match[1])], text)

    def _atom(self, match: re.Match[str]) -> str | None:
        if code := match["code"]:
            return f"<code>{self._code(code)}</code>"
        if match["emoji"]:
            return _emoji(match["emoji"].strip(":"))
        if url := match["url"]:
            return _link(_unescape(url))
        target, _, label = match["reference"].partition("|")
        return self._reference(target, _unescape(label))

    def _code(self, text: str) -> str:
        return escape(self.typed(text), quote=False)

    def _reference(self, target: str, label: str) -> str | None:
        sign, name = target[0], target[1:]
        if sign == "@":
            user = self._state.users.get(name)
            shown = user.display_name or user.real_name if user else label or name
            return self._mention("user", name, f"@{shown}")
        if sign == "#":
            channel = self._state.channels.get(name)
            return self._mention("channel", name, f"#{channel.name if channel else label or name}")
        if sign == "!":
            kind, *moment = name.split("^")
            return self._date(moment, label) if kind == "date" else _group(label or kind)
        address = _unescape(target)
        return _link(address, label or address.removeprefix("mailto:"))

    def _mention(self, kind: str, of: str, shown: str) -> str:
        look = "mention is-me" if of == self._reader else "mention"
        return f'<button class="{look}" data-{kind}="{escape(of)}">{escape(shown)}</button>'

    def _date(self, moment: list[str], label: str) -> str:
        """Slack's date in the reader's zone; the label where there is no such moment."""
        zone = ZoneInfo(self._state.users[self._reader].tz)
        try:
            at = datetime.fromtimestamp(int(moment[0]), zone)
            form = _unescape(moment[1])
        except (LookupError, OSError, OverflowError, ValueError):
            return escape(label)
        today = datetime.fromtimestamp(self._state.clock.now(), zone).date()
        near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get((at.date() - today).days)

        def fill(match: re.Match[str]) -> str:
            name = match[1].removesuffix("_pretty")
            word = near if name != match[1] else None
            return word or at.strftime(_DATES[name]) if name in _DATES else match[0]

        shown = escape(re.sub(r"\{(\w+)\}", fill, form))
        return f'<time title="{escape(label)}">{shown}</time>'

    def _typed_name(self, reference: str) -> str:
        target, _, label = reference.partition("|")
        if target.startswith("@"):
            user = self._state.users.get(target[1:])
            return f"@{user.name if user else label or target[1:]}"
        if target.startswith("#"):
            channel = self._state.channels.get(target[1:])
            return f"#{label or (channel.name if channel else target[1:])}"
        return (label or f"@{target[1:]}") if target.startswith("!") else target

    def _rich_part(self, part: JsonObject) -> str:
        inside: list[JsonObject] = part["elements"]
        match part["type"]:
            case "rich_text_section":
                return f"<div>{self._leaves(inside)}</div>"
            case "rich_text_preformatted":
                return f"<pre>{self._leaves(inside)}</pre>"
            case "rich_text_quote":
                return f"<blockquote>{self._leaves(inside)}</blockquote>"
            case _:
                tag = {"bullet": "ul", "ordered": "ol"}[part["style"]]
                items = "".join(f"<li>{self._leaves(item['elements'])}</li>" for item in inside)
                start = f' start="{int(part["offset"]) + 1}"' if "offset" in part else ""
                return f'<{tag} class="indent-{int(part.get("indent", 0))}"{start}>{items}</{tag}>'

    def _leaves(self, leaves: list[JsonObject]) -> str:
        return "".join(self._leaf(leaf) for leaf in leaves)

    def _leaf(self, leaf: JsonObject) -> str:
        match leaf["type"]:
            case "text":
                html = escape(leaf["text"]).replace("\n", "<br>")
            case "link":
                label = leaf.get("text") or leaf["url"]
                html = _link(leaf["url"], label) or escape(label)
            case "user":
                html = self._reference(f"@{leaf['user_id']}", "") or ""
            case "channel":
                html = self._reference(f"#{leaf['channel_id']}", "") or ""
            case "emoji":
                html = _emoji(leaf["name"]) or escape(f":{leaf['name']}:")
            case kind:
                html = _group(leaf["range"] if kind == "broadcast" else kind)
        for style in leaf.get("style") or ():
            html = f"<{_STYLES[style]}>{html}</{_STYLES[style]}>"
        return html

    def _rule_for_text(self) -> Callable[..., str]:
        """Slack reads references, emoji and bare addresses in Markdown too, outside of links."""

        def show(_renderer: Any, tokens: Any, index: int, *_: Any) -> str:
            text: str = tokens[index].content
            if sum(token.nesting for token in tokens[:index] if token.type.startswith("link_")):
                return escape(text)
            html, end = "", 0
            for match in _ATOM.finditer(text):
                html += escape(text[end : match.start()]) + (self._atom(match) or escape(match[0]))
                end = match.end()
            return html + escape(text[end:])

        return show


def _image_as_link(_renderer: Any, tokens: Any, index: int, *_: Any) -> str:
    address, label = tokens[index].attrs["src"], tokens[index].content
    return _link(address, label or address) or escape(label)


def _marked_lines(text: str) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it is quoted; three signs quote all the lines that follow."""
    is_rest = False
    for line in text.split("\n"):
        mark = re.match(r"(?:(?:&gt;|>){3}|&gt;|>) ?", line) if not is_rest else None
        yield is_rest or bool(mark), line[mark.end() :] if mark else line
        is_rest = is_rest or bool(mark and mark[0].count(">") + mark[0].count("&gt;") >= 3)


def _emphasise(text: str, mark: str, tag: str) -> str:
    """Pairs of marks at the borders of words become the tag. Looks at each mark once."""
    pieces: list[str] = []
    done, opened = 0, None
    for found in re.finditer(re.escape(mark), text):
        at = found.start()
        before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
        if mark in (before, after):
            continue
        closes = bool(before) and not before.isspace() and not after.isalnum()
        if opened is not None and closes:
            pieces += [text[done:opened], f"<{tag}>", text[opened + 1 : at], f"</{tag}>"]
            done, opened = at + 1, None
        elif opened is None and after and not before.isalnum() and not after.isspace():
            opened = at
    return "".join([*pieces, text[done:]])


def _emoji(name: str) -> str | None:
    base, _, tone = name.partition("::skin-tone-")
    if base not in EMOJI:
        return None
    character = EMOJI[base]
    if tone:
        character = character.removesuffix("\ufe0f") + chr(0x1F3F9 + int(tone))
    named = f'role="img" aria-label="{name.replace("_", " ")} emoji" title=":{name}:"'
    return f'<span class="emoji" {named}>{character}</span>'


def _group(name: str) -> str:
    return f'<span class="mention is-me">@{escape(name.removeprefix("@"))}</span>'


def _link(address: str, label: str = "") -> str | None:
    """None for an address that may not be live."""
    if not re.match(r"https?://|mailto:", address, re.IGNORECASE):
        return None
    return f'<a href="{escape(address)}">{escape(label or address)}</a>'


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
