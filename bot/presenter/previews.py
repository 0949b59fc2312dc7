"""An action as people know it: a mail, an event, a post, or its fields with their names. Pure.

What it is says a small table of argument names, never the name of a tool. Nothing is left out, and
nothing foreign is live: a value is code, what cannot be seen has a name in `⟨⟩`, such as `⟨5000 ␣⟩`
or `⟨U+202E⟩`, and what could be taken for another field is shown as it is sent (`argument_lines`).
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, cast

from agent_core.events import PlannedAction
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import recipients_of, unpacked
from agent_core.words import Words
from bot.presenter.apps import PREFIX
from bot.render import code, entry, inline_code, limits, modal, section, split

Label = Literal[
    "to", "cc", "bcc", "subject", "body", "title", "start", "end", "zone", "people", "place",
    "about", "channel", "text", "answer", "report", "asked", "correction",
]  # fmt: skip
_NAMES: dict[Label, tuple[str, ...]] = {
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
    "answer": ("answer",),
    "report": ("report",),
    "asked": ("asked",),
    "correction": ("correction",),
}
"""What an argument is for, by the names that apps give it; the first that is there counts."""
ZONE_NAMES = frozenset(_NAMES["zone"])
_PICTURES: tuple[tuple[tuple[Label, ...], frozenset[Label]], ...] = (
    (("title", "start", "end", "zone", "people", "place", "about"), frozenset({"title", "start"})),
    (("to", "cc", "bcc", "subject", "body"), frozenset({"to", "body"})),
    (("channel", "text"), frozenset({"channel", "text"})),
    (("answer", "report", "asked", "correction"), frozenset({"answer", "asked"})),
)
"""An event, a mail, a post, the bot's own answer: its parts in order, and those that it needs."""
EDITABLE: frozenset[Label] = frozenset(
    {"to", "cc", "bcc", "subject", "body", "title", "place", "about", "text"}
)
_LONG: frozenset[Label] = frozenset({"body", "about", "text", "correction"})
"""Stand below their name, as they will read."""

MAX_ROWS = 16
MAX_EDIT_CHARS = 3_000
_PLAIN_NAME = re.compile(r"[a-zA-Z][\w-]{0,39}")
_LINE_CHARS = 200

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An argument that is known for what it is."""

    label: Label
    name: str
    """As it is sent."""
    value: Any


def parts_of(arguments: JsonObject) -> list[Part]:
    """The parts of the mail, event or post that the arguments are; empty where they are none."""
    for labels, needed in _PICTURES:
        parts = [part for label in labels if (part := _part(label, arguments))]
        if needed <= {part.label for part in parts}:
            return parts
    return []


def preview(
    action: PlannedAction, words: Words, moment: Callable[[Part], str]
) -> list[JsonObject] | None:
    """All of it in blocks; None where it has to be shown as it is sent.

    `moment` says a moment in words, and nothing for another value.
    """
    arguments = action.arguments
    texts = (value for _, value in leaves("", arguments) if isinstance(value, str))
    if not arguments or any(map(unpacked, texts)):
        return None
    parts = parts_of(arguments)
    known = {part.name for part in parts}
    rest = [name for name in arguments if name not in known]
    rows = [
        (
            words(f"consent-part-{part.label}"),
            part.value,
            "" if part.label in _LONG else moment(part) or _line(part.value),
        )
        for part in parts
    ]
    rows += [(_label(name), arguments[name], _line(arguments[name])) for name in rest]
    labels = {label.casefold() for label, *_ in rows}
    if len(labels) < len(rows) or len(rows) > MAX_ROWS or not all(map(_PLAIN_NAME.fullmatch, rest)):
        return None
    blocks: list[JsonObject] = []
    lines: list[str] = []
    for label, value, shown in rows:
        if shown:
            lines.append(f"*{label}:* {shown}")
            continue
        below = _below(value)
        if below is None:
            return None
        blocks += _sections([*lines, f"*{label}:*"])
        blocks += _sections([f"```\n{code(below)}\n```"])
        lines = []
    return [*blocks, *_sections(lines)]


def names_all_recipients(action: PlannedAction) -> bool:
    """Whether the preview names everybody whom it reaches, and says how."""
    parts = parts_of(action.arguments)
    named = [part.value for part in parts if part.label in {"to", "cc", "bcc", "people", "channel"}]
    told = {str(value) for one in named for _, value in leaves("x", one)}
    return bool(parts) and told >= set(recipients_of(action.arguments))


def editable_parts(action: PlannedAction) -> list[Part]:
    """Those whose texts a person may change before they approve."""
    return [
        part
        for part in parts_of(action.arguments)
        if part.label in EDITABLE
        and len(_written(part)) <= MAX_EDIT_CHARS
        and all(isinstance(each, str) for each in _items(part.value))
    ]


def _written(part: Part) -> str:
    return ", ".join(map(str, _items(part.value)))


def _items(value: Any) -> list[object]:
    """Those of a list, or the value alone."""
    return cast("list[object]", value) if isinstance(value, list) else [value]


def edit_form(action: PlannedAction, words: Words, about: str) -> JsonObject:
    """A modal with the texts of an action; `about` says which it is."""
    blocks: list[JsonObject] = []
    for part in editable_parts(action):
        element = {
            "type": "plain_text_input",
            "multiline": part.label in _LONG,
            "max_length": MAX_EDIT_CHARS,
            "initial_value": _written(part),
        }
        blocks.append(entry(part.name, words(f"consent-part-{part.label}"), element))
    return modal(
        f"{PREFIX}edit",
        words("consent-edit-title"),
        words("consent-edit-save"),
        words("consent-cancel"),
        private_metadata=about,
        blocks=[*map(Exact, blocks)],
    )


def read_changes(action: PlannedAction, values: Mapping[str, str]) -> dict[str, str | list[str]]:
    """What was changed in that modal, by argument."""
    changes: dict[str, str | list[str]] = {}
    for part in editable_parts(action):
        text = values.get(part.name, "")
        if text == _written(part):
            continue
        is_list = isinstance(part.value, list)
        items = [each.strip() for each in re.split(r"[,;\n]", text) if each.strip()]
        changes[part.name] = items if is_list else text
    return changes


def _part(label: Label, arguments: JsonObject) -> Part | None:
    for name in _NAMES[label]:
        value = arguments.get(name)
        if value not in (None, "", [], {}):
            return Part(label=label, name=name, value=value)
    return None


def _label(name: str) -> str:
    return name.replace("_", " ").strip().capitalize() or name


def _line(value: Any) -> str:
    """A value, or a list of them, as code in one line; empty where it is no such thing."""
    items = _items(value) or [value]
    if any(each and isinstance(each, dict | list) for each in items):
        return ""
    texts = [text_of(item) for item in items]
    if any("\n" in text or "`" in text or len(text) > _LINE_CHARS for text in texts):
        return ""
    return ", ".join(map(inline_code, texts))


def _below(value: Any) -> str | None:
    """The same in lines of its own; None where one of them could be taken for another field."""
    if isinstance(value, str):
        return text_of(value)
    inner = [(path, text_of(each)) for path, each in leaves("", value)]
    if any("\n" in text or '"' in path for path, text in inner):
        return None
    return "\n".join(f"{path}: {text}" for path, text in inner) or json.dumps(value)


def _sections(lines: Sequence[str]) -> Iterator[JsonObject]:
    if lines:
        yield from (section(part) for part in split("\n".join(lines), limits.SECTION_CHARS))


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
