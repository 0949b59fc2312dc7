"""Markdown tables for Slack: its own tables where they fit, aligned code otherwise. Pure.

Slack takes one `table` in a post, and it takes several `data_table`s, which are also bigger, can be
sorted, and show some rows at a time. So a table that is alone in its post is a `table` as long as
it fits, and all others are `data_table`s. Below a small series of figures stands a chart of them.
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
from bot.render.escape import clean, inert

Cell = tuple[tuple[str, str], ...]
"""Plain words in runs, each with the address that it links to, which is mostly empty."""

MAX_CELL_WIDTH = 60
_DATED = re.compile(r"\b\d{4}\b|[^\W\d]{3}")
_QUARTER = re.compile(r"\bQ([1-4])\b")
_FIRST_MONTHS = {"1": "Jan", "2": "Apr", "3": "Jul", "4": "Oct"}
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
        cells = [text for row in self.texts for text in row]
        chars = sum(max(len(text), 2) for text in cells)
        return chars + limits.CAPTION_CHARS

    @property
    def is_shown(self) -> bool:
        """Whether one of Slack's tables takes it."""
        return (
            limits.DATA_TABLE_LEAST_ROWS <= len(self.rows) <= limits.DATA_TABLE_ROWS
            and len(self.alignments) <= limits.TABLE_COLUMNS
            and self.chars <= limits.TABLE_CHARS
        )


def table_block(table: Table, *, is_alone: bool) -> JsonObject:
    """Slack's block for a table that `is_shown`. In its cells nothing is parsed."""
    rows = [list(map(_cell, row)) for row in table.rows]
    if is_alone and len(rows) <= limits.TABLE_ROWS:
        columns = [{"align": align, "is_wrapped": True} for align in table.alignments]
        return {"type": "table", "rows": rows, "column_settings": columns}
    head = list(map(_raw, table.texts[0]))
    rows[0] = head
    caption = " · ".join(cell["text"] for cell in head)
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
        if url:
            leaves.append({"type": "link", "url": url, "text": inert(text)})
        else:
            leaves.append({"type": "text", "text": inert(text)})
    section = {"type": "rich_text_section", "elements": leaves}
    return {"type": "rich_text", "elements": [section]}


def _raw(text: str) -> JsonObject:
    return {"type": "raw_text", "text": inert(text).strip() or "-"}


@dataclass(frozen=True, slots=True)
class _FigureColumn:
    """A column of figures, all of one unit."""

    name: str
    unit: str
    values: list[float]


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
    try:
        moments = [_moment(period) for period in periods]
        series = list(map(_series, heads, columns))
    except (ValueError, OverflowError):
        return None
    names = [line.name for line in series]
    units = {line.unit for line in series}
    has_doubles = len(set(names)) < len(names)
    if len(units) > 1 or has_doubles:
        return None
    if any(later <= before for before, later in pairwise(moments)):
        return None
    labels = [_short(period) for period in periods]
    axes: JsonObject = {"categories": labels}
    unit = units.pop()
    if unit:
        axes["y_label"] = _short(unit)
    return {
        "type": "data_visualization",
        "title": " · ".join(names)[: limits.CHART_TITLE_CHARS],
        "chart": {
            "type": "line",
            "series": [_chart_line(line, labels) for line in series],
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


def _series(name: str, cells: Sequence[str]) -> _FigureColumn:
    """A column as a series. Raises ValueError for what is no number, or of several units."""
    values: list[float] = []
    units: set[str] = set()
    for cell in cells:
        figure = _FIGURE.fullmatch(cell)
        if figure is None:
            raise ValueError(cell)
        sign = "-" if figure["sign"] else ""
        whole = _GROUPS.sub("", figure["whole"])
        part = figure["part"] or "0"
        values.append(float(f"{sign}{whole}.{part}"))
        units.add(figure["before"] + figure["after"])
    if len(units) > 1:
        raise ValueError(name)
    in_brackets = _IN_BRACKETS.findall(name)
    return _FigureColumn(
        name=_short(_IN_BRACKETS.sub("", name)),
        unit="".join([*units, *in_brackets]),
        values=values,
    )


def _chart_line(series: _FigureColumn, labels: Sequence[str]) -> JsonObject:
    points = zip(labels, series.values, strict=True)
    data = [{"label": label, "value": value} for label, value in points]
    return {"name": series.name, "data": data}


def _short(text: str) -> str:
    return inert(text)[: limits.CHART_LABEL_CHARS].strip() or "-"


def aligned(table: Table) -> str:
    """The table as text in columns; a long cell sticks out."""
    rows = [list(map(_one_line, row)) for row in table.texts]
    widths: list[int] = []
    for column in zip(*rows, strict=True):
        widest = max(map(cell_len, column))
        widths.append(min(MAX_CELL_WIDTH, widest))
    lines: list[str] = []
    for row in rows:
        line = " | ".join(map(_padded, row, widths))
        lines.append(line.rstrip())
    rule = ["-" * width for width in widths]
    lines.insert(1, "-+-".join(rule))
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(clean(text).split())


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - cell_len(cell))
