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
from typing import Any, cast

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

_EPOCH = datetime(
    1899,
    12,
    30,
    tzinfo=UTC,
)
_EPOCH_1904 = datetime(
    1904,
    1,
    1,
    tzinfo=UTC,
)
_MARK = re.compile(r"^#", re.MULTILINE)
_HEADING = re.compile(r"heading (\d)")
_BUILTIN_DATES = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_DATE_LETTERS = frozenset("dmyhs")
_NO_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.')
_TRUE = ("1", "true")
_MACROS = "It holds macros, which are never run."


class Package:
    """Zip package of XML parts; a zip bomb is refused by its declared sizes."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise UnreadableFile("broken") from error
        parts = self._zip.infolist()
        self.names = {part.filename for part in parts}
        unpacked = sum(part.file_size for part in parts)
        if unpacked > MAX_UNPACKED_BYTES or len(parts) > MAX_PARTS:
            raise UnreadableFile("too_big")
        for part in parts:
            allowed = max(_TEN_MEGABYTES, MAX_RATIO * part.compress_size)
            if part.file_size > allowed:
                raise UnreadableFile("too_big")
        if any(part.flag_bits & 1 for part in parts):
            raise UnreadableFile("encrypted")

    def elements(self, name: str, *tags: str) -> Iterator[Element]:
        """The elements with these local names, in the order of their ends; none without the part.

        Each is emptied when the next one is asked for, if nothing around it is still wanted.
        """
        if name not in self.names:
            return
        # Imported here: the process that only asks its workers shall not load the library.
        from lxml.etree import iterparse  # pyright: ignore[reportUnknownVariableType]

        wanted = [f"{{*}}{tag}" for tag in tags]
        with self._zip.open(name) as part:
            parser = iterparse(  # pyright: ignore[reportUnknownVariableType]
                part,
                events=("end",),
                tag=wanted,
                resolve_entities=False,
                load_dtd=False,
                no_network=True,
            )
            for _, element in cast("Iterator[tuple[str, Element]]", parser):
                if element.getroottree().docinfo.internalDTD is not None:
                    raise UnreadableFile("broken")  # office files have none; bombs do
                yield element
                if next(element.iterancestors(*wanted), None) is None:
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]

    @property
    def note(self) -> str:
        return _MACROS if any(name.endswith("vbaProject.bin") for name in self.names) else ""


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _get(element: Element, name: str) -> str:
    """An attribute by its local name; empty where it is not set."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def without_marks(text: str) -> str:
    """The text without lines that would pass for a heading."""
    return _MARK.sub(r"\\#", text)


def word_text(package: Package) -> Iterator[str]:
    """Paragraphs, tables row by row, then what stands beside the text."""
    levels: dict[str, int] = {}
    for style in package.elements("word/styles.xml", "style"):
        for name in style.iterchildren("{*}name"):
            heading = _HEADING.match(_get(name, "val").lower())
            if heading:
                levels[_get(style, "styleId")] = int(heading[1])
    yield from _blocks(package, "word/document.xml", levels)
    for title in ("Footnotes", "Endnotes", "Comments"):
        blocks = list(_blocks(package, f"word/{title.lower()}.xml", {}))
        if any(text.strip() for text in blocks):
            yield f"## {title}\n"
            yield from blocks


def _blocks(package: Package, part: str, levels: dict[str, int]) -> Iterator[str]:
    for block in package.elements(part, "p", "tbl"):
        if next(block.iterancestors("{*}p", "{*}tbl"), None) is not None:
            continue
        if _name(block) == "tbl":
            rows: list[str] = []
            for row in block.iter("{*}tr"):
                cells = [_block_text(cell, " ") for cell in row.iterchildren("{*}tc")]
                rows.append(" | ".join(cells))
            yield without_marks("\n".join(rows)) + "\n"
        else:
            yield _paragraph(block, levels)


def _paragraph(block: Element, levels: dict[str, int]) -> str:
    """A paragraph or heading in Markdown; empty for one without words."""
    text = _block_text(block, "\n")
    if not text.strip():
        return ""
    for style in block.iter("{*}pStyle"):
        level = min(levels.get(_get(style, "val"), 0), 6)
        if level:
            heading = " ".join(text.split())
            return f"{'#' * level} {heading}\n"
        break
    return without_marks(text) + "\n"


