"""From bytes to text: byte order mark, header, meta element, then a guess; never a failure."""

import codecs
import re

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
