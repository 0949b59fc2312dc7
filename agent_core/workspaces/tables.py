"""Tables for people: no cell of a CSV file is a formula (CSV injection), whoever wrote the file.

What stands in a cell may come from anybody's page, and a spreadsheet would compute it, fetch its
address or start a program.
"""

import re
from contextlib import suppress
from pathlib import Path

from agent_core.workspaces.layout import products_of, write_text

MAX_BYTES = 100_000_000
"""A larger file is not posted."""

_FORMULA = re.compile(
    r"""
    (?P<start> (?:^\ufeff?|[,;\t\r\n]) [" ]*+ )  # of a cell, whichever sign parts cells here
    (?= [-=+@\uff1d\uff0b\uff0d\uff20] [^,;\t\r\n]*\w )
    (?! [-+][\d.,'\ ]*\d (?:e[-+]?\d+)? \ ?[%\u20ac$\u00a3]? [" ]* (?:$|[,;\t\r\n]) )  # a number
    """,
    re.VERBOSE | re.IGNORECASE,
)


def defuse(path: Path) -> None:
    """Mark cells that begin as a formula does, and are no number, as text. Raises OSError.

    Files of other kinds, and tables without formulas, stay byte by byte as they are.
    """
    is_table = path.suffix.lower() in (".csv", ".tsv") and not path.is_symlink()
    if not is_table or path.stat().st_size > MAX_BYTES:
        return
    text = path.read_bytes().decode("utf-8", "replace")
    safe, count = _FORMULA.subn(r"\g<start>'", text)
    if count:
        write_text(path, safe)


def safe_products(workspace: Path) -> list[tuple[str, int]]:
    """The session's work products, as `products_of` lists them, without formulas in tables."""
    for path, _ in products_of(workspace):
        with suppress(OSError):  # it has just gone
            defuse(workspace / path)
    return products_of(workspace)
