"""What kind of text a body is, judged by its bytes first and its Content-Type second."""

import codecs
import re
from typing import Literal

from mcp_local.errors import FetchFailed

Kind = Literal["html", "text"]

_HEAD_BYTES = 4096
_FOREIGN_STARTS = (
    b"%PDF", b"PK\x03\x04", b"PK\x05\x06", b"MZ", b"\x7fELF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff",
    b"\x1f\x8b", b"BZh", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"RIFF", b"OggS", b"ID3", b"\x00asm",
    b"\xd0\xcf\x11\xe0", b"wOFF", b"wOF2",
)  # fmt: skip
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LEADING = re.compile(rb"(?:\s+|<\?xml[^>]*\?>|<!--.*?-->|<!doctype[^>]*>)*", re.I | re.S)
_HTML_START = re.compile(rb"<(?:html|head|body|title|meta|div|p|h1|article|main)[\s/>]", re.I)
_HTML_TYPES = {"text/html", "application/xhtml+xml"}
_TEXT_TYPES = {"text/plain", "text/markdown", "text/x-markdown"}
_UNDECIDED_TYPES = {"", "application/octet-stream", "application/xml", "text/xml"}


def kind_of(body: bytes, content_type: str) -> Kind:
    """`html` or `text`; FetchFailed when the body is something else, whatever its header says."""
    declared = content_type.partition(";")[0].strip().lower()
    head = _without_mark(body[:_HEAD_BYTES])
    start = head[_skipped(head) :]
    if _is_binary(body[:_HEAD_BYTES], head) or start[:5].lower() in {b"<svg ", b"<svg>"}:
        raise FetchFailed(f"not a text page ({_name(declared)})")
    looks_html = bool(_HTML_START.match(start)) or b"<!doctype html" in head[:512].lower()
    if declared in _HTML_TYPES or (declared in _UNDECIDED_TYPES and looks_html):
        return "html"
    if declared in _TEXT_TYPES:
        return "text"
    raise FetchFailed(f"not a text page ({_name(declared)})")


def _is_binary(raw: bytes, head: bytes) -> bool:
    if raw.startswith(_WIDE_MARKS):
        return False
    return head.lstrip().startswith(_FOREIGN_STARTS) or bool(_BINARY_BYTES.search(head))


def _without_mark(head: bytes) -> bytes:
    if head.startswith(_WIDE_MARKS):
        return head[2:].replace(b"\x00", b"")
    return head.removeprefix(codecs.BOM_UTF8)


def _skipped(head: bytes) -> int:
    match = _LEADING.match(head)
    return match.end() if match else 0


def _name(declared: str) -> str:
    return re.sub(r"[^a-z0-9.+/-]", "", declared)[:60] or "unknown type"
