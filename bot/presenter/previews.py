"""The preview of an action: a mail, an event, a post, or its arguments by name. Pure.

A small table of argument names says which kind it is, never the name of a tool. The preview is
complete, and nothing foreign in it is live: blocks are verbatim, a text of several lines is a
quotation, an invisible character has a name in `⟨⟩`, such as `⟨5000 ␣⟩` or `⟨U+202E⟩`, and an
argument that could be taken for another field makes the whole action be shown as it is sent
(`argument_lines`).
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, cast

from agent_core.clock import find_zone
from agent_core.events import PlannedAction, SentFile
from agent_core.messages import JsonObject
from agent_core.runtime import moment_words, recipients_of, unpacked
from agent_core.words import Words
from bot.render import (
    QUOTE_BAR,
    code,
    foreign_line,
    limits,
    literal,
    one_line,
    plain_line,
    quoted,
    section,
    sections,
    split,
)

_OWN = ("answer", "report", "asked", "correction")
"""Of what the bot does to an answer of its own."""
_NAMES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("argument_names.json").read_text(encoding="utf-8")
)
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
CHANGE_CHARS = 120
"""Of a longer text that was changed it is said alone: it stands below as it is now."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,10}(?:Z|[+-]\d\d:?\d\d)?")
_PLAIN_NAME = re.compile(r"[a-zA-Z][\w-]{0,39}")
_LINE_CHARS = 200

