"""Moves files between a session, the remote workbench and Composio's storage, and compares them.

A script's answer is one marked piece of what was printed, without quotation marks, so that it is
found however often the answer was wrapped on its way.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast
from urllib.parse import quote

from mcp_local.errors import PathDenied, RemoteError, RemoteRefused, ToolkitError
from mcp_local.workbench.http import MAX_FILE_BYTES, JsonObject, Wire, service_words
from mcp_local.workspace import Workspace, fold_name, is_invisible

MAX_CALLS = 150
"""Calls for one file; 25 MB need 70 of the usual size."""

_WORKBENCH = "COMPOSIO_REMOTE_WORKBENCH"
_FILE_TOOL = "CODEINTERPRETER_GET_FILE_CMD"
_SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")

TransferProgress = Callable[[int, int], Awaitable[None]]
"""Progress callback: how many bytes are moved, and of how many."""

PIECE_BYTES = 360_000
"""Bytes of a file in one call: 480 KB as base64."""

SMALL_PIECE_BYTES = 12_000
"""The same where the service cuts what is printed, which it may do at 20,000 characters."""

_MISSING = "<<file missing>>"
_FACTS = re.compile(r"<<file bytes=(\d{1,15}) sha256=([0-9a-f]{64}|)>>")
_PIECE = re.compile(r"<<piece offset=(\d{1,15}) data=([A-Za-z0-9+/=]*)>>")
_PLACES = ("uri", "s3url", "s3_url", "url", "download_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFacts:
    """Size and checksum of a remote file."""

    size: int
    sha256: str
    """In hexadecimal; empty for a file above the limit."""

    def are_of(self, data: bytes) -> bool:
        """Whether these are the bytes that the workbench has."""
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256


def write_script(path: PurePosixPath, piece: bytes, *, is_first: bool) -> str:
    """Writes a piece to the file: the first anew, the others at its end."""
    return f"""\
import os, base64
path = {str(path)!a}
os.makedirs(os.path.dirname(path), exist_ok=True)
with open(path, '{"wb" if is_first else "ab"}') as f:
    f.write(base64.b64decode('{base64.b64encode(piece).decode()}'))
"""


def facts_script(path: PurePosixPath) -> str:
    """Prints what `_facts` reads; a file above the limit is not opened."""
    return f"""\
import os, hashlib
path = {str(path)!a}
if os.path.isfile(path):
    size = os.path.getsize(path)
    digest = ''
    if size <= {MAX_FILE_BYTES}:
        with open(path, 'rb') as f:
            digest = hashlib.sha256(f.read()).hexdigest()
    print('<<file bytes=' + str(size) + ' sha256=' + digest + '>>')
else:
    print('{_MISSING}')
"""


def piece_script(path: PurePosixPath, offset: int, size: int) -> str:
    """Prints what `_piece` reads."""
    return f"""\
import base64
with open({str(path)!a}, 'rb') as f:
    f.seek({offset})
    piece = base64.b64encode(f.read({size})).decode()
