"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.escape import IsLive, all_live
from bot.render.markdown import (
    Piece,
    as_text,
    joined,
    pieces,
)
from bot.render.split import split
from bot.render.tables import chart_block, table_block
from bot.threads import parse_user


@dataclass(frozen=True, slots=True, kw_only=True)
class PostDraft:
    """A post to be made. With blocks, `text` says the same to notifications and search."""

    text: str
    blocks: tuple[JsonObject, ...] = ()
    whole: str = ""
    """All that the blocks say, where `text` is only the beginning of it."""

    @property
    def without_charts(self) -> "PostDraft":
        """The same for a Slack that knows none: their tables say it all."""
        blocks = [block for block in self.blocks if block["type"] != "data_visualization"]
        return replace(self, blocks=tuple(blocks))


def answer_drafts(
    markdown: str,
    is_live: IsLive = all_live,
    *,
    sources: Sequence[str] = (),
    is_plain: bool = False,
) -> list[PostDraft]:
    """An answer as posts, in order; none for an empty answer.

    An address that `is_live` does not let through is shown as text, and `[1]` links to the first of
    the `sources`. With `is_plain` all of it is shown as it is. A post ends before a piece that does
    not fit into it, and only what fits into none is divided.
    """
    drafts: list[PostDraft] = []
    fitting: list[Piece] = []
    chars = 0
    tables = 0
    for piece in _fitting(
        pieces(
            markdown,
            is_live,
            sources,
            is_plain=is_plain,
        )
    ):
        if piece.table:
            size = piece.table.chars
            room = limits.BLOCK_TEXT_CHARS
        else:
            size = len(piece.gap + piece.text)
            room = limits.MARKDOWN_CHARS
        is_full = chars + size > room or tables == limits.DATA_TABLES_PER_POST
        if fitting and is_full:
            drafts.append(_draft(fitting, is_live))
            fitting = []
            chars = 0
            tables = 0
        fitting.append(piece)
        chars += size
        if piece.table:
            tables += 1
    if fitting:
        drafts.append(_draft(fitting, is_live))
    return drafts


def _fitting(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, in parts where they are too long; a table that Slack does not show is code."""
    for piece in pieces:
        if piece.table and piece.table.is_shown:
            yield piece
            continue
        gap = piece.gap
        for text in split(piece.text, limits.MARKDOWN_CHARS):
            yield Piece(text=text, gap=gap)
            gap = "\n\n"


def _draft(fitting: Sequence[Piece], is_live: IsLive) -> PostDraft:
    """One post: tables as Slack has them, and all between them as Markdown."""
    tables = [piece.table for piece in fitting if piece.table]
    blocks: list[JsonObject] = []
    between: list[Piece] = []
    charts = 0
    for piece in fitting:
        if piece.table is None:
            between.append(piece)
            continue
        blocks += _markdown_blocks(between)
        between = []
        blocks.append(table_block(piece.table, is_alone=len(tables) == 1))
        chart = chart_block(piece.table) if charts < limits.CHARTS_PER_POST else None
        if chart:
            blocks.append(chart)
            charts += 1
    blocks += _markdown_blocks(between)
    whole = as_text(joined(fitting), is_live)
    parts = split(whole, limits.TEXT_CHARS)
    return PostDraft(
        text=parts[0] if parts else "",
        blocks=tuple(blocks),
        whole=whole if len(parts) > 1 else "",
    )


def _markdown_blocks(between: Sequence[Piece]) -> list[JsonObject]:
    text = joined(between)
    return [{"type": "markdown", "text": text}] if text else []


def card(text: str, *buttons: JsonObject) -> PostDraft:
    """A text of its own, with its buttons."""
    parts = split(text, limits.SECTION_CHARS)
    blocks = [section(parts[0])]
    if buttons:
        blocks.append(actions(*buttons))
    return PostDraft(text=text, blocks=tuple(blocks))


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
    if name:
        row["block_id"] = name
    return row


def button(
    name: str,
    label: str,
    value: str,
    style: str = "",
) -> JsonObject:
    """A button that carries a value; `style` is `primary`, `danger` or nothing."""
    element: JsonObject = {
        "type": "button",
        "action_id": name,
        "text": plain_text(label),
    }
    if value:
        element["value"] = value
    if style:
        element["style"] = style
    return element


def menu(name: str, options: Iterable[tuple[str, str]]) -> JsonObject:
    """A menu behind three dots: labels with the values that they carry, as many as fit."""
    entries: list[JsonObject] = []
    for label, value in options:
        if len(value) <= limits.OPTION_VALUE_CHARS:
            entries.append({"text": plain_text(label), "value": value})
    return {
        "type": "overflow",
        "action_id": name,
        "options": entries[: limits.MENU_OPTIONS],
    }


def plain_text(text: str, max_chars: int = limits.LABEL_CHARS) -> JsonObject:
    """A label, in which nothing is parsed."""
    return {"type": "plain_text", "text": text[:max_chars], "emoji": False}


def modal(name: str, title: str, submit: str, close: str, **parts: Any) -> JsonObject:
    """A form in a window of its own."""
    return {
        "type": "modal",
        "callback_id": name,
        "title": plain_text(title, limits.TITLE_CHARS),
        "submit": plain_text(submit, limits.TITLE_CHARS),
        "close": plain_text(close, limits.TITLE_CHARS),
        **parts,
    }


def entry(name: str, label: str, element: JsonObject, **parts: Any) -> JsonObject:
    """A field of a form; block and element have the same name."""
    return {
        "type": "input",
        "label": plain_text(label),
        "block_id": name,
        "element": {**element, "action_id": name},
        **parts,
    }


def local_time(moment: datetime) -> str:
    """Day and time for whoever reads it; in UTC where nobody's zone is known."""
    seconds = int(moment.timestamp())
    fallback = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{seconds}^{{date_short_pretty}}, {{time}}|{fallback}>"


def mention(user: UserId) -> str:
    """A person's name, live."""
    _, slack_user = parse_user(user)
    return f"<@{slack_user}>"
