"""Block Kit as Slack checks it before it shows anything, by the table in `blocks.yml`.

A problem is a sentence as Slack words it, with the JSON pointer of the faulty part.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bot.sandbox.slack import limits
from bot.sandbox.slack.wire import ApiError, JsonArray, JsonObject, as_array, as_object

_TABLE = Path(__file__).with_name("blocks.yml")
_MOST_OF_A_KIND = {
    "table": (1, "only_one_table_allowed"),
    "data_visualization": (2, "no more than 2 items allowed"),
}
"""How many blocks of a kind one message may hold, and the word with which more are refused."""


def check_message_blocks(blocks: JsonArray) -> None:
    """Raises `invalid_blocks` with Slack's messages, or `msg_blocks_too_long`."""
    found = _Examination()
    found.check_fields(_row("view", "message"), {"blocks": blocks}, "")
    shown = [as_object(block) or {} for block in blocks]
    for kind, (most, word) in _MOST_OF_A_KIND.items():
        places = [index for index, block in enumerate(shown) if block.get("type") == kind]
        for index in places[most:]:
            found.fail(f"/blocks/{index}", word)
    for index, block in enumerate(shown):
        if block.get("type") == "data_table":
            found.check_data_table(block, f"/blocks/{index}")
    if found.problems:
        raise ApiError("invalid_blocks", messages=found.problems, errors=found.problems)
    tables = [block for block in shown if block.get("type") in ("table", "data_table")]
    if any(_count([table]) > limits.MAX_TABLE_CHARS for table in tables):
        raise ApiError("msg_blocks_too_long")
    markdown = _count([block for block in shown if block.get("type") == "markdown"])
    if markdown > limits.MAX_MARKDOWN_TEXT or _count(shown) > limits.MAX_BLOCKS_TOTAL_CHARS:
        raise ApiError("msg_blocks_too_long")


def check_view(view: JsonObject, kind: str) -> None:
    """Raises `invalid_arguments` with Slack's messages. The kind is "modal" or "home"."""
    found = _Examination()
    found.check_fields(_row("view", kind), view, "/view")
    blocks = [as_object(block) or {} for block in as_array(view.get("blocks")) or ()]
    has_input = any(block.get("type") == "input" for block in blocks)
    if kind == "modal" and has_input and not view.get("submit"):
        found.fail("/view", "missing required field: submit")
    if found.problems:
        raise ApiError("invalid_arguments", messages=found.problems)


def texts_of(value: object) -> Iterator[str]:
    """All texts in a payload, at any depth."""
    fields = as_object(value) or {}
    if isinstance(text := fields.get("text"), str):
        yield text
    for item in as_array(value) or fields.values():
        yield from texts_of(item)


def _count(blocks: JsonArray) -> int:
    return sum(map(len, texts_of(blocks)))


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return yaml.safe_load(_TABLE.read_text(encoding="utf-8"))


@cache
def _row(table: str, name: str) -> Mapping[str, str]:
    """The fields of an object, those that all of its table have included; `!` if it is closed."""
    rows, common = _tables()[table], _tables()["common"].get(table, {})
    if f"{name}!" in rows:
        return {"!": "", **rows[f"{name}!"], **common}
    return {**rows[name], **common}


def _text(size: str, *kinds: str) -> Mapping[str, str]:
    kind, text = f"one of {' '.join(kinds)}", f"string {size}"
    return {"!": "", "type*": kind, "text*": text, "emoji": "flag", "verbatim": "flag"}


