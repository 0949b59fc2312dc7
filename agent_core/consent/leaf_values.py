"""Leaf values: a walk over all of a call's arguments, names and values, packed ones too."""

import base64
import email
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.header import decode_header, make_header
from email.message import Message
from typing import cast

_PACKED = re.compile(r"(?:data:[\w.+/;=-]{0,100}+,)?([A-Za-z0-9+/_\s-]{16,}+)=*+\s*+")
_STANDARD = str.maketrans("-_", "+/", " \t\r\n")
_MAX_PACKED_CHARS = 8_000_000
_MAX_UNPACKED_BYTES = 2_000_000
_MAX_BODY_CHARS = 100_000
_MAX_HEADER_CHARS = 100_000
_MAX_DECODED_CHARS = 20_000
"""Of one header."""
_MAX_PACKINGS = 3
_ZIPPED = (b"\x1f\x8b", b"\x78")
_HEADERS = (
    "From",
    "To",
    "Cc",
    "Bcc",
    "Reply-To",
    "Subject",
)
_IS_MAIL = re.compile(r"(?:to|cc|bcc|from|subject|date|mime-version|content-type)[ \t]*:", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A value that holds no other one."""

    path: tuple[str, ...]
    """Names of the objects around it, outermost first; places in lists have none."""
    value: str | int | float | bool | None


def values_in(value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every value at any depth with its path, in order. It does not recurse: none is too deep."""
    stack: list[tuple[tuple[str, ...], object]] = [((), value)]
    while stack:
        path, current = stack.pop()
        yield path, current
        if isinstance(current, dict):
            fields = cast("dict[str, object]", current)
            stack.extend(((*path, name), fields[name]) for name in reversed(fields))
        elif isinstance(current, list | tuple):
            items = cast("list[object]", current)
            stack.extend((path, item) for item in reversed(items))


def leaves_of(value: object) -> Iterator[Leaf]:
    """All leaves in their order."""
    for path, current in values_in(value):
        if isinstance(current, str | int | float | None):
            yield Leaf(path=path, value=current)


def names_in(value: object) -> Iterator[str]:
    """Every name in an object, at any depth; one that holds nothing as well."""
    for path, _ in values_in(value):
        if path:
            yield path[-1]


def texts_in(value: object) -> Iterator[str]:
    """Every string: names and values alike."""
    yield from names_in(value)
    for _, current in values_in(value):
        if isinstance(current, str):
            yield current


def json_in(text: str) -> object:
    """The value that a text holds as JSON; None where it holds none."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return None


def unpacked(text: str) -> str:
    """What a text in base64, zipped or not, says; of a mail its people, subject and words.

    Empty where it is not packed, or holds no text. Of a long one only the beginning is read, of a
    mail all of its header.
    """
    plain = ""
    for _ in range(_MAX_PACKINGS):
        inner = _unpacked_once(plain or text)
        if not inner:
            break
        plain = inner
    return _mail_in_words(plain) if _is_mail(plain) else plain


def _unpacked_once(text: str) -> str:
    packed = _PACKED.fullmatch(text[:_MAX_PACKED_CHARS])
    if packed is None:
        return ""
    signs = packed[1].translate(_STANDARD)
    padding = "=" * (-len(signs) % 4)
    try:
        data = base64.b64decode(signs + padding)
        if data.startswith(_ZIPPED):
            data = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _MAX_UNPACKED_BYTES)
    except (ValueError, zlib.error):
        return ""
    plain = data.decode("utf-8", "replace")
    plain = plain.replace("\r\n", "\n")
    if _is_mail(plain):
        return plain
    if "\ufffd" in plain:
        return ""
    is_text = all(word.isprintable() for word in plain.split())
    return plain if is_text else ""


def _is_mail(text: str) -> bool:
    """Whether a line of its header names what the header of a mail does."""
    header, _, _ = text.lstrip().partition("\n\n")
    lines = header.split("\n")
    return any(_IS_MAIL.match(line) for line in lines)


def _mail_in_words(text: str) -> str:
    """A mail that cannot be parsed, or has an absurdly long header, stays as it is."""
    header, _, body = text.lstrip().partition("\n\n")
    plain = f"{header}\n\n{body[:_MAX_BODY_CHARS]}"
    if len(header) > _MAX_HEADER_CHARS:
        return plain
    lines: list[str] = []
    try:
        mail = email.message_from_string(plain)
        for name in _HEADERS:
            lines += [f"{name}: {_header(value)}" for value in mail.get_all(name, ())]
        lines.append("")
        lines += [_part_in_words(part) for part in mail.walk() if not part.is_multipart()]
    except RecursionError:
        return plain
    return "\n".join(lines)


def _header(value: object) -> str:
    text = " ".join(str(value).split())
    with suppress(ValueError, LookupError):
        chunks = decode_header(text[:_MAX_DECODED_CHARS])
        rest = text[_MAX_DECODED_CHARS:]
        return f"{make_header(chunks)}{rest}"
    return text


def _part_in_words(part: Message) -> str:
    data = part.get_payload(decode=True)
    if part.get_content_maintype() == "text" and isinstance(data, bytes):
        return data.decode("utf-8", "replace")
    kind = part.get_content_type()
    name = part.get_filename() or ""
    return f"[{kind} {name}]"
