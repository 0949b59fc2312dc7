"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.escape import IsLive, all_live
from bot.render.markdown import Piece, as_text, joined, pieces
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
        kept = [block for block in self.blocks if block["type"] != "data_visualization"]
        return replace(self, blocks=tuple(kept))


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
    chars = tables = 0
    whole = pieces(markdown, is_live, sources, is_plain=is_plain)
    for piece in (part for each in whole for part in _fitting(each)):
        size = piece.table.chars if piece.table else len(piece.gap + piece.text)
        room = limits.BLOCK_TEXT_CHARS if piece.table else limits.MARKDOWN_CHARS
        if fitting and (chars + size > room or tables == limits.DATA_TABLES_PER_POST):
            drafts.append(_draft(fitting, is_live))
            fitting, chars, tables = [], 0, 0
        fitting.append(piece)
        chars, tables = chars + size, tables + (piece.table is not None)
    return [*drafts, _draft(fitting, is_live)] if fitting else drafts


def _fitting(piece: Piece) -> Iterator[Piece]:
    """The piece, in parts if it is too long; a table that Slack does not show is code."""
    if piece.table and piece.table.is_shown:
        yield piece
        return
    for number, text in enumerate(split(piece.text, limits.MARKDOWN_CHARS)):
        yield Piece(text=text, gap=piece.gap if number == 0 else "\n\n")


def _draft(fitting: Sequence[Piece], is_live: IsLive) -> PostDraft:
    """One post: tables as Slack has them, and all between them as Markdown."""
    is_alone = sum(piece.table is not None for piece in fitting) == 1
    blocks: list[JsonObject] = []
    charts = 0
    for table, run in groupby(fitting, key=lambda piece: piece.table):
        if table is not None:
            for _ in run:
                blocks.append(table_block(table, is_alone=is_alone))
                if charts < limits.CHARTS_PER_POST and (chart := chart_block(table)):
                    blocks.append(chart)
                    charts += 1
        elif text := joined(list(run)):
            blocks.append({"type": "markdown", "text": text})
    whole = as_text(joined(fitting), is_live)
    first, *rest = split(whole, limits.TEXT_CHARS) or [""]
    return PostDraft(text=first, blocks=tuple(blocks), whole=whole if rest else "")


def card(text: str, *buttons: JsonObject) -> PostDraft:
    """A text of its own, with its buttons."""
    shown = section(split(text, limits.SECTION_CHARS)[0])
    return PostDraft(text=text, blocks=(shown, actions(*buttons)) if buttons else (shown,))


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
