"""Files for people: none hands out a secret, and no cell of a CSV file is a formula.

Whoever wrote them: what they hold may come from a file that somebody attached, or from anybody's
page, and a spreadsheet would compute it, fetch its address or start a program (CSV injection).
"""

import io
import re
import zipfile
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from agent_core.masking import masked_post
from agent_core.workspaces.layout import products_of, write_text

MAX_BYTES = 100_000_000
"""A larger file is not posted."""
_OFFICE = (".docx", ".pptx", ".xlsx")
_PIECE = re.compile(
    r"(?P<data>data:[\w/+.-]{1,60};base64,[\w+/=]*+)"
    r"|-----BEGIN [^<]*?(?:-----END [A-Z0-9 ]{0,40}-----|(?=<)|\Z)"
    r"|(?:(?!-----BEGIN |data:[\w/+.-]{1,60};base64,)[^<>\n])++"
)
"""A key in PEM, or a line up to a tag: no other secret is longer, and markup stays whole."""

_FORMULA = re.compile(
    r"""
    (?P<start> (?:^\ufeff?|[,;\t\r\n]) [" ]*+ )  # of a cell, whichever sign parts cells here
    (?= [-=+@\uff1d\uff0b\uff0d\uff20] [^,;\t\r\n]*\w )
    (?! [-+][\d.,'\ ]*\d (?:e[-+]?\d+)? \ ?[%\u20ac$\u00a3]? [" ]* (?:$|[,;\t\r\n]) )  # a number
    """,
    re.VERBOSE | re.IGNORECASE,
)


def make_safe(path: Path) -> None:
    """Mask secrets as in posts, and mark cells that begin as a formula does as text.

    All else stays byte by byte as it is, as do pictures, PDFs and archives. Raises OSError.
    """
    about = path.lstat()
    if path.is_file() and not path.is_symlink() and about.st_size <= MAX_BYTES:
        _make_safe(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=10_000)
def _make_safe(path: Path, _changed_ns: int, _size_bytes: int) -> None:
    """A file that did not change since is not read again."""
    suffix = path.suffix.lower()
    if suffix in _OFFICE:
        _mask_office_file(path)
        return
    content = path.read_bytes()
    if b"\0" in content or content.startswith(b"%PDF"):
        return
    text = content.decode("utf-8", "replace")
    safe = _masked(text)
    if suffix in (".csv", ".tsv"):
        safe = _FORMULA.sub(r"\g<start>'", safe)
    if safe != text:
        write_text(path, safe)


def _masked(text: str) -> str:
    return _PIECE.sub(lambda piece: piece[0] if piece["data"] else masked_post(piece[0]), text)


def _mask_office_file(path: Path) -> None:
    """Mask the XML in it; what cannot be read, or is huge once unpacked, stays as it is."""
    try:
        with zipfile.ZipFile(path) as file:
            entries = file.infolist()
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                return
            parts = [file.read(entry) for entry in entries]
    except (zipfile.BadZipFile, zlib.error, RuntimeError):
        return
    safe_parts: list[bytes] = []
    for entry, part in zip(entries, parts, strict=True):
        safe = part
        if entry.filename.endswith(".xml"):
            text = part.decode("utf-8", "surrogateescape")  # what is no UTF-8 stays as it is
            safe = _masked(text).encode("utf-8", "surrogateescape")
        safe_parts.append(safe)
    if safe_parts == parts:
        return
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, part in zip(entries, safe_parts, strict=True):
            file.writestr(entry, part)
    new = path.with_name(f".{path.name}.part")
    new.write_bytes(packed.getvalue())
    new.replace(path)


def safe_products(workspace: Path) -> list[tuple[str, int]]:
    """The session's work products, as `products_of` lists them, made safe."""
    for path, _ in products_of(workspace):
        with suppress(OSError):  # it has just gone
            make_safe(workspace / path)
    return products_of(workspace)