print('<<piece offset={offset} data=' + piece + '>>')
"""


def _refusal(answer: JsonObject) -> str:
    """Why an execution gave no data: its type says so, its error may be empty."""
    match answer.get("result_type"):
        case "input_required":
            return "Composio wants this confirmed, which this tool cannot do."
        case "blocked":
            return f"Composio's rules block this. {service_words(answer)}".strip()
        case _:
            return f"Composio could not do it. {service_words(answer)}".strip()


@dataclass(frozen=True, slots=True)
class Bridge:
    """The way between a session and one person's workbench, where what runs runs as that person."""

    wire: Wire
    session: str
    """The person's Tool Router session."""
    progress: TransferProgress

    async def upload(self, data: bytes, remote: PurePosixPath) -> None:
        """Write the remote file anew, in pieces, and compare the whole.

        Raises:
            RemoteError: It did not arrive as it was sent; the remote file may be in parts there.
        """
        total = len(data)
        for start in range(0, max(total, 1), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            script = write_script(remote, piece, is_first=start == 0)
            await self._run_code(script, f"Uploading {remote.name}")
            await self.progress(start + len(piece), total)
        facts = await self._facts(remote)
        if not facts.are_of(data):
            raise RemoteError(
                f"What arrived as {remote} is not what was sent ({facts.size} of {total} bytes). "
                "Upload it again."
            )

    async def download(self, remote: PurePosixPath) -> bytes:
        """The remote file, by the file tool, else in pieces out of the workbench.

        Raises:
            RemoteError: There is no such file, it is too large, or it did not come whole.
        """
        facts = await self._facts(remote)
        if facts.size > MAX_FILE_BYTES:
            raise RemoteError(
                f"{remote} has {facts.size} bytes, more than the {MAX_FILE_BYTES} that can be "
                "moved. Make it smaller in the workbench, or work on it there."
            )
        for offered in await self._offered(remote):
            if facts.are_of(offered):
                return offered
        return await self._in_pieces(remote, facts)

    async def _facts(self, remote: PurePosixPath) -> RemoteFacts:
        """Size and checksum of the remote file. RemoteError: there is none, or nothing is said."""
        script = facts_script(remote)
        printed = await self._run_code(script, f"Checking {remote.name}")
        if _MISSING in printed:
            raise RemoteError(f"There is no file {remote} in the remote workbench.")
        facts = _FACTS.search(printed)
        if facts is None:
            raise RemoteError(f"The workbench does not say what arrived or lies at {remote}.")
        return RemoteFacts(size=int(facts[1]), sha256=facts[2])

    async def _offered(self, remote: PurePosixPath) -> list[bytes]:
        """What the file tool may mean: its content as text and as base64, or what it points to."""
        try:
            asked = {"tool_slug": _FILE_TOOL, "arguments": {"file_path": str(remote)}}
            data = await self._run("execute", asked)
            file = data.get("file")
            if isinstance(file, dict):
                file = next(filter(None, map(cast("JsonObject", file).get, _PLACES)), None)
            if isinstance(file, str):
                return [await self.wire.get(file)]
        except RemoteError:
            return []
        content = data.get("content")
        if not isinstance(content, str):
            return []
        offered = [content.encode(errors="surrogatepass")]
        with suppress(ValueError):
            offered.append(base64.b64decode("".join(content.split()), validate=True))
        return offered

    async def _in_pieces(self, remote: PurePosixPath, facts: RemoteFacts) -> bytes:
        data = bytearray()
        size = PIECE_BYTES
        for _ in range(MAX_CALLS):
            if len(data) >= facts.size:
                break
            piece = await self._piece(remote, len(data), size)
            if piece is None and size == PIECE_BYTES:
                size = SMALL_PIECE_BYTES
                continue
            if not piece:
                raise RemoteError(f"The workbench does not give {remote} whole.")
            data += piece
            await self.progress(len(data), facts.size)
        if len(data) < facts.size:
            raise RemoteError(
                f"Only {len(data)} of {facts.size} bytes of {remote} came: the workbench cuts its "
                "answers. Make the file smaller, for example with gzip."
            )
        if not facts.are_of(bytes(data)):
            raise RemoteError(
                f"{remote} changed while it was read, or was damaged on the way. Download it again."
            )
        return bytes(data)

    async def _piece(self, remote: PurePosixPath, offset: int, size: int) -> bytes | None:
        """The piece at `offset`; None when what was printed is cut or is something else."""
        script = piece_script(remote, offset, size)
        printed = await self._run_code(script, f"Downloading {remote.name}")
        piece = _PIECE.search(printed)
        if piece and int(piece[1]) == offset:
            with suppress(binascii.Error):
                return base64.b64decode(piece[2], validate=True)
        return None

    async def _run_code(self, code: str, thought: str) -> str:
        """What Python printed in the workbench, somewhere in the JSON of the answer.

        Raises as `_run`, also for failed code.
        """
        arguments = {"code_to_execute": code, "thought": thought}
        data = await self._run("execute_meta", {"slug": _WORKBENCH, "arguments": arguments})
        # Only its error counts: the service may add a message to what went well.
        if failure := service_words({"error": data.get("error")}):
            sentence = f"The code in the remote workbench failed: {failure}"
            raise RemoteRefused(self.wire.without_key(sentence))
        return json.dumps(data, ensure_ascii=False)

    async def _run(self, way: str, body: JsonObject) -> JsonObject:
        """What came of it, which `result_type` says. RemoteRefused: the answer is no."""
        if not _SESSION_ID.fullmatch(self.session):
            raise RemoteError("This call's Composio session has no proper id.")
        answer = await self.wire.post(f"tool_router/session/{quote(self.session)}/{way}", body)
        if answer.get("result_type") != "completed":
            raise RemoteRefused(self.wire.without_key(_refusal(answer)))
        data = answer.get("data")
        return cast("JsonObject", data) if isinstance(data, dict) else {"data": data}


DOWNLOADS = "downloads"
_MAX_NAMESAKES = 500
_UNSAFE = re.compile(r"[^\w.() -]")
_NAME_CHARS = 60


def download_path(name: str) -> str:
    """A path in the folder of files from outside, for a name that somebody else chose."""
    last = re.split(r"[/\\]", name)[-1]
    plain = _UNSAFE.sub("_", last)[-_NAME_CHARS:].lstrip("-. ").rstrip(". ")
    return f"{DOWNLOADS}/{plain or 'file'}"


def is_download(workspace: Workspace, path: str) -> bool:
    """Whether the path lies in the folder of files from outside. Raises PathDenied."""
    parts = workspace.parts(path)
    return len(parts) > 1 and fold_name(parts[0]) == DOWNLOADS


def add_download(workspace: Workspace, path: str, data: bytes) -> Path:
    """Write into that folder under the first free name: what people sent is never replaced.

    A file that is there already, byte by byte, is not written again.
    """
    wanted = PurePosixPath(DOWNLOADS, *workspace.parts(path)[1:])
    for number in range(1, _MAX_NAMESAKES + 1):
        name = wanted.name if number == 1 else f"{wanted.stem}_{number}{wanted.suffix}"
        free = str(wanted.with_name(name))
        try:
            return workspace.write_bytes(
                free,
                data,
                exclusive=True,
                max_bytes=MAX_FILE_BYTES,
            )
        except FileExistsError:
            if workspace.holds(free, data):
                return workspace.root / free
    raise ToolkitError(f"There are already {_MAX_NAMESAKES} files named {wanted.name}.")


HOMES = (PurePosixPath("/home/user"), PurePosixPath("/mnt/files"))
"""What the workbench gives its user; the second survives a restart of it."""

MAX_PATH_CHARS = 1000


def read_remote_path(text: str) -> PurePosixPath:
    """The absolute path of a file below one of `HOMES`, without redundant parts.

    Raises:
        PathDenied: It is none; the sentence says what would be right.
    """
    path = PurePosixPath(text)
    if len(text) > MAX_PATH_CHARS or any(map(is_invisible, text)):
        raise PathDenied("The remote path is too long or holds invisible characters.")
    if not path.is_absolute() or "\\" in text:
        raise PathDenied(
            f"{text!r} is not an absolute path of the remote workbench. Paths there begin with "
            "/home/user/ or /mnt/files/; local and remote paths are not interchangeable."
        )
    if ".." in path.parts:
        raise PathDenied("'..' is not accepted in a remote path.")
    if text.endswith("/") or not any(home in path.parents for home in HOMES):
        raise PathDenied(
            f"{text!r} is not a file below /home/user/ or /mnt/files/ of the remote workbench."
        )
    return path
