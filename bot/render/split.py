"""Long texts in parts that Slack takes: no word cut, no link broken, each fence whole. Pure."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

_FENCE = "```"
_FENCE_LINE = re.compile(r"^[ \t]*(?:> ?)?```(\w*)[^\n`]*$", re.MULTILINE)
_WHOLE = re.compile(r"<[^<>\n]+>|&(?:amp|lt|gt);|:[a-z0-9_+-]+:")
_BREAKS = (
    re.compile(r"\n\n+"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…]) +"),
    re.compile(r"\s+"),
)
"""Where a text may be cut, best first; what matches is dropped at the cut."""
_MIN_FILL = 0.5
"""A better break is taken only if the part is at least this full."""
_JOINING = frozenset("\u200d\ufe0e\ufe0f")


def split(text: str, limit: int) -> list[str]:
    """The text in parts of at most `limit` characters (at least 40).

    Cut between paragraphs, lines, sentences or words, in this order. A single word that is longer
    than a part is cut between characters. A fence that is cut is closed, and opened again with its
    language.
    """
    if limit < 40:
        raise ValueError("parts need at least 40 characters")
    return list(_parts(text.strip("\n"), limit))


def _parts(text: str, limit: int) -> Iterator[str]:
    opening = ""
    while len(opening) + len(text) > limit:
        room = limit - len(opening) - len(_FENCE) - 1
        end, resume = _cut(text, room)
        part = opening + text[:end]
        language = _open_fence(part)
        if language is None:
            opening = ""
        else:
            part = f"{part}\n{_FENCE}"
            opening = f"{_FENCE}{language}\n"
        if part.strip():
            yield part
        text = text[resume:]
    if text.strip():
        yield _balanced(opening + text)


def _balanced(part: str) -> str:
    return part if _open_fence(part) is None else f"{part}\n{_FENCE}"


def _cut(text: str, room: int) -> tuple[int, int]:
    """Where this part ends and where the next one begins."""
    protected = [
        token.span() for token in _WHOLE.finditer(text, 0, room * 2) if len(token.group()) <= room
    ]
    for least_fill in (_MIN_FILL, 0.0):
        for pattern in _BREAKS:
            found = _last_break(text, pattern, int(room * least_fill), room, protected)
            if found is not None:
                return found
    end = _between_characters(text, _before_token(room, protected))
    return end, end


def _last_break(
    text: str, pattern: re.Pattern[str], least: int, room: int, protected: list[tuple[int, int]]
) -> tuple[int, int] | None:
    found = None
    for gap in pattern.finditer(text, 0, room + 1):
        if max(least, 1) <= gap.start() <= room and not _inside(gap.start(), protected):
            found = gap.start(), _after_break(text, gap)
    return found


def _after_break(text: str, gap: re.Match[str]) -> int:
    """Indentation after a line break stays; a gap of spaces may run on behind the window."""
    end = gap.end()
    if "\n" in gap.group():
        return gap.start() + gap.group().rindex("\n") + 1
    while end < len(text) and text[end] in " \t":
        end += 1
    return end


def _inside(position: int, protected: list[tuple[int, int]]) -> bool:
    return _token_around(position, protected) is not None


def _token_around(position: int, protected: list[tuple[int, int]]) -> tuple[int, int] | None:
    index = bisect_right(protected, (position, position)) - 1
    if index >= 0 and protected[index][0] < position < protected[index][1]:
        return protected[index]
    return None


def _before_token(position: int, protected: list[tuple[int, int]]) -> int:
    around = _token_around(position, protected)
    return around[0] if around is not None and around[0] > 0 else position


def _between_characters(text: str, position: int) -> int:
    """Move back so that no emoji or accented letter is torn, as far as that is possible."""
    for end in range(position, max(position - 32, 0), -1):
        if not _is_torn(text, end):
            return end
    return position


def _is_torn(text: str, end: int) -> bool:
    if end >= len(text):
        return False
    after, before = text[end], text[end - 1]
    joins = after in _JOINING or before == "\u200d" or unicodedata.combining(after) != 0
    return joins or _is_skin_tone(after) or (_is_flag(before) and _is_flag(after))


def _is_skin_tone(character: str) -> bool:
    return "\U0001f3fb" <= character <= "\U0001f3ff"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _open_fence(part: str) -> str | None:
    """The language of the fence that the part leaves open; None if all are closed."""
    opened: str | None = None
    for fence in _FENCE_LINE.finditer(part):
        opened = fence.group(1) if opened is None else None
    return opened
