"""The text of Word and Excel files, read as streams: their libraries build all of it in memory.

Formulas give the value that was saved with them and are never run, nor are macros. Excel's sheets
and Word's headings are Markdown headings, so that a passage tells where it stands.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import IO, Any, cast

from mcp_local.errors import UnreadableFile

Element = Any
"""lxml comes without types."""

MAX_UNPACKED_BYTES = 150_000_000
MAX_RATIO = 200
"""Of a part of more than ten megabytes; text and tables stay far below."""
MAX_PARTS = 10_000
MAX_SHARED_CHARS = 20_000_000
_TEN_MEGABYTES = 10_000_000
_MAX_GAP = 20
"""Columns without a value that are written out; behind more of them a cell names its own."""

_EPOCH = datetime(1899, 12, 30, tzinfo=UTC)
_EPOCH_1904 = datetime(1904, 1, 1, tzinfo=UTC)
_MARK = re.compile(r"^#", re.MULTILINE)
_HEADING = re.compile(r"heading (\d)")
_BUILTIN_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_NO_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.')
_MACROS = "It holds macros, which are never run."


class Package:
    """A zip of XML parts, refused as a whole where its numbers are those of a bomb."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise UnreadableFile("broken") from error
        parts = self._zip.infolist()
        self.names = {part.filename for part in parts}
        is_bomb = any(
            part.file_size > _TEN_MEGABYTES and part.file_size > MAX_RATIO * part.compress_size
            for part in parts
        )
        unpacked = sum(part.file_size for part in parts)
        if is_bomb or unpacked > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
            raise UnreadableFile("too_big")
        if any(part.flag_bits & 1 for part in parts):
            raise UnreadableFile("encrypted")

    def elements(self, name: str, *tags: str) -> Iterator[Element]:
        """The elements with these local names, in the order of their ends; none without the part.

        Each is emptied when the next one is asked for, if nothing around it is still wanted.
        """
        if name not in self.names:
            return
        with self._zip.open(name) as part:
            yield from _elements(part, tags)

    @property
    def note(self) -> str:
        return _MACROS if any(name.endswith("vbaProject.bin") for name in self.names) else ""


