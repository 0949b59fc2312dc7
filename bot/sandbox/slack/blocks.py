"""Validates Block Kit as Slack does before it shows anything, by the table in `blocks.yml`.

A problem is a sentence as Slack words it, with the JSON pointer of the faulty part.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from bot.sandbox.slack import limits
from bot.sandbox.slack.text import texts_in
from bot.sandbox.slack.wire import ApiError, JsonArray, JsonObject, as_array, as_object

_TABLE = Path(__file__).with_name("blocks.yml")
_MOST_OF_A_KIND = {
    "table": (1, "only_one_table_allowed"),
    "data_visualization": (2, "no more than 2 items allowed"),
}
"""How many blocks of a kind one message may hold, and Slack's words for one more."""
Rules = Mapping[str, str]
"""The rule of each field of an object, by name."""


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with Slack's messages, or `msg_blocks_too_long`."""
    examination = _Examination()
    rules = _row("view", "message")
    examination.check_fields(rules, {"blocks": blocks}, "")
    examination.check_counts(blocks)
    problems = examination.problems
    if problems:
        raise ApiError("invalid_blocks", messages=problems, errors=problems)
    _check_chars(blocks, limits.MAX_BLOCKS_TOTAL_CHARS)
    _check_chars(_of_kinds(blocks, "markdown"), limits.MAX_MARKDOWN_TEXT)
    for table in _of_kinds(blocks, "table", "data_table"):
        _check_chars(table, limits.MAX_TABLE_CHARS)


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with Slack's messages. The kind is "modal" or "home"."""
    examination = _Examination()
    examination.check_fields(_row("view", kind), view, "/view")
    blocks = as_array(view.get("blocks")) or []
    inputs = _of_kinds(blocks, "input")
    if kind == "modal" and inputs and not view.get("submit"):
        examination.fail("/view", "missing required field: submit")
    if examination.problems:
        raise ApiError("invalid_arguments", messages=examination.problems)


def _kind_of(value: object) -> str:
    fields = as_object(value) or {}
    return str(fields.get("type"))


def _of_kinds(blocks: JsonArray, *kinds: str) -> JsonArray:
    return [block for block in blocks if _kind_of(block) in kinds]


def _check_chars(value: object, most: int) -> None:
    """All texts of the value together have a limit."""
    chars = sum(len(text) for text in texts_in(value))
    if chars > most:
        raise ApiError("msg_blocks_too_long")


@cache
def _tables() -> Mapping[str, Mapping[str, Rules]]:
    return yaml.safe_load(_TABLE.read_text(encoding="utf-8"))


@cache
def _row(table: str, name: str) -> Rules:
    """The fields of an object and those common to its table; with `!` if the object is closed."""
    tables = _tables()
    rows = tables[table]
    common = tables["common"].get(table, {})
    if name in rows:
        return {**rows[name], **common}
    closed = rows[f"{name}!"]
    return {
        "!": "",
        **closed,
        **common,
    }


@cache
def _text_row(kind: str, size: str) -> Rules:
    """The fields of a text object; the kind is "text" or "plain"."""
    kinds = "plain_text" if kind == "plain" else "plain_text mrkdwn"
    return {
        "!": "",
        "type*": f"one of {kinds}",
        "text*": f"string {size}",
        "emoji": "flag",
        "verbatim": "flag",
    }


def _range(size: str) -> tuple[int, int]:
    """The least and the most of a size in the table."""
    least, dots, most = size.rpartition("..")
    return int(least) if dots else 1, int(most)


