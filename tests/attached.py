"""Writes small files of the kinds that people attach, whole and hostile ones."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_R = f'xmlns:r="{_OFFICE}"'
_P = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
_STATES = ("visible", "hidden")
_LOCK = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >> /ID [<00> <00>]"


def pdf(*pages: str, is_locked: bool = False, loops: bool = False, about: str = "") -> bytes:
    """A PDF with one line of text a page; in one that `loops` the pages hold themselves."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids: list[str] = []
    for text in pages:
        content = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects) + 2} 0 R"
            " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
            " >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    if loops:
        kids += ["2 0 R"] * 3
    count = 100_000 if loops else len(kids)
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {count} >>"
    objects.append(f"<< {about} >>")
    written, places = "%PDF-1.4\n", list[int]()
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    lock = _LOCK.format("ab" * 32) if is_locked else ""
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {lock} >>"
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}\n"
    return f"{written}startxref\n{start}\n%%EOF\n".encode("latin-1")


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return made.getvalue()


def docx(*paragraphs: str, heading: str = "", table: Sequence[Sequence[str]] = ()) -> bytes:
    """A Word file: a heading, paragraphs, a table."""
    lines = [f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in paragraphs]
    if heading:
        style = '<w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>'
        lines.insert(0, f"<w:p>{style}<w:r><w:t>{escape(heading)}</w:t></w:r></w:p>")
    rows = [
        "".join(f"<w:tc><w:p><w:r><w:t>{escape(cell)}</w:t></w:r></w:p></w:tc>" for cell in row)
        for row in table
    ]
    if rows:
        lines.append(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>")
    styles = '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    return packed(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{''.join(lines)}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {_W}>{styles}</w:styles>",
        }
    )


def xlsx(sheets: Mapping[str, str], *, hidden: Sequence[str] = (), **more: str | bytes) -> bytes:
    """An Excel file; each sheet is given as the XML of its rows, `more` as further parts."""
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"'
        f' state="{_STATES[name in hidden]}"/>'
        for n, name in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    book = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    formats = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    return packed(
        {
            "_rels/.rels": f"<Relationships {_P}>{book}</Relationships>",
            "xl/workbook.xml": f"<workbook {_S} {_R}><sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f"<Relationships {_P}>{links}</Relationships>",
            "xl/styles.xml": f"<styleSheet {_S}>{formats}</styleSheet>",
            **{
                f"xl/worksheets/sheet{n}.xml": f"<worksheet {_S}>{rows}</worksheet>"
                for n, rows in enumerate(sheets.values(), start=1)
            },
            **more,
        }
    )


def rows(*values: Sequence[str | float]) -> str:
    """Rows as a sheet holds them, with texts in their cells."""
    written = ""
    for number, row in enumerate(values, start=1):
        cells = "".join(
            f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
            if isinstance(value, str)
            else f"<c><v>{value}</v></c>"
            for value in row
        )
        written += f'<row r="{number}">{cells}</row>'
    return f"<sheetData>{written}</sheetData>"


def png(width: int = 2, height: int = 2, *, claims: tuple[int, int] | None = None) -> bytes:
    """A red picture; it may claim to be of another size than its data."""
    size = struct.pack(">IIBBBBB", *(claims or (width, height)), 8, 2, 0, 0, 0)
    lines = (b"\0" + b"\xff\x00\x00" * width) * height
    chunks = [(b"IHDR", size), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")]
    written = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + written
