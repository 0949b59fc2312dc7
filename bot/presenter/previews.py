"""An action as people know it: a mail, an event, a post, or its fields with their names. Pure.

What it is says a small table of argument names, never the name of a tool. Nothing is left out, and
nothing foreign is live: a value is code, what cannot be seen has a name in `⟨⟩`, such as `⟨5000 ␣⟩`
or `⟨U+202E⟩`, and what could be taken for another field is shown as it is sent (`argument_lines`).
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, cast

from agent_core.clock import find_zone
from agent_core.events import PlannedAction
from agent_core.messages import JsonObject
from agent_core.runtime import moment_words, unpacked
from agent_core.words import Words
from bot.render import code, foreign_line, inline_code, limits, plain_line, sections

_OWN = ("answer", "report", "asked", "correction")
"""Of what the bot does to an answer of its own."""
_NAMES = {
    "to": ("recipient_email", "recipient_emails", "to_recipients", "to_email", "to", "recipients"),
    "cc": ("cc", "cc_recipients", "cc_emails"),
    "bcc": ("bcc", "bcc_recipients", "bcc_emails"),
    "subject": ("subject",),
    "body": ("body", "message_body", "html_body", "text_body"),
    "title": ("summary", "title", "subject"),
    "start": ("start_datetime", "start_date_time", "start_time", "start"),
    "end": ("end_datetime", "end_date_time", "end_time", "end"),
    "zone": ("timezone", "time_zone", "timeZone"),
    "people": ("attendees", "attendee_emails", "invitees", "guests"),
    "place": ("location",),
    "about": ("description", "body"),
    "channel": ("channel", "channel_name", "channel_id", "chat_id"),
    "text": ("text", "markdown_text", "message", "content"),
    **{label: (label,) for label in _OWN},
}
"""What an argument is for, by the names that apps give it; the first that is there counts."""
ZONE_NAMES = frozenset(_NAMES["zone"])
_PICTURES = (
    (("title", "start", "end", "zone", "people", "place", "about"), {"title", "start"}),
    (("to", "cc", "bcc", "subject", "body"), {"to", "body"}),
    (("channel", "text"), {"channel", "text"}),
    (_OWN, {"answer", "asked"}),
)
"""An event, a mail, a post, the bot's own answer: its parts in order, and those that it needs."""
FIXED = frozenset({"start", "end", "zone", "people", "channel", *_OWN})
"""Are not changed in a form."""
LONG = frozenset({"body", "about", "text", "correction"})
"""Stand below their name, as they will read."""

MAX_ROWS = 16
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,10}(?:Z|[+-]\d\d:?\d\d)?")
_PLAIN_NAME = re.compile(r"[a-zA-Z][\w-]{0,39}")
_LINE_CHARS = 200

