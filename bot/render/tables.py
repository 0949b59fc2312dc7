"""Markdown tables for Slack: Slack's own tables where they fit, aligned code otherwise. Pure.

Slack takes one `table` in a post, and several `data_table`s, which hold more rows, can be sorted,
and show some rows at a time. So a table that is alone in its post is a `table` as long as it fits,
and every other one a `data_table`. A small series of figures gets a chart below it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from dateutil import parser as dates
from rich.cells import cell_len

from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.escape import flat, inert

Cell = tuple[tuple[str, str], ...]
"""Plain words in runs, each with the address that it links to, which is mostly empty."""

MAX_CELL_WIDTH = 60
_DATED = re.compile(r"\b\d{4}\b|[^\W\d]{3}")
_QUARTER = re.compile(r"\bQ([1-4])\b")
_FIRST_MONTHS = {
    "1": "Jan",
    "2": "Apr",
    "3": "Jul",
    "4": "Oct",
}
_FIGURE = re.compile(
    r"(?P<before>[^\s\d.,+\u2212-]*)\s?\+?(?P<sign>[\u2212-]?)"
    r"(?P<whole>\d{1,3}(?:[,\s\u2019']\d{3})+|\d+)(?:[.,](?P<part>\d{1,2}|\d{4,}))?"
    r"\s?(?P<after>\D*)"
)
"""A number and its unit. Three digits behind a point may mean two things, and are none."""
_GROUPS = re.compile(r"\D")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells by rows; the first row is the head. Every row has as many cells."""

    rows: tuple[tuple[Cell, ...], ...]
    alignments: tuple[str, ...]
    """`left`, `center` or `right` for each column."""

    @property
    def texts(self) -> list[list[str]]:
        return [list(map(_words, row)) for row in self.rows]

    @property
    def chars(self) -> int:
        """What Slack counts of it; its caption included."""
        chars = limits.CAPTION_CHARS
        for row in self.texts:
            chars += sum(max(len(text), 2) for text in row)
        return chars

    @property
    def is_shown(self) -> bool:
        """Whether one of Slack's tables takes it."""
        if len(self.alignments) > limits.TABLE_COLUMNS or self.chars > limits.TABLE_CHARS:
            return False
        return limits.DATA_TABLE_LEAST_ROWS <= len(self.rows) <= limits.DATA_TABLE_ROWS


def table_block(table: Table, *, is_alone: bool) -> JsonObject:
    """Slack's block for a table that `is_shown`. In its cells nothing is parsed."""
    rows = [list(map(_cell, row)) for row in table.rows]
    if is_alone and len(rows) <= limits.TABLE_ROWS:
        columns = [{"align": align, "is_wrapped": True} for align in table.alignments]
        return {
            "type": "table",
            "rows": rows,
            "column_settings": columns,
        }
    rows[0] = list(map(_raw, table.texts[0]))
    caption = " · ".join(cell["text"] for cell in rows[0])
    return {
        "type": "data_table",
        "caption": caption[: limits.CAPTION_CHARS],
        "rows": rows,
        "page_size": min(len(rows) - 1, limits.DATA_TABLE_PAGE),
    }


def _words(cell: Cell) -> str:
    return "".join(text for text, _ in cell)


def _cell(cell: Cell) -> JsonObject:
    if not any(url for _, url in cell):
        return _raw(_words(cell))
    leaves: list[JsonObject] = []
    for text, url in cell:
        leaf: JsonObject = {"type": "text", "text": inert(text)}
        if url:
            leaf |= {"type": "link", "url": url}
        leaves.append(leaf)
    section = {"type": "rich_text_section", "elements": leaves}
    return {"type": "rich_text", "elements": [section]}


def _raw(text: str) -> JsonObject:
    return {
        "type": "raw_text",
        "text": inert(text).strip() or "-",
    }


def chart_block(table: Table) -> JsonObject | None:
    """Slack's chart of a small series in lines; None for any other table.

    The first column holds 3 to 12 dates, each later than the one before: what dateutil reads, with
    a year or a month's name in it, and quarters as `Q1 2024`. Each cell of the others, three at
    most, is a number, all of one unit: beside it, or in brackets in the column's head.
    """
    head, *body = [list(map(_unlinked, row)) for row in table.rows]
    if not 3 <= len(body) <= limits.CHART_POINTS:
        return None
    _, *heads = head
    if not 1 <= len(heads) <= limits.CHART_SERIES:
        return None
    periods, *columns = zip(*body, strict=True)
    labels = [_short(period) for period in periods]
    lines: dict[str, JsonObject] = {}
    units: set[str] = set()
    try:
        moments = [_moment(period) for period in periods]
        for head_text, cells in zip(heads, columns, strict=True):
            unit, values = _figures(head_text, cells)
            units.add(unit)
            name = _short(_IN_BRACKETS.sub("", head_text))
            data: list[JsonObject] = []
            for label, value in zip(labels, values, strict=True):
                data.append({"label": label, "value": value})
            lines[name] = {"name": name, "data": data}
    except (ValueError, OverflowError):
        return None
    if len(units) > 1 or len(lines) < len(heads):
        return None
    if any(later <= before for before, later in pairwise(moments)):
        return None
    axes: JsonObject = {"categories": labels}
    unit = units.pop()
    if unit:
        axes["y_label"] = _short(unit)
    return {
        "type": "data_visualization",
        "title": " · ".join(lines)[: limits.CHART_TITLE_CHARS],
        "chart": {
            "type": "line",
            "series": list(lines.values()),
            "axis_config": axes,
        },
    }


def _unlinked(cell: Cell) -> str:
    return "".join(text for text, url in cell if not url).strip()


def _moment(period: str) -> datetime:
    """A moment of it. Raises ValueError, OverflowError for what is no date."""
    if not _DATED.search(period):
        raise ValueError(period)
    dated = _QUARTER.sub(lambda quarter: _FIRST_MONTHS[quarter[1]], period)
    return dates.parse(dated, ignoretz=True)


def _figures(head: str, cells: Sequence[str]) -> tuple[str, list[float]]:
    """A column's unit and numbers. Raises ValueError for text, and for several units."""
    values: list[float] = []
    units: set[str] = set()
    for cell in cells:
        figure = _FIGURE.fullmatch(cell)
        if figure is None:
            raise ValueError(cell)
        whole = _GROUPS.sub("", figure["whole"])
        part = figure["part"] or "0"
        value = float(f"{whole}.{part}")
        if figure["sign"]:
            value = -value
        values.append(value)
        units.add(figure["before"] + figure["after"])
    if len(units) > 1:
        raise ValueError(head)
    in_brackets = _IN_BRACKETS.findall(head)
    return "".join([*units, *in_brackets]), values


def _short(text: str) -> str:
    return inert(text)[: limits.CHART_LABEL_CHARS].strip() or "-"


def aligned(table: Table) -> str:
    """The table as text in columns; a long cell sticks out."""
    rows = [list(map(flat, row)) for row in table.texts]
    widths: list[int] = []
    for column in zip(*rows, strict=True):
        widest = max(map(cell_len, column))
        widths.append(min(MAX_CELL_WIDTH, widest))
    lines: list[str] = []
    for row in rows:
        padded: list[str] = []
        for cell, width in zip(row, widths, strict=True):
            padded.append(cell + " " * (width - cell_len(cell)))
        lines.append(" | ".join(padded).rstrip())
    rule = ["-" * width for width in widths]
    lines.insert(1, "-+-".join(rule))
    return "\n".join(lines)
