"""The text of bytes, in whatever encoding: as they are marked, as they are declared, or UTF-8."""

import codecs
import re

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_META = re.compile(r"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_META_WITHIN_BYTES = 16_384


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a body; bytes that fit no encoding become replacement characters."""
    # Imported by the first text: nothing else of the server needs the library.
    from resiliparse.parse.encoding import map_encoding_to_html5

    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    head = body[:_META_WITHIN_BYTES].decode("ascii", "replace")
    for declaration in (_HEADER.search(content_type), _META.search(head)):
        # Read as browsers read it: older sets are subsets of newer ones.
        name = declaration[1] if declaration else ""
        if encoding := map_encoding_to_html5(name, fallback_utf8=False):
            return body.decode(encoding, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")
