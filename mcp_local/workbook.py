"""Excel workbook of a table that is given as CSV."""

import csv
import io
from contextlib import suppress
from typing import Any

MAX_WIDTH_PIXELS = 420
MAX_CELL_CHARS = 32_767
"""Excel takes no more."""


def workbook(table: str) -> bytes:
    """One sheet: a bold, frozen and filterable head, numbers as numbers.

    No cell becomes a formula or a link: what stands in a table may come from anybody's page.
    """
    # Imported here: few sessions write a workbook.
    from xlsxwriter import Workbook

    rows = list(csv.reader(io.StringIO(table)))
    data = io.BytesIO()
    book: Any = Workbook(data, {"in_memory": True})
    with book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                number = _number(text) if row else None
                if number is None:
                    shown = text.strip()[:MAX_CELL_CHARS]
                    sheet.write_string(row, column, shown, None if row else bold)
                else:
                    sheet.write_number(row, column, number)
        if rows:
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, len(rows) - 1, max(map(len, rows)) - 1)
            sheet.autofit(MAX_WIDTH_PIXELS)
    return data.getvalue()


def _number(text: str) -> float | None:
    """The number that a cell is; None for text, and for digits that are a code such as 007."""
    plain = text.strip()
    is_code = len(plain) > 1 and plain[0] == "0" and plain[1] != "."
    if is_code or len(plain) > 15 or not plain.replace("-", "").replace(".", "").isdigit():
        return None
    with suppress(ValueError):
        return float(plain)
    return None