class _Examination:
    """Holds values against the rules of the table, and notes what is wrong."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def fail(self, at: str, message: str) -> None:
        self.problems.append(f"{message} [json-pointer:{at}]")

    def check_fields(self, fields: Mapping[str, str], value: object, at: str) -> None:
        """The value is an object of these fields."""
        given = as_object(value)
        if given is None:
            self.fail(at, "must be an object")
            return
        any_of = fields.get("any_of", "").split()
        if any_of and not any(given.get(name) for name in any_of):
            self.fail(at, f"missing required field: {any_of[0]}")
        names = {marked.removesuffix("*"): rule for marked, rule in fields.items()}
        for name, rule in names.items():
            if given.get(name) is not None and name != "any_of":
                self._check(rule.split(), given[name], f"{at}/{name}")
            elif f"{name}*" in fields:
                self.fail(at, f"missing required field: {name}")
        for name in given.keys() - names.keys() if "!" in fields else ():
            self.fail(at, f"invalid additional property: {name}")

    def check_data_table(self, block: JsonObject, at: str) -> None:
        """What the table of fields cannot say of one."""
        if len(as_array(block.get("rows")) or ()) < limits.MIN_DATA_TABLE_ROWS:
            self.fail(f"{at}/rows", f"no fewer than {limits.MIN_DATA_TABLE_ROWS} items allowed")
        if block.get("page_size") not in (None, *range(1, limits.MAX_PAGE_SIZE + 1)):
            self.fail(f"{at}/page_size", f"must be <= {limits.MAX_PAGE_SIZE}")

    def _check(self, rule: Sequence[str], value: object, at: str) -> None:
        match rule:
            case ["text", size]:
                self.check_fields(_text(size, "plain_text", "mrkdwn"), value, at)
            case ["plain", size]:
                self.check_fields(_text(size, "plain_text"), value, at)
            case ["any", size, "x", *of] | [size, "x", *of]:
                self._check_items(of, value, at, int(size), rule[0] != "any")
            case ["block" | "element" | "leaf" | "part" | "chart" | "cell" as table, *kinds]:
                self._check_kind(table, kinds or list(_tables()[table]), value, at)
            case [name] if name in _tables()["object"] or f"{name}!" in _tables()["object"]:
                self.check_fields(_row("object", name), value, at)
            case _:
                self._check_plain(rule, value, at)

    def _check_plain(self, rule: Sequence[str], value: object, at: str) -> None:
        match rule:
            case ["any", "string", size] | ["string", size]:
                self._check_string(value, at, int(size), rule[0] != "any")
            case ["one", "of", *words]:
                if value not in words:
                    self.fail(at, f"unsupported {at.rpartition('/')[2]}: {value}")
            case ["number"]:
                if not isinstance(value, int | float):
                    self.fail(at, "must be a number")
            case _:
                if not isinstance(value, bool):
                    self.fail(at, "must be a boolean")

    def _check_string(self, value: object, at: str, most: int, least: int) -> None:
        if not isinstance(value, str):
            self.fail(at, "must be a string")
        elif len(value) > most:
            self.fail(at, f"must be less than {most + 1} characters")
        elif len(value) < least:
            self.fail(at, f"must be more than {least - 1} characters")

    def _check_items(
        self, rule: Sequence[str], value: object, at: str, most: int, least: int
    ) -> None:
        items, unique = as_array(value), ""
        if items is None:
            self.fail(at, "must be an array")
            return
        if len(items) > most:
            self.fail(at, f"no more than {most} items allowed")
        if len(items) < least:
            self.fail(at, f"no fewer than {least} items allowed")
        if "unique" in rule:
            *rule, _, unique = rule
        seen: set[object] = set()
        for index, item in enumerate(items):
            self._check(rule, item, f"{at}/{index}")
            name = (as_object(item) or {}).get(unique)
            if name is not None and name in seen:
                self.fail(f"{at}/{index}/{unique}", f"duplicate {unique}: {name}")
            seen.add(name)

    def _check_kind(self, table: str, kinds: Sequence[str], value: object, at: str) -> None:
        kind = str((as_object(value) or {}).get("type"))
        if kind in kinds:
            self.check_fields(_row(table, kind), value, at)
        else:
            self.fail(f"{at}/type", f"unsupported type: {kind}")
