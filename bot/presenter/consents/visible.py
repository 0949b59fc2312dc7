"""Foreign text in which everything is to be seen: white space, control and direction marks. Pure.

What cannot be seen becomes a name in `⟨⟩`, such as `⟨5000 ␣⟩` or `⟨U+202E⟩`. Nothing is left out.
"""

import json
import re
import unicodedata
from itertools import groupby

from agent_core.messages import JsonObject

_BRACKETS = re.compile("[\u27e8\u27e9]")
"""They are ours: a text cannot pretend that something was named in it."""
_NAMED = {" ": "␣", "\n": "⏎", "\t": "⇥"}
_MAX_SPACES = 4
_MAX_LINE_BREAKS = 3
_LONG_GAPS = re.compile(r"[ \n\t]{4,}|\t[ \n\t]*|[ \n]{1,3}\t[ \n\t]*")
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Seen as nothing, though their categories are those of letters, signs and accents."""


def made_visible(text: str) -> str:
    """The text with a name for whatever is not to be seen; short gaps stay as they are."""
    escaped = _BRACKETS.sub(lambda bracket: _name(_code(bracket[0]), 1), text)
    spaced = _LONG_GAPS.sub(lambda gap: _gap(gap[0]), escaped)
    if spaced.replace("\n", "").isprintable() and _BLANK.isdisjoint(spaced):
        return spaced
    return "".join(_shown(character, len(list(run))) for character, run in groupby(spaced))


def exact_json(value: JsonObject) -> str:
    """The value as JSON for a file, in which what is not to be seen is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    lines = [_escaped_line(line) for line in text.split("\n")]
    return "\n".join(lines) + "\n"


def _gap(gap: str) -> str:
    """A gap that is no longer than people make them stays; of others each part is counted."""
    runs = [(character, len(list(run))) for character, run in groupby(gap)]
    if gap.count("\n") > _MAX_LINE_BREAKS:
        return "".join(_counted(character, n) for character, n in runs) + "\n"
    return "".join(
        character * n if character == "\n" else _counted(character, n) for character, n in runs
    )


def _counted(character: str, n: int) -> str:
    if character == " " and n <= _MAX_SPACES:
        return " " * n
    return _name(_NAMED[character], n)


def _shown(character: str, n: int) -> str:
    if not _is_hidden(character):
        return character * n
    return _name(_code(character), n)


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"


def _is_hidden(character: str) -> bool:
    if character in " \n":
        return False
    category = unicodedata.category(character)
    return category[0] in "CZ" or character in _BLANK


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _escaped_line(line: str) -> str:
    """The indentation is ours; behind it a long gap stands inside a string."""
    indent = len(line) - len(line.lstrip(" "))
    rest = re.sub(r" {5,}", lambda gap: "\\u0020" * len(gap[0]), line[indent:])
    return line[:indent] + "".join(_as_escape(each) for each in rest)


def _as_escape(character: str) -> str:
    if not _is_hidden(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return "".join(f"\\u{int.from_bytes(pair, 'big'):04x}" for pair in pairs)
