"""Tables for people: no cell of a CSV file is a formula (CSV injection), whoever wrote the file.

What stands in a cell may come from anybody's page, and a spreadsheet would compute it, fetch its
address or start a program.
"""

import csv
import io
import re
import sys
from contextlib import suppress
from pathlib import Path

from agent_core.workspaces.layout import products_of, write_text

DELIMITERS = {".csv": ",;", ".tsv": "\t"}
MAX_BYTES = 100_000_000
"""A larger file is not posted."""

_TEXT_MARK = "'"
"""Before a cell it says that the rest is text."""
_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
_BLANKS = "\t\r"
_NUMBER = re.compile(r"[+-]?[\d.,' \u00a0\u202f]*\d(?:[eE][+-]?\d+)?\s?[%\u20ac$\u00a3]?")
_WORD = re.compile(r"\w")


def defuse(path: Path) -> None:
    """Mark cells that begin as a formula does, and are no number, as text. Raises OSError.

    A file without any stays byte by byte as it is; one of another kind is not opened.
    """
    delimiters = DELIMITERS.get(path.suffix.lower())
    if delimiters is None or path.is_symlink() or path.stat().st_size > MAX_BYTES:
        return
    text = path.read_bytes().decode("utf-8", "replace")
    head, _, _ = text.partition("\n")
    delimiter = max(delimiters, key=head.count)
    csv.field_size_limit(sys.maxsize)
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), ""), delimiter=delimiter))
    safe = [[_as_text(cell) for cell in row] for row in rows]
    if safe == rows:
        return
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows(safe)
    write_text(path, written.getvalue())


def _as_text(cell: str) -> str:
    shown = cell.strip()
    begins = cell[:1] in (*_BLANKS,) or shown[:1] in (*_SIGNS,)
    if not begins or _NUMBER.fullmatch(shown) or not _WORD.search(shown):
        return cell
    return f"{_TEXT_MARK}{cell}"


def safe_products(workspace: Path) -> list[tuple[str, int]]:
    """The session's work products, as `products_of` lists them, without formulas in tables."""
    for path, _ in products_of(workspace):
        with suppress(OSError):  # it has just gone
            defuse(workspace / path)
    return products_of(workspace)