def _block_text(block: Element, between: str) -> str:
    """The words of a block; what was deleted in a tracked change is none of them."""
    for twin in block.iter("{*}Fallback"):
        twin.clear()  # for old programs: what stands before it says the same
    pieces: list[str] = []
    for element in block.iter(
        "{*}t",
        "{*}tab",
        "{*}br",
        "{*}p",
        "{*}vanish",
    ):
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
    targets: dict[str, str] = {}
    for relation in package.elements("xl/_rels/workbook.xml.rels", "Relationship"):
        target = _get(relation, "Target").removeprefix("/").removeprefix("xl/")
        targets[_get(relation, "Id")] = target
    sheets: list[tuple[str, str]] = []
    epoch = _EPOCH
    for element in package.elements("xl/workbook.xml", "sheet", "workbookPr"):
        if _get(element, "date1904") in _TRUE:
            epoch = _EPOCH_1904
        if _name(element) == "sheet":
            heading = " ".join(_get(element, "name").split())
            if _get(element, "state") in ("hidden", "veryHidden"):
                heading += " (hidden)"
            sheets.append((heading, targets.get(_get(element, "id"), "")))
    if not sheets:
        raise UnreadableFile("broken")
    cells = _Cells(package, epoch)
    for heading, target in sheets:
        yield f"\n## Sheet {heading}\n"
        yield from cells.rows(f"xl/{target}")


class _Cells:
    """Reads cells: most texts of a file stand in one shared part, and dates are numbers."""

    def __init__(self, package: Package, epoch: datetime) -> None:
        self._package = package
        self._epoch = epoch
        self._shared: dict[str, str] = {}
        """By their numbers, as cells name them."""
        room = MAX_SHARED_CHARS
        for number, item in enumerate(package.elements("xl/sharedStrings.xml", "si")):
            text = _text(item)
            room -= len(text)
            if room < 0:
                break
            self._shared[str(number)] = text
        self._date_styles = set(_date_styles(package))

    def rows(self, part: str) -> Iterator[str]:
        number = 0
        for element in self._package.elements(part, "cols", "row"):
            if _name(element) == "cols":
                yield _hidden_columns(element)
                continue
            number = int(_get(element, "r") or number + 1)
            values = list(self._values(element))
            if any(values):
                mark = " (hidden)" if _get(element, "hidden") in _TRUE else ""
                cells = " | ".join(values)
                yield f"{number}{mark}: {cells}"

    def _values(self, row: Element) -> Iterator[str]:
        """The values of the columns from A on; those left out in the file are empty."""
        column = 0
        for cell in row.iterchildren("{*}c"):
            letters = "".join(takewhile(str.isalpha, _get(cell, "r")))
            last = column
            column = _number(letters) if letters else last + 1
            gap = column - last - 1
            value = " ".join(self._value(cell).split())
            if gap > _MAX_GAP:
                yield ""
                yield f"({letters}) {value}"
            else:
                yield from [""] * gap
                yield value

    def _value(self, cell: Element) -> str:
        raw = cell.findtext("{*}v", "")
        kind = _get(cell, "t")
        match kind:
            case "s":
                return self._shared.get(raw, "")
            case "inlineStr":
                return _text(cell)
            case "b":
                return "TRUE" if raw == "1" else "FALSE"
            case _:
                pass
        formula = cell.findtext("{*}f")
        if formula is not None and not raw:
            return f"={formula} (not calculated)"
        style = int(_get(cell, "s") or 0)
        if kind in ("", "n") and style in self._date_styles:
            return self._date(raw)
        return raw

    def _date(self, raw: str) -> str:
        try:
            days = float(raw)
            moment = self._epoch + timedelta(seconds=round(days * 86_400))
        except (ValueError, OverflowError):
            return raw
        if 0 <= days < 1:
            return f"{moment:%H:%M:%S}"
        text = f"{moment:%Y-%m-%d %H:%M:%S}"
        return text.removesuffix(" 00:00:00")


def _date_styles(package: Package) -> Iterator[int]:
    """The numbers of the styles in which numbers are dates."""
    formats: dict[str, str] = {str(number): "d" for number in _BUILTIN_DATES}
    for custom in package.elements("xl/styles.xml", "numFmt"):
        code = _get(custom, "formatCode")
        plain_code = _NO_DATE.sub("", code)
        formats[_get(custom, "numFmtId")] = plain_code.lower()
    for styles in package.elements("xl/styles.xml", "cellXfs"):
        for number, style in enumerate(styles.iterchildren()):
            code = formats.get(_get(style, "numFmtId"), "")
            if _DATE_LETTERS.intersection(code):
                yield number


def _hidden_columns(columns: Element) -> str:
    """A line that names the hidden columns; empty without any."""
    hidden: list[str] = []
    for column in columns.iterchildren():
        if _get(column, "hidden") in _TRUE:
            first = _letters(int(_get(column, "min")))
            last = _letters(int(_get(column, "max")))
            hidden.append(f"{first}-{last}")
    return f"(Hidden columns: {', '.join(hidden)}.)" if hidden else ""


def _text(element: Element) -> str:
    """The words of a string, without the readings of its signs."""
    texts = element.iter("{*}t")
    words = [each.text or "" for each in texts if _name(each.getparent()) != "rPh"]
    return "".join(words)


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
