"""What CODEINTERPRETER_GET_FILE_CMD may answer: a file's content, or where the file lies."""

import base64
import binascii
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from mcp_local.workbench.scripts import RemoteFacts

_DEPTH = 3
_PLACES = ("uri", "s3url", "s3_url", "url", "download_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One of the two forms; the other is empty."""

    content: str = ""
    is_base64: bool = False
    """The answer says so; a content may be base64 without it."""
    uri: str = ""

    @property
    def forms(self) -> tuple[bytes, ...]:
        """The files that the content may stand for, the likelier first."""
        text = self.content.encode(errors="surrogatepass")
        decoded = _decoded(self.content)
        if decoded is None:
            return (text,)
        return (decoded, text) if self.is_base64 else (text, decoded)


def read_offer(answer: object) -> Offer | None:
    """The outermost offer in an answer; None when it holds none."""
    level = [answer]
    for _ in range(_DEPTH):
        objects = [cast("dict[str, Any]", one) for one in level if isinstance(one, dict)]
        for one in objects:
            if offer := _offer(one):
                return offer
        level = [inner for one in objects for inner in one.values()]
    return None


def choose(forms: tuple[bytes, ...], facts: RemoteFacts | None) -> bytes | None:
    """The form that is the remote file; the likeliest when nothing is known of that file."""
    if facts is None:
        return forms[0]
    return next((form for form in forms if is_whole(form, facts)), None)


def is_whole(data: bytes, facts: RemoteFacts) -> bool:
    """Whether these are the bytes that the workbench has."""
    return len(data) == facts.bytes and hashlib.sha256(data).hexdigest() == facts.sha256


def _offer(one: dict[str, Any]) -> Offer | None:
    if uri := next(_uris(one.get("file")), ""):
        return Offer(uri=uri)
    content = one.get("content")
    if not isinstance(content, str):
        return None
    is_base64 = one.get("encoding") == "base64" or one.get("is_base64") is True
    return Offer(content=content, is_base64=is_base64)


def _uris(file: object) -> Iterator[str]:
    if isinstance(file, str):
        yield file
    elif isinstance(file, dict):
        places = (cast("dict[str, Any]", file).get(place) for place in _PLACES)
        yield from (place for place in places if isinstance(place, str) and place)


def _decoded(content: str) -> bytes | None:
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
