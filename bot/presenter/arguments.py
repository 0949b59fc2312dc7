"""The arguments of a call as text in which all is to be seen. Pure.

What cannot be seen becomes a name in `⟨⟩`, such as `⟨5000 ␣⟩` or `⟨U+202E⟩`, and an argument cannot
be misread as another one. Nothing is left out.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Any, cast

from agent_core.messages import JsonObject
from agent_core.runtime import unpacked

_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*+(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*+', re.DOTALL)
_MOST = {" ": 4, "\n": 3, "\t": 0}
"""So many in a row stay as they are: people make no longer gaps."""
_NAMED = {" ": "␣", "\n": "⏎", "\t": "⇥"}
_RUNS = re.compile(r"[ \n\t]{2,}|\t|([^\w \n\t]|[\u115f\u1160\u3164\uffa0])\1*")
"""Gaps, and whatever is not surely a letter or a digit."""
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Seen as nothing, though their categories are those of letters, signs and accents."""


def argument_lines(arguments: JsonObject) -> Iterator[str]:
    """One line for each value, as `name.inner[0]: value`; all of them, in their order.

    A text of several lines stands below its name with a bar before each line, so that none of them
    looks like an argument of its own. A text that could be taken for another kind of value, or
    that begins or ends with a gap, is quoted. What is packed in base64 stands before it as it
    reads.
    """
    for path, value in leaves("", arguments):
        if isinstance(value, str) and (plain := unpacked(value)):
            yield from _lines(path, plain, mark=" ⟨base64⟩")
        yield from _lines(path, value)


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Each value with its whole name, as `name.inner[0]`."""
    if isinstance(value, dict) and value:
        for key, inner in cast("JsonObject", value).items():
            name = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from leaves(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Any]", value)):
            yield from leaves(f"{path}[{index}]", inner)
    elif path:
        yield path, value


def _lines(path: str, value: Any, *, mark: str = "") -> Iterator[str]:
    name = made_visible(path) + mark
    text = text_of(value)
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    for line in text.split("\n"):
        yield f"{_CONTINUED}{line}"


def text_of(value: Any) -> str:
    """A value as text; one that could be taken for another kind of value is quoted."""
    if not isinstance(value, str):
        return json.dumps(value)
    if value != value.strip() or _READS_AS_VALUE.fullmatch(value):
        return f'"{made_visible(value)}"'
    return made_visible(value)


def made_visible(text: str) -> str:
    """The text with a name for whatever is not to be seen; short gaps stay as they are.

    The brackets of the names are ours: a text cannot pretend that something was named in it.
    """
    return _RUNS.sub(_seen, text)


def _seen(run: re.Match[str]) -> str:
    first, n = run[0][0], len(run[0])
    if first not in _MOST:
        return _name(f"U+{ord(first):04X}", n) if _is_hidden(first) or first in "⟨⟩" else run[0]
    is_long = run[0].count("\n") > _MOST["\n"]
    seen = ""
    for character, same in groupby(run[0]):
        n = len(list(same))
        stays = n <= _MOST[character] and not (is_long and character == "\n")
        seen += character * n if stays else _name(_NAMED[character], n)
    return f"{seen}\n" if is_long else seen


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"


def exact_json(value: JsonObject) -> str:
    """The value as JSON for a file, in which what is not to be seen is written as an escape.

    The indentation is ours; behind it a long gap stands inside a string.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    escaped = "".join(json.dumps(each)[1:-1] if _is_hidden(each) else each for each in text)
    return re.sub(r"(?<=[^ \n]) {5,}", lambda gap: "\\u0020" * len(gap[0]), escaped) + "\n"


def _is_hidden(character: str) -> bool:
    if character in " \n":
        return False
    return unicodedata.category(character)[0] in "CZ" or character in _BLANK
