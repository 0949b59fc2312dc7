"""Markdown tables for Slack: its table block where small, aligned code otherwise. Pure."""

import unicodedata
from dataclasses import dataclass

from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.escape import clean, code, inert

MAX_CELL_WIDTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Plain text by rows; the first row is the head. Every row has as many cells."""

    rows: tuple[tuple[str, ...], ...]
    alignments: tuple[str, ...]
    """`left`, `center` or `right` for each column."""

    @property
    def is_small(self) -> bool:
        """Whether Slack's table block takes it."""
        return (
            len(self.rows) <= limits.TABLE_ROWS
            and len(self.alignments) <= limits.TABLE_COLUMNS
            and sum(len(cell) for row in self.rows for cell in row) <= limits.TABLE_CHARS
        )


def table_block(table: Table) -> JsonObject:
    """Slack's table block. Its cells are raw text, in which nothing is parsed."""
    return {
        "type": "table",
        "rows": [[_raw_cell(cell) for cell in row] for row in table.rows],
        "column_settings": [{"align": align, "is_wrapped": True} for align in table.alignments],
    }


def table_fence(table: Table) -> str:
    """The table as aligned text in a code fence."""
    rows = [tuple(_shorten(cell) for cell in row) for row in table.rows]
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [_line(row, widths, table.alignments) for row in rows]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(["```", *(code(line) for line in lines), "```"])


def _raw_cell(cell: str) -> JsonObject:
    return {"type": "raw_text", "text": inert(cell).strip() or "-"}


def _line(row: tuple[str, ...], widths: list[int], alignments: tuple[str, ...]) -> str:
    cells = zip(row, widths, alignments, strict=True)
    return " | ".join(_pad(cell, width, align) for cell, width, align in cells).rstrip()


def _pad(cell: str, width: int, align: str) -> str:
    missing = width - _width(cell)
    match align:
        case "right":
            return " " * missing + cell
        case "center":
            return " " * (missing // 2) + cell + " " * (missing - missing // 2)
        case _:
            return cell + " " * missing


def _shorten(cell: str) -> str:
    words = " ".join(clean(cell).split())
    return words if len(words) <= MAX_CELL_WIDTH else words[: MAX_CELL_WIDTH - 1] + "…"


def _width(text: str) -> int:
    """Columns of a fixed-width font: East Asian characters take two, combining marks none."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
