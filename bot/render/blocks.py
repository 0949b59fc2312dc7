"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure.

Long texts are split: no word cut, no link broken, all code closed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.citations import AboutSources, Footnotes
from bot.render.escape import IsLive, all_live
from bot.render.markdown import (
    Piece,
    as_text,
    joined,
    pieces,
)
from bot.render.tables import chart_block, table_block
from bot.threads import parse_user

_FENCE = "```"
_FENCE_LINE = re.compile(r"^[^\n`]*+```(\w*+)[^\n`]*+$", re.MULTILINE)
_WHOLE = re.compile(
    r"`[^`\n]+`|<[^<>\n]+>|\[(?:\\.|[^\[\]\\\n]){1,400}\]\([^()\s]+\)"
    r"|(?:https?://|mailto:)[^\s<>`]+|&(?:amp|lt|gt);|:[a-z0-9_+-]+:|\\[!-/:-@\[-`{-~]"
    "|[\U0001f1e6-\U0001f1ff]{2}"
    "|\\S(?:[\u0300-\u036f\u20d0-\u20ff\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d\\S)+"
)
"""Code, links, entities, flags, and letters and emojis with what is joined to them."""
_BREAKS = (
    re.compile(r"\n\n+"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…]) +"),
    re.compile(r"\s+"),
)
"""Where a text may be cut, best first; what matches is dropped at the cut."""


MAX_SOURCED_BLOCKS = 40
"""Room is left for the rows below an answer."""

_Span = tuple[int, int]


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
    about: AboutSources = MappingProxyType({}),
    heading: str = "Sources:",
) -> list[PostDraft]:
    """An answer as posts, in order; none for an empty answer.

    An address that `is_live` does not let through is shown as text. Pages are cited by numbered
    marks, and below the last post stands the line of them: `[1]` in the Markdown stands for the
    first of the `sources`, of which `about` names publisher and day. A post ends before a piece
    that does not fit into it, and only what fits into none is divided.
    """
    footnotes = Footnotes(urls=sources, is_live=is_live, about=about)
    drafts: list[PostDraft] = []
    fitting: list[Piece] = []
    chars = 0
    tables = 0
    for piece in _fitting(pieces(markdown, is_live, footnotes)):
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
    line = footnotes.line()
    if drafts and line:
        drafts[-1:] = _with_sources(drafts[-1], f"{heading} {line}")
    return drafts


def _with_sources(draft: PostDraft, line: str) -> list[PostDraft]:
    """The last post with the line of sources; the line is a post of its own if it is too long."""
    parts = split(line, limits.SECTION_CHARS)
    chars = len(json.dumps(draft.blocks)) + len(line)
    blocks = tuple(context(part) for part in parts)
    if chars > limits.BLOCK_TEXT_CHARS or len(draft.blocks) + len(parts) > MAX_SOURCED_BLOCKS:
        first, *_ = split(line, limits.TEXT_CHARS)
        return [draft, PostDraft(text=first, blocks=blocks)]
    whole = f"{draft.whole or draft.text}\n\n{line}"
    text, *more = split(whole, limits.TEXT_CHARS)
    return [PostDraft(text=text, blocks=(*draft.blocks, *blocks), whole=whole if more else "")]


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


def plain_text(text: str, max_chars: int = limits.LABEL_CHARS) -> JsonObject:
    """A label, in which nothing is parsed."""
    return {"type": "plain_text", "text": text[:max_chars], "emoji": False}


def entry(name: str, label: str, element: JsonObject, **parts: Any) -> JsonObject:
    """A field of a form; block and element have the same name."""
    return {
        "type": "input",
        "label": plain_text(label),
        "block_id": name,
        "element": {**element, "action_id": name},
        **parts,
    }


def text_entry(name: str, label: str, max_chars: int, **parts: Any) -> JsonObject:
    """A field of a form for text of several lines."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": max_chars}
    return entry(name, label, element, **parts)


def local_time(moment: datetime) -> str:
    """Day and time for whoever reads it; in UTC where nobody's zone is known."""
    seconds = int(moment.timestamp())
    fallback = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{seconds}^{{date_short_pretty}}, {{time}}|{fallback}>"


def mention(user: UserId) -> str:
    """A person's name, live."""
    _, slack_user = parse_user(user)
    return f"<@{slack_user}>"


def split(text: str, limit: int) -> list[str]:
    """The text in parts of at most `limit` characters (at least 40).

    Cut between paragraphs, lines, sentences or words, in this order. A single word that is longer
    than a part is cut between characters. Code that is cut is closed, and opened again, a fence
    with its language.
    """
    return list(_parts(text.strip("\n"), limit))


def _parts(text: str, limit: int) -> Iterator[str]:
    opening = ""
    while len(opening) + len(text) > limit:
        room = limit - len(opening) - len(_FENCE) - 1
        end, resume = _cut(text, room)
        part = opening + text[:end]
        closing, opening = _open_code(part)
        if part.strip("`\n "):
            yield part + closing
        text = text[resume:]
    if text.strip():
        part = opening + text
        closing, _ = _open_code(part)
        yield part + closing


def _cut(text: str, room: int) -> _Span:
    """Where this part ends and where the next one begins: a better break, if it is half full."""
    tokens = _WHOLE.finditer(text, 0, room * 2)
    spans = [token.span() for token in tokens if len(token[0]) <= room]
    for least in (room // 2, 1):
        for pattern in _BREAKS:
            gap = _last_gap(
                pattern,
                text,
                least,
                room,
                spans,
            )
            if gap is not None:
                return gap.start(), _after_break(text, gap)
    end = room
    for position in range(room, room - 4, -1):
        if "`" not in text[position - 1 : position + 1]:  # no code is left empty
            end = position
            break
    end = _start_of_token(end, spans) or end
    return end, end


def _last_gap(
    pattern: re.Pattern[str],
    text: str,
    least: int,
    room: int,
    spans: Sequence[_Span],
) -> re.Match[str] | None:
    """The last gap at which a part of at least so many characters can end."""
    gaps = list(pattern.finditer(text, 0, room + 1))
    for gap in reversed(gaps):
        start = gap.start()
        if start < least:
            break
        if start <= room and _start_of_token(start, spans) == start:
            return gap
    return None


def _after_break(text: str, gap: re.Match[str]) -> int:
    """Indentation after a line break stays; a gap of spaces may run on behind the window."""
    _, newline, indentation = gap[0].rpartition("\n")
    if newline:
        return gap.end() - len(indentation)
    end = gap.end()
    while end < len(text) and text[end] in " \t":
        end += 1
    return end


def _start_of_token(position: int, spans: Sequence[_Span]) -> int:
    """Where the link, entity or emoji begins that a position is inside of; itself otherwise."""
    for start, end in spans:
        if start < position < end:
            return start
    return position


def _open_code(part: str) -> tuple[str, str]:
    """What closes the code that the part leaves open, and what opens it again in the next one."""
    language: str | None = None
    for fence in _FENCE_LINE.finditer(part):
        language = fence[1] if language is None else None
    if language is not None:
        return f"\n{_FENCE}", f"{_FENCE}{language}\n"
    _, _, last_line = part.rpartition("\n")
    ticks = last_line.replace(_FENCE, "").count("`")
    if ticks % 2:
        return "`", "`"
    return "", ""
