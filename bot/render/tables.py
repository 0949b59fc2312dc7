"""Markdown tables for Slack: its own tables where they fit, aligned code otherwise. Pure.

Slack takes one `table` in a post, and it takes several `data_table`s, which are also bigger, can be
sorted, and show some rows at a time. So a table that is alone in its post is a `table` as long as
it fits, and all others are `data_table`s.
"""

from dataclasses import dataclass

from rich.cells import cell_len

from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.escape import clean, inert

Cell = tuple[tuple[str, str], ...]
"""Plain words in runs, each with the address that it links to, which is mostly empty."""

MAX_CELL_WIDTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Cells by rows; the first row is the head. Every row has as many cells."""

    rows: tuple[tuple[Cell, ...], ...]
    alignments: tuple[str, ...]
    """`left`, `center` or `right` for each column."""

    @property
    def texts(self) -> list[list[str]]:
        return [["".join(text for text, _ in cell) for cell in row] for row in self.rows]

    @property
    def chars(self) -> int:
        """What Slack counts of it; its caption included."""
        cells = sum(max(len(text), 2) for row in self.texts for text in row)
        return cells + limits.CAPTION_CHARS

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
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    if is_alone and len(rows) <= limits.TABLE_ROWS:
        columns = [{"align": align, "is_wrapped": True} for align in table.alignments]
        return {"type": "table", "rows": rows, "column_settings": columns}
    rows[0] = [_raw(text) for text in table.texts[0]]
    caption = " · ".join(filter(None, (_raw(text)["text"] for text in table.texts[0])))
    return {
        "type": "data_table",
        "caption": caption[: limits.CAPTION_CHARS],
        "rows": rows,
        "page_size": min(len(rows) - 1, limits.DATA_TABLE_PAGE),
    }


def _cell(cell: Cell) -> JsonObject:
    if not any(url for _, url in cell):
        return _raw("".join(text for text, _ in cell))
    leaves = [
        {"type": "link", "url": url, "text": inert(text)}
        if url
        else {"type": "text", "text": inert(text)}
        for text, url in cell
    ]
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": leaves}],
    }


def _raw(text: str) -> JsonObject:
    return {"type": "raw_text", "text": inert(text).strip() or "-"}


def aligned(table: Table) -> str:
    """The table as text in columns."""
    rows = [[_shorten(cell) for cell in row] for row in table.texts]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = [
        " | ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def _shorten(cell: str) -> str:
    words = " ".join(clean(cell).split())
    return words if len(words) <= MAX_CELL_WIDTH else words[: MAX_CELL_WIDTH - 1] + "…"
