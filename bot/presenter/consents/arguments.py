"""The arguments of an action as lines that a person can read and cannot misread. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from agent_core.messages import JsonObject
from bot.presenter.consents.visible import made_visible

_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*', re.DOTALL)


def argument_lines(arguments: JsonObject, *, max_chars: int | None = None) -> Iterator[str]:
    """One line for each value, as `name.inner[0]: value`; all of them, in their order.

    With `max_chars` long values and names are cut, for those who cannot show all of it anyway.

    A text of several lines stands below its name with a bar before each line, so that none of them
    looks like an argument of its own. A text that could be taken for another kind of value, or
    that begins or ends with a gap, is quoted.
    """
    for path, value in _leaves("", arguments):
        text = value[:max_chars] if isinstance(value, str) else value
        yield from _lines(path[:max_chars], text)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in cast("JsonObject", value).items():
            name = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from _leaves(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Any]", value)):
            yield from _leaves(f"{path}[{index}]", inner)
    elif path:
        yield path, value


def _lines(path: str, value: Any) -> Iterator[str]:
    name = made_visible(path)
    text = _text(value)
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    for line in text.split("\n"):
        yield f"{_CONTINUED}{line}"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if value != value.strip() or _READS_AS_VALUE.fullmatch(value):
        return f'"{made_visible(value)}"'
    return made_visible(value)
