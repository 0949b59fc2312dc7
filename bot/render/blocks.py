"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.links import IsLive, all_live
from bot.render.markdown import MarkdownWriter
from bot.render.mrkdwn import MrkdwnWriter, Piece, as_it_is, joined, written
from bot.render.split import split
from bot.render.tables import table_block
from bot.threads import parse_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A post to be made. With blocks, `text` says the same to notifications and search."""

    text: str
    blocks: tuple[JsonObject, ...] = ()
    whole: str = ""
    """All that the blocks say, where `text` is only the beginning of it."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece in both of Slack's markups; what is not a table fits into a post."""

    mrkdwn: Piece
    markdown: Piece

    @property
    def chars(self) -> int:
        """As Slack counts them."""
        table = self.markdown.table
        return table.chars if table else len(self.markdown.gap + self.markdown.text)


def answer_drafts(
    markdown: str,
    is_live: IsLive = all_live,
    *,
    sources: Sequence[str] = (),
    is_plain: bool = False,
) -> list[Draft]:
    """An answer as posts, in order; none for an empty answer.

    An address that `is_live` does not let through is shown as text, and `[1]` links to the first of
    the `sources`. With `is_plain` all of it is shown as it is. A post ends before a piece that does
    not fit into it, and only what fits into none is divided.
    """
    writers = MrkdwnWriter(is_live, sources), MarkdownWriter(is_live, sources)
    read = None if is_plain else written(markdown, *writers)
    if read is None:
        return [Draft(text=text) for text in split(as_it_is(markdown), limits.TEXT_CHARS)]
    pairs = zip(*read, strict=True)
    drafts: list[Draft] = []
    parts: list[_Part] = []
    chars = tables = 0
    for part in (part for pair in pairs for part in _fitting(*pair)):
        is_table = part.markdown.table is not None
        room = limits.BLOCK_TEXT_CHARS if is_table else limits.MARKDOWN_CHARS
        if parts and (chars + part.chars > room or tables == limits.DATA_TABLES_PER_POST):
            drafts.append(_draft(parts))
            parts, chars, tables = [], 0, 0
        parts.append(part)
        chars, tables = chars + part.chars, tables + is_table
    return [*drafts, _draft(parts)] if parts else drafts


def _fitting(mrkdwn: Piece, markdown: Piece) -> Iterator[_Part]:
    """The piece, in parts if it is too long; a table that Slack does not show is code."""
    if mrkdwn.table and mrkdwn.table.is_shown:
        yield _Part(mrkdwn, markdown)
        return
    shown = split(markdown.text, limits.MARKDOWN_CHARS)
    texts = split(mrkdwn.text, limits.MARKDOWN_CHARS)
    for number, text in enumerate(shown):
        is_last = number == len(shown) - 1
        said = "\n".join(texts[number:] if is_last else texts[number : number + 1])
        gap = markdown.gap if number == 0 else "\n\n"
        yield _Part(Piece(text=said, gap=gap), Piece(text=text, gap=gap))


def _draft(parts: Sequence[_Part]) -> Draft:
    """One post: tables as Slack has them, and all between them as Markdown."""
    is_alone = sum(part.markdown.table is not None for part in parts) == 1
    blocks: list[JsonObject] = []
    for table, run in groupby(parts, key=lambda part: part.markdown.table):
        if table is not None:
            blocks += [table_block(table, is_alone=is_alone) for _ in run]
        elif text := joined([part.markdown for part in run]):
            blocks.append({"type": "markdown", "text": text})
    whole = joined([part.mrkdwn for part in parts])
    first, *rest = split(whole, limits.TEXT_CHARS) or [""]
    return Draft(text=first, blocks=tuple(blocks), whole=whole if rest else "")


def card(text: str, *buttons: JsonObject) -> Draft:
    """A text of its own, with its buttons."""
    shown = section(split(text, limits.SECTION_CHARS)[0])
    return Draft(text=text, blocks=(shown, actions(*buttons)) if buttons else (shown,))


def section(text: str) -> JsonObject:
    """A block of mrkdwn."""
    return {"type": "section", "text": _mrkdwn(text)}


def sections(text: str) -> list[JsonObject]:
    """The same in as many blocks as it takes."""
    return [section(part) for part in split(text, limits.SECTION_CHARS)]


def context(text: str) -> JsonObject:
    """A block of small mrkdwn."""
    return {"type": "context", "elements": [_mrkdwn(text)]}


def _mrkdwn(text: str) -> JsonObject:
    """Slack makes no link, mention or channel of anything that does not say so by itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def actions(*elements: JsonObject, name: str = "") -> JsonObject:
    """A row of buttons. With a name it stays the same row when its post is edited meanwhile."""
    row: JsonObject = {"type": "actions", "elements": list(elements)}
    return {**row, "block_id": name} if name else row


def button(name: str, label: str, value: str, style: str = "") -> JsonObject:
    """A button that carries a value; `style` is `primary`, `danger` or nothing."""
    given = {"value": value, "style": style}
    shown = {part: text for part, text in given.items() if text}
    return {"type": "button", "action_id": name, "text": plain_text(label), **shown}


def menu(name: str, options: Iterable[tuple[str, str]]) -> JsonObject:
    """A menu behind three dots: labels with the values that they carry, as many as fit."""
    fitting = [it for it in options if len(it[1]) <= limits.OPTION_VALUE_CHARS]
    shown = [{"text": plain_text(label), "value": value} for label, value in fitting]
    return {"type": "overflow", "action_id": name, "options": shown[: limits.MENU_OPTIONS]}


def plain_text(text: str, max_chars: int = limits.LABEL_CHARS) -> JsonObject:
    """A label, in which nothing is parsed."""
    return {"type": "plain_text", "text": text[:max_chars], "emoji": False}


def modal(name: str, title: str, submit: str, close: str, **parts: Any) -> JsonObject:
    """A form in a window of its own."""
    labels = {"title": title, "submit": submit, "close": close}
    shown = {part: plain_text(text, limits.TITLE_CHARS) for part, text in labels.items()}
    return {"type": "modal", "callback_id": name, **shown, **parts}


def entry(name: str, label: str, element: JsonObject, **parts: Any) -> JsonObject:
    """A field of a form; block and element have the same name."""
    named = {"block_id": name, "element": {**element, "action_id": name}}
    return {"type": "input", "label": plain_text(label), **named, **parts}


def local_time(moment: datetime) -> str:
    """Day and time for whoever reads it; in UTC where nobody's zone is known."""
    plain = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{int(moment.timestamp())}^{{date_short_pretty}}, {{time}}|{plain}>"


def mention(user: UserId) -> str:
    """A person's name, live."""
    return f"<@{parse_user(user)[1]}>"