_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*+(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*+', re.DOTALL)
_GAPS = {" ": (4, "␣"), "\n": (3, "⏎"), "\t": (0, "⇥")}
"""So many in a row stay as they are, since people make no longer gaps; and what names more."""
_RUNS = re.compile(r"[ \n\t]{2,}|\t|([^\w \n\t]|[\u115f\u1160\u3164\uffa0])\1*")
"""Gaps, and whatever is not surely a letter or a digit."""
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Seen as nothing, though their categories are those of letters, signs and accents."""


MomentWords = Callable[[str, object], str]
"""Says a moment in words, with its weekday and zone, by name and value; nothing of other values."""


def parts_of(arguments: JsonObject) -> dict[str, str]:
    """Of the mail, event or post that the arguments are: their names by what they are for."""
    for labels, needed in _PICTURES:
        given = {
            label: name
            for label in labels
            for name in reversed(_NAMES[label])
            if arguments.get(name) not in (None, "", [], {})
        }
        if needed <= given.keys():
            return given
    return {}


def moments(arguments: JsonObject, zone: str, words: Words) -> MomentWords:
    """Of the arguments: on the clocks of `zone`, and of the zone that stands with a moment."""
    beside: dict[str, list[tuple[str, str]]] = {}
    for path, value in leaves("", arguments):
        if isinstance(value, str) and "zone" in path.lower():
            parent, _, name = path.rpartition(".")
            beside.setdefault(parent, []).append((name, value))
    sure = {parent: _sure(zones) for parent, zones in beside.items()}
    anywhere = _sure([each for zones in beside.values() for each in zones])

    def tell(path: str, value: object) -> str:
        if not isinstance(value, str) or not _TIME.fullmatch(value):
            return ""
        named = sure.get(path.rpartition(".")[0], anywhere)
        return "" if named is None else _clock_words(value, named, zone, words)

    return tell


def _sure(zones: Sequence[tuple[str, str]]) -> str | None:
    """The zone, if any; None where it may be that of another moment."""
    named = {value for _, value in zones}
    is_sure = len(named) < 2 and all(name in ZONE_NAMES for name, _ in zones)
    return "".join(named) if is_sure else None


def _clock_words(value: str, named: str, zone: str, words: Words) -> str:
    """A moment in words; `named` is the zone that stands with it, if any."""
    language = words("consent-language")
    try:
        moment = datetime.fromisoformat(value)
        if (known := moment.tzinfo or find_zone(named)) is None:
            told = moment_words(moment.replace(tzinfo=UTC), "UTC", language)
            where = plain_line(made_visible(named), limits.PROGRESS_WORD_CHARS)
            return f"{told} ({where or words('consent-no-zone')})"
        moment = moment.replace(tzinfo=known)
        zones = dict.fromkeys(filter(find_zone, (zone, named))) or ("UTC",)
        return " = ".join(f"{moment_words(moment, each, language)} ({each})" for each in zones)
    except (ValueError, OverflowError):
        return ""


def preview(action: PlannedAction, words: Words, tell: MomentWords) -> list[JsonObject] | None:
    """All of it in blocks; None where it has to be shown as it is sent."""
    arguments = action.arguments
    texts = (value for _, value in leaves("", arguments) if isinstance(value, str))
    parts = parts_of(arguments)
    labels = {name: words(f"consent-part-{label}") for label, name in parts.items()}
    rest = [name for name in arguments if name not in labels]
    long = {name for label, name in parts.items() if label in LONG}
    labels |= {name: name.replace("_", " ").strip().capitalize() or name for name in rest}
    is_clear = len({label.casefold() for label in labels.values()}) == len(labels) <= MAX_ROWS
    is_clear = is_clear and all(map(_PLAIN_NAME.fullmatch, rest))
    if not (arguments and is_clear) or any(map(unpacked, texts)):
        return None
    blocks: list[JsonObject] = []
    lines: list[str] = []
    for name, label in labels.items():
        value = arguments[name]
        moment = foreign_line(tell(name, value), limits.OPTION_CHARS)
        shown = "" if name in long else moment or _line(value)
        lines.append(f"*{label}:* {shown}".strip())
        if not shown:
            is_text = isinstance(value, str)
            below = text_of(value) if is_text else "\n".join(argument_lines({name: value}, tell))
            blocks += [*sections("\n".join(lines)), *sections(f"```\n{code(below)}\n```")]
            lines = []
    return [*blocks, *sections("\n".join(lines))]


def written(value: Any) -> str:
    """A text, or several with commas, as a form has it."""
    return ", ".join(map(str, items_of(value)))


def items_of(value: Any) -> list[object]:
    """Those of a list, or the value alone."""
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _line(value: Any) -> str:
    """A value, or a list of them, as code in one line; empty where it is no such thing."""
    items = items_of(value) or [value]
    if any(each and isinstance(each, dict | list) for each in items):
        return ""
    texts = [text_of(item) for item in items]
    if any("\n" in text or "`" in text or len(text) > _LINE_CHARS for text in texts):
        return ""
    return ", ".join(map(inline_code, texts))


def argument_lines(
    arguments: JsonObject, tell: MomentWords = lambda _path, _value: ""
) -> Iterator[str]:
    """One line for each value, as `name.inner[0]: value`; all of them, in their order.

    A text of several lines stands below its name with a bar before each line, so that none of them
    looks like an argument of its own. A text that could be taken for another kind of value, or
    that begins or ends with a gap, is quoted. What is packed in base64 stands before it as it
    reads, and behind a moment what it is in words: brackets like these are ours alone.
    """
    for path, value in leaves("", arguments):
        if isinstance(value, str) and (plain := unpacked(value)):
            yield from _lines(f"{made_visible(path)} ⟨base64⟩", text_of(plain))
        told = tell(path, value)
        yield from _lines(made_visible(path), text_of(value) + (f" ⟨{told}⟩" if told else ""))


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


def _lines(name: str, text: str) -> Iterator[str]:
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
    if first not in _GAPS:
        return _name(f"U+{ord(first):04X}", n) if _is_hidden(first) or first in "⟨⟩" else run[0]
    is_long = run[0].count("\n") > _GAPS["\n"][0]
    seen = ""
    for character, same in groupby(run[0]):
        n = len(list(same))
        most, name = _GAPS[character]
        stays = n <= most and not (is_long and character == "\n")
        seen += character * n if stays else _name(name, n)
    return f"{seen}\n" if is_long else seen


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"


def _is_hidden(character: str) -> bool:
    if character in " \n":
        return False
    return unicodedata.category(character)[0] in "CZ" or character in _BLANK
