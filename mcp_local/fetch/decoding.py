"""What a body is, HTML or text, and in which character set it is written."""

import codecs
import re
from typing import Literal

from mcp_local.errors import FetchFailed

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_META = re.compile(r"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_META_WITHIN_BYTES = 16_384
# As browsers read these labels: the older sets are subsets of the newer ones.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
# Python's codecs that no web page is written in.
_REFUSED = re.compile(r"utf-(7|16|32)|idna|punycode|(raw.)?unicode.escape|mbcs|oem|undefined")


def decode(body: bytes, content_type: str) -> str:
    """The text of a body; bytes that fit no encoding become replacement characters."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    head = body[:_META_WITHIN_BYTES].decode("ascii", "replace")
    for declaration in (_HEADER.search(content_type), _META.search(head)):
        encoding = _known(declaration[1]) if declaration else None
        if encoding:
            return body.decode(encoding, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        # Imported here: only pages without a usable declaration need it.
        from charset_normalizer import from_bytes

        best = from_bytes(body[:200_000]).best()
        return body.decode(best.encoding if best else "cp1252", "replace")


def _known(name: str) -> str | None:
    try:
        canonical = codecs.lookup(name).name
        b"ok".decode(canonical)
    except (LookupError, ValueError):
        return None
    return None if _REFUSED.match(canonical) else _WIDER.get(canonical, canonical)


TextKind = Literal["html", "text"]

_HEAD_BYTES = 4096
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LEADING = re.compile(rb"(?:\s+|<\?xml[^>]*\?>|<!--.*?-->|<!doctype[^>]*>)*", re.I | re.S)
_FOREIGN_START = re.compile(rb"%PDF|<svg[ >]", re.I)
_HTML_START = re.compile(rb"<(?:html|head|body|title|meta|div|p|h1|article|main)[\s/>]", re.I)
_HTML_TYPES = {"text/html", "application/xhtml+xml"}
_TEXT_TYPES = {"text/plain", "text/markdown", "text/x-markdown"}
_UNDECIDED_TYPES = {"", "application/octet-stream", "application/xml", "text/xml"}


def kind_of(body: bytes, content_type: str) -> TextKind:
    """`html` or `text`; FetchFailed when the body is something else, whatever its header says."""
    declared, _, _ = content_type.partition(";")
    declared = declared.strip().lower()
    head = body[:_HEAD_BYTES].removeprefix(codecs.BOM_UTF8)
    if head.startswith(_WIDE_MARKS):
        head = head[2:].replace(b"\x00", b"")
        is_binary = False
    else:
        is_binary = _BINARY_BYTES.search(head) is not None
    start = _LEADING.sub(b"", head, count=1)
    if not is_binary and not _FOREIGN_START.match(start):
        looks_html = _HTML_START.match(start) or b"<!doctype html" in head[:512].lower()
        if declared in _HTML_TYPES or (declared in _UNDECIDED_TYPES and looks_html):
            return "html"
        if declared in _TEXT_TYPES:
            return "text"
    name = re.sub(r"[^a-z0-9.+/-]", "", declared)[:60]
    raise FetchFailed(f"not a text page ({name or 'unknown type'})")
