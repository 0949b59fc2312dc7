"""Markdown tables for Slack: its table block where small, aligned code otherwise. Pure."""

from dataclasses import dataclass

from rich.cells import cell_len

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
    cells = [[inert(cell).strip() or "-" for cell in row] for row in table.rows]
    return {
        "type": "table",
        "rows": [[{"type": "raw_text", "text": cell} for cell in row] for row in cells],
        "column_settings": [{"align": align, "is_wrapped": True} for align in table.alignments],
    }


def table_fence(table: Table) -> str:
    """The table as aligned text in a code fence."""
    rows = [[_shorten(cell) for cell in row] for row in table.rows]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        cells = zip(row, widths, table.alignments, strict=True)
        lines.append(code(" | ".join(_pad(*cell) for cell in cells).rstrip()))
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(["```", *lines, "```"])


def _pad(cell: str, width: int, align: str) -> str:
    missing = width - cell_len(cell)
    before = {"right": missing, "center": missing // 2}.get(align, 0)
    return " " * before + cell + " " * (missing - before)


def _shorten(cell: str) -> str:
    words = " ".join(clean(cell).split())
    return words if len(words) <= MAX_CELL_WIDTH else words[: MAX_CELL_WIDTH - 1] + "…"
