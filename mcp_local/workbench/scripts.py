"""The Python that runs in the remote workbench to move a file, and how its answers are read.

An answer is one marked piece of what was printed, without quotation marks, so that it is found
however often the service has wrapped it into JSON.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast

PIECE_BYTES = 360_000
"""Bytes of a file in one call: 480 KB as base64."""

SMALL_PIECE_BYTES = 12_000
"""The same where the service cuts what is printed, which it may do at 20,000 characters."""

_MISSING = "<<file missing>>"
_FACTS = re.compile(r"<<file bytes=(\d{1,15}) sha256=([0-9a-f]{64}|)>>")
_PIECE = re.compile(r"<<piece offset=(\d{1,15}) data=([A-Za-z0-9+/=]*)>>")
_DEPTH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFacts:
    """What the workbench says about one of its files."""

    bytes: int
    sha256: str
    """In hexadecimal; empty for a file above the limit."""


def write_script(path: PurePosixPath, piece: bytes, *, is_first: bool) -> str:
    """Writes a piece to the file: the first anew, the others at its end."""
    encoded = base64.b64encode(piece).decode()
    return "\n".join(
        [
            "import os, base64",
            f"path = {str(path)!a}",
            "os.makedirs(os.path.dirname(path), exist_ok=True)",
            f"with open(path, '{'wb' if is_first else 'ab'}') as f:",
            f"    f.write(base64.b64decode('{encoded}'))",
        ]
    )


def facts_script(path: PurePosixPath, max_bytes: int) -> str:
    """Prints what `read_facts` reads; a file above the limit is not opened."""
    return "\n".join(
        [
            "import os, hashlib",
            f"path = {str(path)!a}",
            "if os.path.isfile(path):",
            "    size = os.path.getsize(path)",
            "    digest = ''",
            f"    if size <= {max_bytes}:",
            "        with open(path, 'rb') as f:",
            "            digest = hashlib.sha256(f.read()).hexdigest()",
            "    print('<<file bytes=' + str(size) + ' sha256=' + digest + '>>')",
            "else:",
            f"    print('{_MISSING}')",
        ]
    )


def piece_script(path: PurePosixPath, offset: int, size: int) -> str:
    """Prints what `read_piece` reads."""
    return "\n".join(
        [
            "import base64",
            f"with open({str(path)!a}, 'rb') as f:",
            f"    f.seek({offset})",
            f"    piece = base64.b64encode(f.read({size})).decode()",
            f"print('<<piece offset={offset} data=' + piece + '>>')",
        ]
    )


def read_facts(answer: object) -> RemoteFacts | None:
    """The file's facts; None when the answer has none."""
    for text in _texts(answer):
        if found := _FACTS.search(text):
            return RemoteFacts(bytes=int(found[1]), sha256=found[2])
    return None


def says_missing(answer: object) -> bool:
    """Whether the workbench says that there is no such file."""
    return any(_MISSING in text for text in _texts(answer))


def read_piece(answer: object, offset: int) -> bytes | None:
    """The piece at `offset`; None when what was printed is cut or is something else."""
    for text in _texts(answer):
        found = _PIECE.search(text)
        if found and int(found[1]) == offset:
            try:
                return base64.b64decode(found[2], validate=True)
            except binascii.Error:
                return None
    return None


def _texts(value: object, depth: int = _DEPTH) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth:
        for inner in cast("dict[str, Any]", value).values():
            yield from _texts(inner, depth - 1)
    elif isinstance(value, list) and depth:
        for inner in cast("list[Any]", value):
            yield from _texts(inner, depth - 1)
