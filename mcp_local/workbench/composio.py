"""What is asked of Composio: run a tool, run code in the workbench, give a place for a file.

A script's answer is one marked piece of what was printed, without quotation marks, so that it is
found however often the answer was wrapped on its way.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import quote

from mcp_local.errors import RemoteError, RemoteRefused
from mcp_local.workbench.http import JsonObject, Wire, said

_WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"
_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPlace:
    """Where Composio wants a file for one of its tools."""

    key: str
    put_url: str
    backend: str
    """`s3` or `azure_blob_storage`."""


@dataclass(frozen=True, slots=True)
class ComposioSession:
    """One person's Tool Router session: what runs here runs as that person.

    Whether an execution ran well is said by its `result_type`, never by its error.
    """

    wire: Wire
    id: str

    async def run_tool(self, slug: str, arguments: JsonObject) -> JsonObject:
        """A tool's data. Raises RemoteRefused when the tool says no, else RemoteError."""
        return await self._run("execute", {"tool_slug": slug, "arguments": arguments})

    async def run_code(self, code: str, thought: str) -> JsonObject:
        """What came of Python in the remote workbench.

        Raises as `run_tool` does, RemoteRefused also for code that failed.
        """
        arguments = {"code_to_execute": code, "thought": thought}
        data = await self._run("execute_meta", {"slug": _WORKBENCH, "arguments": arguments})
        # Only its error counts: the service may add a message to what went well.
        if failure := said({"error": data.get("error")}):
            sentence = f"The code in the remote workbench failed: {failure}"
            raise RemoteRefused(self.wire.without_key(sentence))
        return data

    async def _run(self, way: str, body: JsonObject) -> JsonObject:
        if not _SESSION_ID.fullmatch(self.id):
            raise RemoteError("This call's Composio session has no proper id.")
        answer = await self.wire.post(f"tool_router/session/{quote(self.id)}/{way}", body)
        if answer.get("result_type") != "completed":
            raise RemoteRefused(self.wire.without_key(_refusal(answer)))
        data = answer.get("data")
        return cast("JsonObject", data) if isinstance(data, dict) else {"data": data}


async def request_upload(
    wire: Wire, data: bytes, *, filename: str, mimetype: str, tool: str, toolkit: str
) -> UploadPlace:
    """A place for a file that `tool` of `toolkit` is to use. Raises RemoteError."""
    answer = await wire.post(
        "files/upload/request",
        {
            "md5": hashlib.md5(data, usedforsecurity=False).hexdigest(),
            "filename": filename,
            "mimetype": mimetype,
            "tool_slug": tool,
            "toolkit_slug": toolkit,
        },
    )
    key = answer.get("key")
    put_url = answer.get("new_presigned_url") or answer.get("newPresignedUrl")
    if not isinstance(key, str) or not isinstance(put_url, str) or not key:
        raise RemoteError("Composio named no place for the file.")
    return UploadPlace(key=key, put_url=put_url, backend=_backend(answer.get("metadata")))


def _backend(metadata: object) -> str:
    if not isinstance(metadata, dict):
        return ""
    return str(cast("JsonObject", metadata).get("storage_backend"))


def _refusal(answer: JsonObject) -> str:
    """Why an execution gave no data: its type says so, its error may be empty."""
    match answer.get("result_type"):
        case "input_required":
            return "Composio wants this confirmed, which this tool cannot do."
        case "blocked":
            return f"Composio's rules block this. {said(answer)}".strip()
        case _:
            return f"Composio could not do it. {said(answer)}".strip()


_OFFER_DEPTH = 3
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
    for _ in range(_OFFER_DEPTH):
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
