"""The form in which a run is asked to answer: a headline, a list, a line, and the rest. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_HEADLINE_CHARS = 200
"""Of a headline that is not marked as one."""

_BULLET = re.compile(r"[ \t]{0,3}(?:[-*+•\N{EN DASH}]|\d{1,2}[.)])[ \t]+(\S.*)")
_FENCE = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """An answer in its parts, as Markdown."""

    title: str
    bullets: tuple[str, ...]
    rest: str
    """Behind the list; behind the headline, where there is no list."""
    is_in_form: bool
    """Whether there is a list, or a line in whose place it says that there is nothing to list."""


def read_sheet(answer: str) -> Sheet:
    """The parts of an answer; small departures from the form are forgiven."""
    lines = _unwrapped(answer.strip().splitlines())
    title, lines = _headline(lines)
    bullets, rest, has_line = _listed(lines)
    return Sheet(
        title=title,
        bullets=tuple(bullets),
        rest="\n".join(rest).strip(),
        is_in_form=bool(bullets) or (has_line and bool(title)),
    )


def _unwrapped(lines: list[str]) -> list[str]:
    """Without the fence that some models put around all that they write."""
    is_fenced = len(lines) > 1 and lines[0].startswith(_FENCE) and lines[-1].strip() == _FENCE
    return lines[1:-1] if is_fenced else lines


def _headline(lines: list[str]) -> tuple[str, list[str]]:
    """The headline and the lines behind it; a short line over a list is one, too."""
    start = next((n for n, line in enumerate(lines) if line.strip() and not _is_line(line)), None)
    if start is None:
        return "", lines
    first, behind = lines[start], lines[start + 1 :]
    if (title := _heading(first)) is not None:
        return title, behind
    is_short = len(first) <= MAX_HEADLINE_CHARS and not _BULLET.match(first)
    if is_short and _begins_list(behind):
        return first.strip().removesuffix(":"), behind
    return "", lines[start:]


def _listed(lines: Sequence[str]) -> tuple[list[str], Sequence[str], bool]:
    """The list at the head, what comes behind it, and whether a line parts the two."""
    bullets: list[str] = []
    for number, line in enumerate(lines):
        behind = lines[number + 1 :] if _is_line(line) else ()
        if _is_line(line) and (bullets or not _begins_list(behind, lines_count=False)):
            return bullets, behind, True
        if _is_line(line) or not line.strip():
            continue
        if match := _BULLET.match(line):
            bullets.append(" ".join(match[1].split()))
        elif bullets and line[:2].isspace():
            bullets[-1] += f" {' '.join(line.split())}"
        else:
            return bullets, lines[number:], False
    return bullets, (), False


def _begins_list(lines: Sequence[str], *, lines_count: bool = True) -> bool:
    """Whether the first words are a list's, or a line stands where it would be."""
    first = next((line for line in lines if line.strip()), "")
    return _BULLET.match(first) is not None if not _is_line(first) else lines_count


def _is_line(text: str) -> bool:
    marks = "".join(text.split())
    return len(marks) >= 3 and set(marks) in ({"-"}, {"*"}, {"_"})


def _heading(line: str) -> str | None:
    flat = " ".join(line.split())
    marks = len(flat) - len(flat.lstrip("#"))
    if not 1 <= marks <= 6 or flat[marks : marks + 1] not in ("", " "):
        return None
    text = flat[marks:].strip()
    opened = text.rstrip("#")
    return opened.rstrip() if opened.endswith(" ") or not opened else text
