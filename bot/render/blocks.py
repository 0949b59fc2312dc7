"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.links import IsLive, all_live
from bot.render.mrkdwn import as_it_is, pieces
from bot.render.split import split
from bot.render.tables import table_block
from bot.threads import parse_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A post to be made. With blocks, `text` says the same to notifications and search."""

    text: str
    blocks: tuple[JsonObject, ...] = ()


def answer_drafts(
    markdown: str, is_live: IsLive = all_live, *, is_plain: bool = False
) -> list[Draft]:
    """An answer as posts, in order; none for an empty answer.

    An address that `is_live` does not let through is shown as text. With `is_plain` all of it is
    shown as it is.

    Text alone, in parts of at most `TEXT_CHARS`. An answer that fits into one post and has one
    small table gets Slack's table block; in all others tables are aligned code.
    """
    parts = as_it_is(markdown) if is_plain else pieces(markdown, is_live)
    text = "\n\n".join(part.text for part in parts)
    tables = [part.table for part in parts if part.table is not None]
    is_one = len(tables) == limits.TABLES_PER_POST and tables[0].is_small
    if not is_one or len(text) > limits.TEXT_CHARS:
        return [Draft(text=part) for part in split(text, limits.TEXT_CHARS)]
    blocks: list[JsonObject] = []
    for table, run in groupby(parts, key=lambda part: part.table):
        if table is not None:
            blocks.append(table_block(table))
            continue
        joined = "\n\n".join(part.text for part in run)
        blocks += [section(part) for part in split(joined, limits.SECTION_CHARS)]
    return [Draft(text=text, blocks=tuple(blocks))]


def card(text: str, *buttons: JsonObject) -> Draft:
    """A text of its own, with its buttons."""
    shown = section(split(text, limits.SECTION_CHARS)[0])
    return Draft(text=text, blocks=(shown, actions(*buttons)) if buttons else (shown,))


def section(text: str) -> JsonObject:
    """A block of mrkdwn."""
    return {"type": "section", "text": _mrkdwn(text)}


def context(text: str) -> JsonObject:
    """A block of small mrkdwn."""
    return {"type": "context", "elements": [_mrkdwn(text)]}


def _mrkdwn(text: str) -> JsonObject:
    """Slack makes no link, mention or channel of anything that does not say so by itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def actions(*elements: JsonObject) -> JsonObject:
    """A row of buttons."""
    return {"type": "actions", "elements": list(elements)}


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
