"""What a file that somebody attached holds: its text with page or sheet marks, or a picture.

What it is, its bytes say and not its name. All but plain text is read in a worker; HTML becomes
Markdown, as most of a page is style.
"""

import io
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from mcp_local.errors import UnreadableFile
from mcp_local.extract import MAX_NAME_CHARS, MAX_TITLE_CHARS, ExtractedPage
from mcp_local.extract.office import Package, excel_text, without_marks, word_text
from mcp_local.fetch.encoding import decode

DocumentKind = Literal["text", "html", "pdf", "office", "picture"]

MAX_CHARS = 1_000_000
"""Of one file's text; what stands behind is left out, and that is said."""
MAX_PAGES = 5_000
MAX_READING_S = 2.5
"""Of a processor. What is read by then is given: a worker that goes on is ended with all of it."""

MAX_SIDE_PX = 1568
"""Models make pictures as small as this themselves."""
MAX_PICTURE_BYTES = 1_000_000
MAX_PIXELS = 30_000_000
MAX_JPEG_PIXELS = 250_000_000
"""JPEG is made smaller while it is read."""

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_HEIC = (b"heic", b"heix", b"hevc", b"heim", b"mif1", b"msf1", b"avif")
_HEAD_BYTES = 1024
_HTML = (b"<!doctype html", b"<html")
_PASSWORD_NEEDED = 4
_SHOWN_PAGES = 10
_FILE_NAME = re.compile(r"\.\w{2,5}$|^(?:Microsoft|untitled|$)", re.I)
"""A title where nobody gave one."""
_GOES_ON = "The file goes on; only its beginning could be read."


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file as it was read."""

    kind: DocumentKind = "text"
    text: str = ""
    note: str = ""
    """What a reader has to know of the text, such as what is left out."""
    picture: bytes = b""
    picture_path: str = ""
    """Where the picture lies in its session, once it is there; then its bytes are not here."""
    media_type: str = ""
    """Of the picture: `image/png` or `image/jpeg`."""
    fault: str = ""
    """Why there is nothing, as `UnreadableFile` names it; the note says it in a sentence."""


def kind_of(data: bytes) -> DocumentKind:
    """What a file is by its bytes.

    Raises:
        UnreadableFile: It is of a kind that is known and cannot be read.
    """
    head = data[:_HEAD_BYTES]
    if not data:
        raise UnreadableFile("empty")
    if b"%PDF-" in head:
        return "pdf"
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return "picture"
    if head.startswith(_OLD_OFFICE):
        raise UnreadableFile("encrypted" if _ENCRYPTED in data else "old_office")
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC:
        raise UnreadableFile("heic")
    if head.startswith(_ZIP):
        return "office"
    if head.lstrip().lower().startswith(_HTML):
        return "html"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" not in data:
        return "text"
    raise UnreadableFile("unknown")


def read_text(data: bytes) -> Document:
    """The text of a file that is one, in whatever common encoding."""
    return Document(kind="text", text=decode(data))


def read_document(data: bytes, kind: DocumentKind) -> Document:
    """The file's content; runs in a worker.

    Raises:
        UnreadableFile: There is nothing in it that can be had.
    """
    if kind == "picture":
        return _picture(data)
    if kind == "pdf":
        return _pdf(data)
    if kind == "html":
        return _html(data)
    package = Package(data)
    if not package.names & {"xl/workbook.xml", "word/document.xml"}:
        raise UnreadableFile("unknown")
    is_excel = "xl/workbook.xml" in package.names
    text, note = _within(excel_text(package, data) if is_excel else word_text(package))
    if not text.strip():
        raise UnreadableFile("no_text")
    return Document(kind="office", text=text, note=note)


def _within(pieces: Iterator[str]) -> tuple[str, str]:
    """The pieces that can be had within the bounds, and a note if there are more."""
    until = time.process_time() + MAX_READING_S
    kept: list[str] = []
    room = MAX_CHARS
    try:
        for piece in pieces:
            if piece:
                kept.append(piece[:room])
                room -= len(piece) + 1
            if room <= 0 or time.process_time() > until:
                return "\n".join(kept), _GOES_ON
    except UnreadableFile:
        raise
    except Exception as error:
        # Bytes that do not hold what they promise: libraries fail at them in many ways.
        if not kept:
            raise UnreadableFile("broken") from error
        return "\n".join(kept), "The file is damaged; what stands behind could not be read."
    return "\n".join(kept), ""


def _html(data: bytes) -> Document:
    from mcp_local.extract.markup import html_text  # lxml is for the worker alone

    text = html_text(data)
    if not text:
        raise UnreadableFile("no_text")
    note = _GOES_ON if len(text) > MAX_CHARS else ""
    return Document(kind="html", text=text[:MAX_CHARS], note=note)


def _pdf(data: bytes) -> Document:
    import pypdfium2
    from pypdfium2 import PdfiumError

    try:
        file = pypdfium2.PdfDocument(data)
        pages = len(file)
    except PdfiumError as error:
        needs_password = getattr(error, "err_code", None) == _PASSWORD_NEEDED
        raise UnreadableFile("encrypted" if needs_password else "broken") from error
    empty: list[int] = []

    def texts() -> Iterator[str]:
        for number in range(1, min(pages, MAX_PAGES) + 1):
            try:
                page: Any = file[number - 1].get_textpage()  # its types are not complete
                text = str(page.get_text_bounded())
            except PdfiumError:
                text = ""
            plain = "\n".join(text.replace("\0", "").replace("\ufffe", "-").splitlines())
            if plain.strip():
                yield f"## Page {number}\n\n{without_marks(plain)}\n"
            else:
                empty.append(number)
                yield ""

    text, goes_on = _within(texts())
    if not text.strip():
        raise UnreadableFile("no_text")
    some = ", ".join(map(str, empty[:_SHOWN_PAGES])) + ("..." if len(empty) > _SHOWN_PAGES else "")
    notes = [
        f"It has {pages:,} pages.",
        f"No text on page {some}: pictures, perhaps." if empty else "",
        _GOES_ON if pages > MAX_PAGES else goes_on,
    ]
    return Document(kind="pdf", text=text, note=" ".join(filter(None, notes)))


def read_pdf_page(data: bytes) -> ExtractedPage:
    """A PDF of the web: its text with page marks, and what it says of itself.

    Raises:
        UnreadableFile: There is nothing in it that can be had.
    """
    import pypdfium2

    document = _pdf(data)
    about = pypdfium2.PdfDocument(data).get_metadata_dict()
    lines = [line for line in document.text.splitlines() if line and not line.startswith("#")]
    title = about.get("Title", "")
    day: date | None = None
    with suppress(ValueError):  # D:20260131120000Z
        day = date.fromisoformat(about.get("CreationDate", "")[2:10])
    return ExtractedPage(
        title=(lines[0] if _FILE_NAME.search(title) else title)[:MAX_TITLE_CHARS],
        markdown=document.text,
        author=about.get("Author", "")[:MAX_NAME_CHARS],
        published=day,
        note=document.note,
    )


def _picture(data: bytes) -> Document:
    """The picture as models take it: small, upright, and written anew."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # bounded below, before anything is unpacked
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            size = image.size
            is_jpeg = image.format == "JPEG"
            if size[0] * size[1] > (MAX_JPEG_PIXELS if is_jpeg else MAX_PIXELS):
                raise UnreadableFile("too_big")
            image.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))  # first of all: a copy may be too big
            upright = ImageOps.exif_transpose(image)
            if upright.mode.startswith("I"):  # 16 bits a pixel: `convert` would cut them at 255
                upright = upright.point(lambda value: value * (1 / 256)).convert("L")
            picture = upright.convert("RGBA")
    except (OSError, SyntaxError, ValueError) as error:
        raise UnreadableFile("broken") from error
    written = io.BytesIO()
    media_type = "image/png"
    picture.save(written, "PNG")
    if is_jpeg or written.tell() > MAX_PICTURE_BYTES:
        ground = Image.new("RGBA", picture.size, "white")
        ground.alpha_composite(picture)
        written = io.BytesIO()
        media_type = "image/jpeg"
        ground.convert("RGB").save(written, "JPEG", quality=85)
    note = f"A picture of {size[0]} x {size[1]} pixels; of a moving one, its first frame."
    return Document(
        kind="picture",
        note=note,
        picture=written.getvalue(),
        media_type=media_type,
    )