class _Examination:
    """Holds values against the rules of the table and collects the problems."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def fail(self, at: str, message: str) -> None:
        self.problems.append(f"{message} [json-pointer:{at}]")

    def check_counts(self, blocks: JsonArray) -> None:
        """A message holds only so many blocks of some kinds."""
        counts = dict.fromkeys(_MOST_OF_A_KIND, 0)
        for index, block in enumerate(blocks):
            kind = _kind_of(block)
            if kind not in counts:
                continue
            counts[kind] += 1
            most, message = _MOST_OF_A_KIND[kind]
            if counts[kind] > most:
                self.fail(f"/blocks/{index}", message)

    def check_fields(self, rules: Rules, value: object, at: str) -> None:
        """The value is an object with these fields."""
        given = as_object(value)
        if given is None:
            self.fail(at, "must be an object")
            return
        known: set[str] = set()
        for marked, rule in rules.items():
            name = marked.removesuffix("*")
            known.add(name)
            field = given.get(name)
            if field is not None:
                self._check(rule, field, f"{at}/{name}")
            elif name != marked:
                self.fail(at, f"missing required field: {name}")
        if "!" not in rules:
            return
        for name in given.keys() - known:
            self.fail(at, f"invalid additional property: {name}")

    def _check(self, rule: str, value: object, at: str) -> None:
        match rule.split():
            case [size, "x", *_]:
                self._check_items(rule, size, value, at)
            case ["text" | "plain" as kind, size]:
                rules = _text_row(kind, size)
                self.check_fields(rules, value, at)
            case ["object", name]:
                rules = _row("object", name)
                self.check_fields(rules, value, at)
            case ["block" | "element" | "leaf" | "part" | "chart" | "cell" as table, *kinds]:
                self._check_kind(table, kinds, value, at)
            case ["string", size]:
                self._check_string(size, value, at)
            case ["number", *sizes]:
                self._check_number(sizes, value, at)
            case ["one", "of", *words]:
                if value not in words:
                    name = at.rpartition("/")[2]
                    self.fail(at, f"unsupported {name}: {value}")
            case _:
                if not isinstance(value, bool):
                    self.fail(at, "must be a boolean")

    def _check_string(self, size: str, value: object, at: str) -> None:
        if not isinstance(value, str):
            self.fail(at, "must be a string")
            return
        least, most = _range(size)
        if len(value) > most:
            self.fail(at, f"must be less than {most + 1} characters")
        if len(value) < least:
            self.fail(at, f"must be more than {least - 1} characters")

    def _check_number(self, sizes: Sequence[str], value: object, at: str) -> None:
        if not isinstance(value, int | float):
            self.fail(at, "must be a number")
            return
        for size in sizes:
            least, most = _range(size)
            if value < least:
                self.fail(at, f"must be >= {least}")
            if value > most:
                self.fail(at, f"must be <= {most}")

    def _check_items(
        self,
        rule: str,
        size: str,
        value: object,
        at: str,
    ) -> None:
        items = as_array(value)
        if items is None:
            self.fail(at, "must be an array")
            return
        least, most = _range(size)
        count = len(items)
        if count > most:
            self.fail(at, f"no more than {most} items allowed")
        if count < least:
            self.fail(at, f"no fewer than {least} items allowed")
        _, _, item_rule = rule.partition(" x ")
        item_rule, _, unique = item_rule.partition(" unique ")
        for index, item in enumerate(items):
            self._check(item_rule, item, f"{at}/{index}")
        if unique:
            self._check_unique(unique, items, at)

    def _check_unique(self, field: str, items: JsonArray, at: str) -> None:
        """No two items with the same value in this field."""
        values: set[object] = set()
        for index, item in enumerate(items):
            fields = as_object(item) or {}
            value = fields.get(field)
            if value is None:
                continue
            if value in values:
                self.fail(f"{at}/{index}/{field}", f"duplicate {field}: {value}")
            values.add(value)

    def _check_kind(
        self,
        table: str,
        kinds: Sequence[str],
        value: object,
        at: str,
    ) -> None:
        kind = _kind_of(value)
        known = kinds or _tables()[table]
        if kind not in known:
            self.fail(f"{at}/type", f"unsupported type: {kind}")
            return
        self.check_fields(_row(table, kind), value, at)
