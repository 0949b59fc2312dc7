"""The text of Word and Excel files, with headings and sheets as Markdown headings.

Word is read as a stream: its libraries leave out text boxes and tracked insertions, or build all of
a long file in memory. Formulas give the value that was saved with them, are listed below their
sheet and never run, nor are macros.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from mcp_local.errors import UnreadableFile

Element = Any
"""lxml comes without types."""

MAX_UNPACKED_BYTES = 150_000_000
HEAD_BYTES = 2_000_000
MAX_FORMULAS = 50
"""Of a sheet."""
MAX_FORMULA_CHARS = 200
_MARK = re.compile(r"^#", re.MULTILINE)
_HEADING = re.compile(r"heading (\d)")


class Package:
    """Zip package of XML parts; a zip bomb is refused by its declared sizes."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, RuntimeError) as error:
            raise UnreadableFile("broken") from error
        parts = self._zip.infolist()
        self.names = {part.filename for part in parts}
        unpacked = sum(part.file_size for part in parts)
        if unpacked > MAX_UNPACKED_BYTES:
            raise UnreadableFile("too_big")

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

    def head(self, name: str) -> bytes:
        """The first bytes of a part; empty without the part."""
        if name not in self.names:
            return b""
        with self._zip.open(name) as part:
            return part.read(HEAD_BYTES)


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
    ):
        match _name(element):
            case "t":
                pieces.append(element.text or "")
            case "tab":
                pieces.append("\t")
            case "br":
                pieces.append("\n")
            case "p":
                pieces.append(between if pieces else "")
            case _:
                pass
    return "".join(pieces)


def excel_text(package: Package, data: bytes) -> Iterator[str]:
    """Each sheet below its heading, a line for each row that holds something, then its formulas."""
    # Imported here: the process that only asks its workers shall not load the library.
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    parts = dict(_sheet_parts(package))
    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    for sheet in book.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        rows = book.get_sheet_by_name(sheet.name).iter_rows()
        heading = " ".join(sheet.name.split())
        if sheet.visible is not SheetVisibleEnum.Visible:
            heading += " (hidden)"
        yield f"\n## Sheet {heading}\n"
        for number, row in enumerate(rows, start=1):
            cells = " | ".join(map(_cell_text, row)).rstrip(" |")
            if cells:
                yield f"{number}: {cells}"
        formulas = _formulas(package, parts.get(sheet.name, ""))
        if first := list(islice(formulas, MAX_FORMULAS)):
            yield f"Formulas: {' · '.join(first)}"


def _sheet_parts(package: Package) -> Iterator[tuple[str, str]]:
    """Each sheet's name with the name of its part."""
    relations = package.elements("xl/_rels/workbook.xml.rels", "Relationship")
    targets = {_get(each, "Id"): _get(each, "Target") for each in relations}
    for sheet in package.elements("xl/workbook.xml", "sheet"):
        target = targets.get(_get(sheet, "id"), "")
        yield _get(sheet, "name"), f"xl/{target.removeprefix('/xl/')}"


def _formulas(package: Package, part: str) -> Iterator[str]:
    """A sheet's formulas with their cells; the ones that copy another cell's are left out.

    A sheet that has none in its head is not parsed: it may be long.
    """
    if b"<f" not in package.head(part):
        return
    for row in package.elements(part, "row"):
        for formula in row.iter("{*}f"):
            if formula.text:
                text = " ".join(formula.text.split())
                yield f"{_get(formula.getparent(), 'r')} ={text[:MAX_FORMULA_CHARS]}"


def _cell_text(value: object) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return " ".join(str(value).split())
