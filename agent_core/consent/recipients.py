"""Recipients: whom a call would reach and with which files, for a person who approves the call.

Texts that hold JSON, or are packed in base64, are unpacked: nothing reaches anybody unseen.
"""

import base64
import email
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import Message
from urllib.parse import unquote

from agent_core.json_values import Leaf, json_in, leaves_of, texts_in
from agent_core.messages import JsonObject
from agent_core.tools import name_words

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_REACHING_NAME = re.compile(r"(recipient|attendee|invite|participant|reviewer|assignee|bcc)", re.I)
_JSON_START = re.compile(r"\s*[\[{]")
_MAX_DEPTH = 5
"""JSON or base64 in a string of JSON or base64."""
_SIGN = r"[^\s@<>()\[\],;:\"'`{}|=?&]"
_MAX_LOCAL_CHARS = 64
_MAIL = re.compile(rf"(?<!{_SIGN})({_SIGN}++)(@{_SIGN}{{1,190}}\.{_SIGN}{{1,63}})")


def recipients_of(arguments: JsonObject) -> tuple[str, ...]:
    """People, addresses and channels that the arguments name, once each, in their order.

    Every value under a name such as `to`, `attendees` or `channel`, however deep, as written;
    every mail address wherever it stands; and words for everybody. A text that holds JSON, or is
    packed in base64, is looked into.
    """
    reached: list[str] = []
    values: list[object] = []
    for path, value in _opened(leaves_of(arguments), _MAX_DEPTH):
        values.append(value)
        if _reaches(path, value):
            reached.append(str(value).strip())
    recipients = dict.fromkeys(filter(None, reached))
    known = set(_mails_in(reached))
    for mail in _mails_in([arguments, values]):
        if mail not in known:
            recipients[mail] = None
    return tuple(recipients)


def storage_keys(arguments: JsonObject) -> tuple[str, ...]:
    """The keys of files at the app service that would be sent along, once each, in their order."""
    keys: dict[str, None] = {}
    for path, value in _opened(leaves_of(arguments), _MAX_DEPTH):
        if value and path[-1].replace("_", "").casefold() == "s3key":
            keys[str(value)] = None
    return tuple(keys)


def _opened(leaves: Iterable[Leaf], depth: int) -> Iterator[Leaf]:
    """The leaves, with those inside of texts that hold JSON or base64."""
    for path, value in leaves:
        if depth == 0 or not isinstance(value, str):
            yield path, value
            continue
        inside = json_in(value) if _JSON_START.match(value) else None
        if inside is None:
            yield path, value
            inside = unpacked(value)
        inner = ((path + below, each) for below, each in leaves_of(inside) if each != "")
        yield from _opened(inner, depth - 1)


def _reaches(path: Sequence[str], value: object) -> bool:
    """Numbers count, a phone or chat may be one; yes, no and nothing do not."""
    if value is None or isinstance(value, bool):
        return False
    if str(value).strip().casefold() in name_words("everybody"):
        return True
    reaching = name_words("reaching")
    for name in path:
        words = map(str.upper, _WORD.findall(name))
        if _REACHING_NAME.search(name) or not reaching.isdisjoint(words):
            return True
    return False


def _mails_in(arguments: object) -> Iterator[str]:
    for text in texts_in(arguments):
        if "%40" in text:
            text = unquote(text)
        for match in _MAIL.finditer(text):
            local = match[1][-_MAX_LOCAL_CHARS:]
            mail = f"{local}{match[2]}"
            yield mail.rstrip(".")


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
_HEADERS = ("From", "To", "Cc", "Bcc", "Reply-To", "Subject")
_IS_MAIL = re.compile(r"(?:to|cc|bcc|from|subject|date|mime-version|content-type)[ \t]*:", re.I)


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