def _elements(part: IO[bytes], tags: tuple[str, ...]) -> Iterator[Element]:
    # Imported here: the process that only asks its workers shall not load the library.
    from lxml.etree import iterparse  # pyright: ignore[reportUnknownVariableType]

    wanted = [f"{{*}}{tag}" for tag in tags]
    parser = iterparse(  # pyright: ignore[reportUnknownVariableType]
        part, events=("end",), tag=wanted, resolve_entities=False, load_dtd=False, no_network=True
    )
    for _, element in cast("Iterator[tuple[str, Element]]", parser):
        if element.getroottree().docinfo.internalDTD is not None:
            raise UnreadableFile("broken")  # office files have none; bombs do
        yield element
        if not any(_name(above) in tags for above in element.iterancestors()):
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _get(element: Element, name: str) -> str:
    """An attribute by its local name."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def _child(element: Element, name: str) -> Element | None:
    return next(element.iterchildren(f"{{*}}{name}"), None)


def without_marks(text: str) -> str:
    """The text without lines that would pass for a heading."""
    return _MARK.sub(r"\\#", text)


def word_text(package: Package) -> Iterator[str]:
    """Paragraphs, tables row by row, then what stands beside the text."""
    levels = {
        _get(style, "styleId"): int(found[1])
        for style in package.elements("word/styles.xml", "style")
        if (name := _child(style, "name")) is not None
        and (found := _HEADING.match(_get(name, "val").lower()))
    }
    yield from _blocks(package, "word/document.xml", levels)
    for part, title in (
        ("footnotes", "Footnotes"), ("endnotes", "Endnotes"), ("comments", "Comments"),
    ):  # fmt: skip
        said = list(_blocks(package, f"word/{part}.xml", {}))
        if any(text.strip() for text in said):
            yield from (f"## {title}\n", *said)


def _blocks(package: Package, part: str, levels: dict[str, int]) -> Iterator[str]:
    for block in package.elements(part, "p", "tbl"):
        if any(_name(above) in ("p", "tbl") for above in block.iterancestors()):
            continue
        if _name(block) == "tbl":
            rows = [
                " | ".join(_said(cell, " ") for cell in row.iterchildren("{*}tc"))
                for row in block.iter("{*}tr")
            ]
            yield without_marks("\n".join(rows)) + "\n"
            continue
        style = next(block.iter("{*}pStyle"), None)
        level = levels.get(_get(style, "val"), 0) if style is not None else 0
        text = _said(block, "\n")
        if level and text.strip():
            yield f"{'#' * min(level, 6)} {' '.join(text.split())}\n"
        elif text.strip():
            yield without_marks(text) + "\n"


def _said(block: Element, between: str) -> str:
    """The words of a block; what was deleted in a tracked change is none of them."""
    for twin in block.iter("{*}Fallback"):
        twin.clear()  # for old programs: what stands before it says the same
    pieces: list[str] = []
    for element in block.iter("{*}t", "{*}tab", "{*}br", "{*}p", "{*}vanish"):
        match _name(element):
            case "t":
                pieces.append(element.text or "")
            case "tab":
                pieces.append("\t")
            case "vanish" if _name(element.getparent().getparent()) == "r":
                pieces.append("(hidden:) ")
            case "br":
                pieces.append("\n")
            case "p":
                pieces.append(between if pieces else "")
            case _:
                pass
    return "".join(pieces)


def excel_text(package: Package) -> Iterator[str]:
    """Each sheet below its heading, a line for each row that holds something."""
    targets = {
        _get(rel, "Id"): _get(rel, "Target").removeprefix("/").removeprefix("xl/")
        for rel in package.elements("xl/_rels/workbook.xml.rels", "Relationship")
    }
    book = list(package.elements("xl/workbook.xml", "workbook"))
    if not book:
        raise UnreadableFile("broken")
    sheets = [
        (_get(sheet, "name"), _get(sheet, "state"), targets.get(_get(sheet, "id"), ""))
        for each in package.elements("xl/workbook.xml", "sheets")
        for sheet in each.iterchildren()
    ]
    uses_1904 = any(
        _get(each, "date1904") in ("1", "true")
        for each in package.elements("xl/workbook.xml", "workbookPr")
    )
    cells = _Cells(package, _EPOCH_1904 if uses_1904 else _EPOCH)
    for name, state, target in sheets:
        hidden = " (hidden)" if state in ("hidden", "veryHidden") else ""
        yield f"\n## Sheet {' '.join(name.split())}{hidden}\n"
        yield from cells.rows(f"xl/{target}")


class _Cells:
    """Reads cells: most texts of a file stand in one shared part, and dates are numbers."""

    def __init__(self, package: Package, epoch: datetime) -> None:
        self._package = package
        self._epoch = epoch
        self._shared: list[str] = []
        room = MAX_SHARED_CHARS
        for item in package.elements("xl/sharedStrings.xml", "si"):
            text = _text(item)
            room -= len(text)
            if room < 0:
                break
            self._shared.append(text)
        self._dates = list(self._date_styles())

    def rows(self, part: str) -> Iterator[str]:
        hidden: list[str] = []
        number = 0
        for element in self._package.elements(part, "cols", "row"):
            if _name(element) == "cols":
                hidden = [
                    f"{_letters(int(_get(col, 'min')))}-{_letters(int(_get(col, 'max')))}"
                    for col in element.iterchildren()
                    if _get(col, "hidden") in ("1", "true")
                ]
                if hidden:
                    yield f"(Hidden columns: {', '.join(hidden)}.)"
                continue
            number = int(_get(element, "r") or number + 1)
            values = list(self._values(element))
            if any(values):
                mark = " (hidden)" if _get(element, "hidden") in ("1", "true") else ""
                yield f"{number}{mark}: {' | '.join(values)}"

    def _values(self, row: Element) -> Iterator[str]:
        """Of the columns from A on; those left out in the file are empty."""
        place = 0
        for cell in row.iterchildren("{*}c"):
            letters = "".join(takewhile(str.isalpha, _get(cell, "r")))
            wanted = _number(letters) if letters else place + 1
            gap = wanted - 1 - place
            yield from [""] * (gap if gap <= _MAX_GAP else 1)
            place = wanted
            value = " ".join(self._value(cell).split())
            yield f"({letters}) {value}" if gap > _MAX_GAP else value

    def _value(self, cell: Element) -> str:
        kind, value, formula = _get(cell, "t"), _child(cell, "v"), _child(cell, "f")
        raw = value.text or "" if value is not None else ""
        match kind:
            case "s":
                return self._shared[int(raw)] if int(raw or -1) in range(len(self._shared)) else ""
            case "inlineStr":
                return _text(cell)
            case "b":
                return "TRUE" if raw == "1" else "FALSE"
            case _:
                pass
        if formula is not None and not raw:
            return f"={formula.text or ''} (not calculated)"
        style = int(_get(cell, "s") or 0)
        is_date = kind in ("", "n") and style < len(self._dates) and self._dates[style]
        return self._date(raw) if is_date else raw

    def _date(self, raw: str) -> str:
        try:
            moment = self._epoch + timedelta(seconds=round(float(raw) * 86_400))
        except (ValueError, OverflowError):
            return raw
        if 0 <= float(raw) < 1:
            return f"{moment:%H:%M:%S}"
        return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")

    def _date_styles(self) -> Iterator[bool]:
        """Whether numbers of each style are dates."""
        formats = {
            _get(each, "numFmtId"): _NO_DATE.sub("", _get(each, "formatCode")).lower()
            for each in self._package.elements("xl/styles.xml", "numFmt")
        }
        for styles in self._package.elements("xl/styles.xml", "cellXfs"):
            for style in styles.iterchildren():
                of = _get(style, "numFmtId")
                custom = any(letter in formats.get(of, "") for letter in "dmyhs")
                yield custom or (of.isdigit() and int(of) in _BUILTIN_DATES and of not in formats)


def _text(element: Element) -> str:
    """The words of a string, without the readings of its signs."""
    return "".join(
        each.text or "" for each in element.iter("{*}t") if _name(each.getparent()) != "rPh"
    )


def _number(letters: str) -> int:
    number = 0
    for letter in letters[:4].upper():
        number = number * 26 + ord(letter) - 64
    return number


def _letters(number: int) -> str:
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