_ATTACHMENT = frozenset({"name", "mimetype", "s3key"})
"""All that an app is told of a file that goes along."""
_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*+(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*+', re.DOTALL)
_GAPS = {
    " ": (4, "␣"),
    "\n": (3, "⏎"),
    "\t": (0, "⇥"),
}
"""So many in a row stay as they are, since people make no longer gaps; and what names more."""
_RUNS = re.compile(r"[ \n\t]{2,}|\t|([^\w \n\t]|[\u115f\u1160\u3164\uffa0])\1*")
"""Gaps, and whatever is not surely a letter or a digit."""
_BLANK = frozenset(
    "⟨⟩\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Invisible, though their categories are those of letters, signs and accents; and our brackets."""


_Zone = tuple[str, str]
"""Name and value of an argument that names a time zone."""
MomentWords = Callable[[str, object], str]
"""Says a moment in words, with its weekday and zone, by name and value; nothing of other values."""


def parts_of(arguments: JsonObject) -> dict[str, str]:
    """The arguments of a mail, event or post: names by label; empty for any other action."""
    for labels, needed in _PICTURES:
        given: dict[str, str] = {}
        for label in labels:
            for name in _NAMES[label]:
                if arguments.get(name) not in (None, "", [], {}):
                    given[label] = name
                    break
        if needed <= given.keys():
            return given
    return {}


def moments(arguments: JsonObject, zone: str, words: Words) -> MomentWords:
    """Words for the moments in arguments: in `zone`, and in the zone that stands with a moment."""
    beside: defaultdict[str, list[_Zone]] = defaultdict(list)
    anywhere: list[_Zone] = []
    for path, value in leaves("", arguments):
        if isinstance(value, str) and "zone" in path.lower():
            parent, _, name = path.rpartition(".")
            beside[parent].append((name, value))
            anywhere.append((name, value))

    def moment_words_of(path: str, value: object) -> str:
        if not isinstance(value, str) or not _TIME.fullmatch(value):
            return ""
        parent, _, _ = path.rpartition(".")
        zones = beside.get(parent, anywhere)
        values = {value for _, value in zones}
        if len(values) > 1 or not ZONE_NAMES.issuperset(name for name, _ in zones):
            return ""  # the zone may be that of another moment
        return _clock_words(
            value,
            "".join(values),
            zone,
            words,
        )

    return moment_words_of


def _clock_words(
    value: str,
    zone_name: str,
    zone: str,
    words: Words,
) -> str:
    """A moment in words; `zone_name` is the zone that stands with it, if any."""
    language = words("consent-language")
    try:
        moment = datetime.fromisoformat(value)
        known = moment.tzinfo or find_zone(zone_name)
        if known is None:
            clock = moment_words(
                moment.replace(tzinfo=UTC),
                "UTC",
                language,
            )
            where = plain_line(made_visible(zone_name), limits.PROGRESS_WORD_CHARS)
            return f"{clock} ({where or words('consent-no-zone')})"
        moment = moment.replace(tzinfo=known)
        zones = dict.fromkeys(filter(find_zone, (zone, zone_name)))
        clocks: list[str] = []
        for each in zones or ("UTC",):
            clock = moment_words(
                moment,
                each,
                language,
            )
            clocks.append(f"{clock} ({each})")
        return " = ".join(clocks)
    except (ValueError, OverflowError):
        return ""


def preview(
    action: PlannedAction,
    words: Words,
    moment_text: MomentWords,
    files: Sequence[SentFile] = (),
) -> list[JsonObject] | None:
    """The whole action as blocks; None if it has to be shown as it is sent.

    A file among `files` is called by name, kind and size; its storage key is a detail.
    """
    arguments = action.arguments
    parts = parts_of(arguments)
    labels = field_labels(arguments, words)
    if not _are_clear(arguments, labels):
        return None
    long = [parts.get(label) for label in LONG]
    blocks: list[JsonObject] = []
    lines: list[str] = []
    for name, label in labels.items():
        value = arguments[name]
        attached = attachment_line(
            value,
            files,
            words,
        )
        if attached:
            lines.append(attached)
            continue
        text = ""
        if name not in long:
            moment = moment_text(name, value)
            text = foreign_line(moment, limits.OPTION_CHARS) or _line(value)
        lines.append(f"*{label}:* {text}".strip())
        if not text:
            blocks += sections("\n".join(lines))
            blocks += _below(name, value, moment_text)
            lines = []
    return [*blocks, *sections("\n".join(lines))]


def _below(name: str, value: object, moment_text: MomentWords) -> list[JsonObject]:
    """A value that does not stand beside its name: a text as a quotation, all else as code."""
    text = text_of(value)
    if not isinstance(value, str):
        text = "\n".join(argument_lines({name: value}, moment_text))
    elif "`" not in text:
        return _quotation(text)
    return sections(f"```\n{code(text)}\n```")


def _quotation(text: str) -> list[JsonObject]:
    """A text with a bar before each line, also where a block ends within a line."""
    blocks: list[JsonObject] = []
    for part in split(quoted(text), limits.SECTION_CHARS - len(QUOTE_BAR)):
        bar = "" if part.startswith(QUOTE_BAR) else QUOTE_BAR
        blocks.append(section(f"{bar}{part}"))
    return blocks


def attachment_line(value: Any, files: Sequence[SentFile], words: Words) -> str:
    """A line for the files that an argument sends along; empty for any other argument.

    Each has to be one of `files` whose content we know, under a name of the same kind, and nothing
    else may be said of it.
    """
    by_key = {file.key: file for file in files if file.key and file.sha256}
    named = [_attached_name(item, by_key) for item in items_of(value)]
    if not named or not all(named):
        return ""
    label = words("consent-part-attachment", n=len(named))
    listed = ", ".join(named)
    return f"*{label}:* {listed}"


def _attached_name(item: object, by_key: Mapping[str, SentFile]) -> str:
    """A file to be sent by name, kind and size; empty where more has to be shown of it."""
    if not isinstance(item, dict):
        return ""
    given = cast("JsonObject", item)
    fields = {field.replace("_", "").casefold(): each for field, each in given.items()}
    file = by_key.get(str(fields.get("s3key")))
    is_all = len(fields) == len(given) and fields.keys() <= _ATTACHMENT
    name = PurePath(str(fields.get("name", "")))
    kind = name.suffix.casefold()
    if file is None or not is_all or not kind or kind != PurePath(file.name).suffix.casefold():
        return ""
    words = name.stem.replace("_", " ")
    title = _foreign(words[:1].upper() + words[1:])
    return f"{title} ({_foreign(kind[1:].upper())}, {_size(file.size_bytes)})"


def _foreign(text: str) -> str:
    visible = made_visible(text)
    return foreign_line(visible, limits.OPTION_CHARS)


def _size(size_bytes: int) -> str:
    """A size as people read it: 180 kB, 2.4 MB."""
    kilobytes = max(1, round(size_bytes / 1_000))
    if kilobytes < 1_000:
        return f"{kilobytes} kB"
    megabytes = kilobytes / 1_000
    return f"{megabytes:.1f} MB"


def field_labels(arguments: JsonObject, words: Words) -> dict[str, str]:
    """What people call each argument; the parts of a mail, an event or a post first."""
    parts = parts_of(arguments)
    labels = {name: words(f"consent-part-{label}") for label, name in parts.items()}
    for name in arguments:
        label = name.replace("_", " ").strip()
        labels.setdefault(name, label.capitalize() or name)
    return labels


def _are_clear(arguments: JsonObject, labels: dict[str, str]) -> bool:
    """Whether each label stands for one argument, and no value is packed in base64."""
    parts = parts_of(arguments).values()
    distinct = {label.casefold() for label in labels.values()}
    if len(distinct) < len(labels) or not 0 < len(labels) <= MAX_ROWS:
        return False
    if not all(name in parts or _PLAIN_NAME.fullmatch(name) for name in labels):
        return False
    texts = [value for _, value in leaves("", arguments) if isinstance(value, str)]
    return not any(map(unpacked, texts))


def changes(before: JsonObject, after: JsonObject, words: Words) -> Iterator[str]:
    """A line for each argument that differs, with both values if short; recipients first."""
    labels = field_labels({**before, **after}, words)
    names = [name for name in labels if before.get(name) != after.get(name)]
    names.sort(key=lambda name: not recipients_of({name: after.get(name) or before.get(name)}))
    for name in names:
        texts = (_brief(before.get(name)), _brief(after.get(name)))
        is_short = max(map(len, texts)) <= CHANGE_CHARS
        old, new = (one_line(made_visible(text), CHANGE_CHARS) or "-" for text in texts)
        sentence = "consent-changed" if is_short else "consent-changed-text"
        yield words(
            sentence,
            what=_foreign(labels[name]),
            before=old,
            after=new,
        )


def _brief(value: Any) -> str:
    """A value in one line; a file by its name."""
    if value is None:
        return ""
    names: list[str] = []
    for item in items_of(value):
        name = item
        if isinstance(item, dict):
            name = cast("JsonObject", item).get("name", item)
        names.append(str(name))
    return ", ".join(names)


def written(value: Any) -> str:
    """A text, or several with commas, as a form has it."""
    return ", ".join(map(str, items_of(value)))


def items_of(value: Any) -> list[object]:
    """Those of a list, or the value alone."""
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _line(value: Any) -> str:
    """A value, or a list of them, in one line; empty where it is no such thing."""
    items = items_of(value) or [value]
    if any(each and isinstance(each, dict | list) for each in items):
        return ""
    texts = [text_of(item) for item in items]
    for text in texts:
        if len(text) > _LINE_CHARS or "\n" in text or "`" in text:
            return ""
    return ", ".join(map(literal, texts))


def _no_moment(_path: str, _value: object) -> str:
    return ""


def argument_lines(arguments: JsonObject, moment_text: MomentWords = _no_moment) -> Iterator[str]:
    """One line for each value, as `name.inner[0]: value`; all of them, in their order.

    A text of several lines stands below its name with a bar before each line, so that none of them
    looks like an argument of its own. A text that could be taken for another kind of value, or
    that begins or ends with a gap, is quoted. What is packed in base64 stands before it as it
    reads, and behind a moment what it is in words: brackets like these are ours alone.
    """
    for path, value in leaves("", arguments):
        name = made_visible(path)
        plain = unpacked(value) if isinstance(value, str) else None
        if plain:
            yield from _lines(f"{name} ⟨base64⟩", text_of(plain))
        text = text_of(value)
        if moment := moment_text(path, value):
            text += f" ⟨{moment}⟩"
        yield from _lines(name, text)


def leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Each value with its whole name, as `name.inner[0]`."""
    if isinstance(value, dict) and value:
        for key, inner in cast("JsonObject", value).items():
            if not _PLAIN_KEY.fullmatch(key):
                key = json.dumps(key, ensure_ascii=False)
            yield from leaves(f"{path}.{key}" if path else key, inner)
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
    text = made_visible(value)
    if value != value.strip() or _READS_AS_VALUE.fullmatch(value):
        return f'"{text}"'
    return text


def made_visible(text: str) -> str:
    """The text with a name for whatever is not to be seen; short gaps stay as they are.

    The brackets of the names are ours: a text cannot pretend that something was named in it.
    """
    return _RUNS.sub(_visible_run, text)


def _visible_run(run: re.Match[str]) -> str:
    text = run[0]
    first = text[0]
    if first in _GAPS:
        return _visible_gap(text)
    category = unicodedata.category(first)
    if category.startswith(("C", "Z")) or first in _BLANK:
        return _name(f"U+{ord(first):04X}", len(text))
    return text


def _visible_gap(text: str) -> str:
    """Blanks, breaks and tabs; too many of one kind get their name."""
    most_breaks, _ = _GAPS["\n"]
    is_long = text.count("\n") > most_breaks
    visible = ""
    for character, group in groupby(text):
        run = "".join(group)
        most, name = _GAPS[character]
        if len(run) > most or (is_long and character == "\n"):
            run = _name(name, len(run))
        visible += run
    if is_long:
        visible += "\n"
    return visible


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"
