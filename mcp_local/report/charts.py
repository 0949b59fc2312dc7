"""Charts of a report: the table of a chart box drawn as SVG, bars or lines, nothing that runs.

`chart.svg.j2` draws; colours, fonts and the dark theme are the stylesheet's. Labels and values are
the table's own words.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from mcp_local.claims.figures import read_facts
from mcp_local.claims.language import language_of

KINDS = ("bar", "line")
_MAX_ROWS = 40
_MAX_SERIES = 6
_NEGATIVE = re.compile(r"\s*(?:[-−–]|\([\W\d]+\)\s*$)")  # noqa: RUF001 (signs of a minus)

TableRow = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartValue:
    """A number of a series and its text in the table."""

    number: float
    text: str


def draw_chart(kind: str, title: str, rows: Sequence[TableRow]) -> str:
    """The SVG of a table, whose first row is its head; empty where there is nothing to compare.

    The first column labels the rows, each further one with numbers is a series.
    """
    columns = [[_value(cell) for cell in column] for column in zip(*rows, strict=False)]
    series = [
        (rows[0][at], column[1 : _MAX_ROWS + 1])
        for at, column in enumerate(columns[: _MAX_SERIES + 1])
        if at and any(column[1:])
    ]
    values = [value for _, column in series for value in column if value]
    if len(values) < 2:
        return ""
    low = min(values, key=_number)
    high = max(values, key=_number)
    bottom = min(0.0, low.number)
    span = max(0.0, high.number) / 2 - bottom / 2

    def share(number: float) -> float:
        """Where a number lies between the lowest and the highest one; halves never overflow."""
        return (number / 2 - bottom / 2) / span if span else 0.0

    return load_template("chart.svg.j2").render(
        kind=kind,
        title=title,
        labels=[row[0] for row in rows[1 : _MAX_ROWS + 1]],
        series=series,
        low=low,
        high=high,
        share=share,
    )


def _number(value: ChartValue) -> float:
    return value.number


def _value(cell: str) -> ChartValue | None:
    """A cell's first figure; None where it has none that can be drawn."""
    for figure in read_facts(cell, language_of(cell)).figures:
        number = figure.values[0]
        if math.isfinite(number):
            is_negative = _NEGATIVE.match(cell) is not None
            return ChartValue(number=-number if is_negative else number, text=cell)
    return None


@cache
def load_template(name: str) -> Template:
    """A template beside this file."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
