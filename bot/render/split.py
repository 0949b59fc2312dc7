"""Long texts in parts that Slack takes: no word cut, no link broken, all code closed. Pure."""

import re
from collections.abc import Iterator, Sequence

_FENCE = "```"
_FENCE_LINE = re.compile(r"^[^\n`]*+```(\w*+)[^\n`]*+$", re.MULTILINE)
_WHOLE = re.compile(
    r"`[^`\n]+`|<[^<>\n]+>|\[[^\[\]\n]{1,400}\]\([^()\s]+\)"
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


_Span = tuple[int, int]


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
