"""Undoing gzip, deflate and brotli piece by piece, never beyond a limit."""

import codecs
import re
import zlib
from collections.abc import Iterator
from typing import Literal, Protocol, cast

import brotli

from mcp_local.errors import FetchFailed

ACCEPT_ENCODING = "gzip, deflate, br"
_PIECE_BYTES = 256 * 1024


class Decoder(Protocol):
    """Turns received bytes into decoded pieces of bounded size."""

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """The decoded bytes of one more received chunk; FetchFailed when it is damaged."""
        ...


class _Decompressor(Protocol):
    """What brotli's module offers, which comes without types."""

    def process(self, data: bytes, /, *, output_buffer_limit: int) -> bytes: ...

    def can_accept_more_data(self) -> bool: ...


_BrotliError = cast("type[Exception]", brotli.error)  # pyright: ignore[reportUnknownMemberType]


class Identity:
    """For bodies that are not compressed."""

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """The bytes as they came."""
        yield received


class Zlib:
    """gzip, and deflate with or without its header."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self._fresh = True

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """At most 256 KiB at a time, so that a caller can stop a bomb early."""
        pending = received
        while pending and not self._inflater.eof:
            try:
                yield self._inflate(pending)
            except zlib.error:
                raise FetchFailed("the page is damaged") from None
            pending = self._inflater.unconsumed_tail

    def _inflate(self, pending: bytes) -> bytes:
        try:
            piece = self._inflater.decompress(pending, _PIECE_BYTES)
        except zlib.error:
            if not self._fresh:
                raise
            # Some servers send deflate without the zlib header.
            self._inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            piece = self._inflater.decompress(pending, _PIECE_BYTES)
        self._fresh = False
        return piece


class Brotli:
    """Brotli."""

    def __init__(self) -> None:
        self._decompressor = cast("_Decompressor", brotli.Decompressor())  # pyright: ignore[reportUnknownMemberType]

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """At most about 256 KiB at a time, so that a caller can stop a bomb early."""
        try:
            yield self._process(received)
            while not self._decompressor.can_accept_more_data():
                yield self._process(b"")
        except _BrotliError:
            raise FetchFailed("the page is damaged") from None

    def _process(self, received: bytes) -> bytes:
        return self._decompressor.process(received, output_buffer_limit=_PIECE_BYTES)


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder of one Content-Encoding header; stacked encodings are refused."""
    match content_encoding.strip().lower():
        case "" | "identity":
            return Identity()
        case "gzip" | "x-gzip" | "deflate":
            return Zlib()
        case "br":
            return Brotli()
        case other:
            raise FetchFailed(f"the page is packed in a way we do not read ({other[:40]})")


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
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
_REFUSED = {"utf-7", "idna", "punycode", "unicode_escape", "raw-unicode-escape", "unicode-escape"}
_REFUSED_PREFIXES = ("utf-16", "utf-32", "mbcs", "oem", "undefined")


def decode(body: bytes, content_type: str) -> str:
    """The text of a body; bytes that fit no encoding become replacement characters."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    declared = _declared(body, content_type)
    if declared:
        return body.decode(declared, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return _guess(body)


def _declared(body: bytes, content_type: str) -> str | None:
    header = _HEADER.search(content_type)
    meta = _META.search(body[:_META_WITHIN_BYTES])
    names = (header[1] if header else "", meta[1].decode("ascii", "ignore") if meta else "")
    return next((known for known in map(_known, names) if known), None)


def _known(name: str) -> str | None:
    try:
        canonical = codecs.lookup(name).name if name else ""
        b"ok".decode(canonical)
    except (LookupError, ValueError):
        return None
    if canonical in _REFUSED or canonical.startswith(_REFUSED_PREFIXES):
        return None
    return _WIDER.get(canonical, canonical) or None


def _guess(body: bytes) -> str:
    # Imported here: only pages without a usable declaration need it.
    from charset_normalizer import from_bytes

    best = from_bytes(body[:200_000]).best()
    return body.decode(best.encoding if best else "cp1252", "replace")


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
