"""Moves one file between a session and the remote workbench, and compares it on both sides."""

import re
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mcp_local.errors import PathDenied, RemoteError, RemoteRefused, ToolkitError
from mcp_local.paths import fold_name
from mcp_local.workbench.composio import (
    PIECE_BYTES,
    SMALL_PIECE_BYTES,
    ComposioSession,
    Offer,
    RemoteFacts,
    choose,
    facts_script,
    is_whole,
    piece_script,
    read_facts,
    read_offer,
    read_piece,
    says_missing,
    write_script,
)
from mcp_local.workspace import Workspace

MAX_FILE_BYTES = 25_000_000
"""The largest file that is moved."""

MAX_CALLS = 150
"""Calls for one file; 25 MB need 70 of the usual size."""

Progress = Callable[[int, int], Awaitable[None]]
"""Told how many bytes of how many are moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded:
    """A remote file's bytes."""

    data: bytes
    is_verified: bool
    """Its checksum was computed in the workbench and is the same here."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """The way between one workspace and one person's workbench."""

    composio: ComposioSession
    workspace: Workspace
    progress: Progress

    async def upload(self, data: bytes, remote: PurePosixPath) -> None:
        """Write the remote file anew, in pieces, and compare the whole.

        Raises:
            RemoteError: It did not arrive as it was sent; the remote file may be in parts there.
        """
        total = len(data)
        for start in range(0, max(total, 1), PIECE_BYTES):
            piece = data[start : start + PIECE_BYTES]
            script = write_script(remote, piece, is_first=start == 0)
            await self.composio.run_code(script, f"Uploading {remote.name}")
            await self.progress(start + len(piece), total)
        facts = read_facts(await self._facts_answer(remote))
        if facts is None:
            raise RemoteError(f"The workbench does not say what arrived as {remote}.")
        if not is_whole(data, facts):
            raise RemoteError(
                f"What arrived as {remote} is not what was sent ({facts.bytes} of {total} bytes). "
                "Upload it again."
            )

    async def download(self, remote: PurePosixPath) -> Downloaded:
        """The remote file, by the file tool, else in pieces out of the workbench.

        Raises:
            RemoteError: There is no such file, it is too large, or it did not come whole.
        """
        facts, trouble = await self._facts(remote)
        if facts and facts.bytes > MAX_FILE_BYTES:
            raise RemoteError(
                f"{remote} has {facts.bytes} bytes, more than the {MAX_FILE_BYTES} that can be "
                "moved. Make it smaller in the workbench, or work on it there."
            )
        data = await self._offered(remote, facts)
        if data is None and facts is None:
            raise RemoteError(trouble)
        if facts is None:
            return Downloaded(data=data or b"", is_verified=False)
        if data is None:
            data = await self._in_pieces(remote, facts)
        return Downloaded(data=data, is_verified=True)

    async def _facts(self, remote: PurePosixPath) -> tuple[RemoteFacts | None, str]:
        """What the workbench knows of the file, or why it does not."""
        try:
            answer = await self._facts_answer(remote)
        except RemoteRefused as error:
            return None, str(error)
        if says_missing(answer):
            return None, f"There is no file {remote} in the remote workbench."
        return read_facts(answer), f"The remote workbench does not say what {remote} is."

    async def _facts_answer(self, remote: PurePosixPath) -> object:
        script = facts_script(remote, MAX_FILE_BYTES)
        return await self.composio.run_code(script, f"Checking {remote.name}")

    async def _offered(self, remote: PurePosixPath, facts: RemoteFacts | None) -> bytes | None:
        """What the file tool gives, if it is the file."""
        arguments = {"file_path": str(remote)}
        try:
            offer = read_offer(
                await self.composio.run_tool("CODEINTERPRETER_GET_FILE_CMD", arguments)
            )
            forms = await self._forms(offer) if offer else ()
        except (RemoteError, PathDenied):
            return None
        return choose(forms, facts) if forms else None

    async def _forms(self, offer: Offer) -> tuple[bytes, ...]:
        if not offer.uri:
            return offer.forms
        if offer.uri.startswith(("http://", "https://")):
            return (await self.composio.wire.get(offer.uri, MAX_FILE_BYTES),)
        # A path that a service names may lead anywhere; only files of the session are taken.
        return (self.workspace.read_bytes(offer.uri, MAX_FILE_BYTES),)

    async def _in_pieces(self, remote: PurePosixPath, facts: RemoteFacts) -> bytes:
        data = bytearray()
        size = PIECE_BYTES
        for _ in range(MAX_CALLS):
            if len(data) >= facts.bytes:
                break
            piece = await self._piece(remote, len(data), size)
            if piece is None and size == PIECE_BYTES:
                size = SMALL_PIECE_BYTES
                continue
            if not piece:
                raise RemoteError(f"The workbench does not give {remote} whole.")
            data += piece
            await self.progress(len(data), facts.bytes)
        if not is_whole(bytes(data), facts):
            raise RemoteError(_incomplete(remote, len(data), facts))
        return bytes(data)

    async def _piece(self, remote: PurePosixPath, offset: int, size: int) -> bytes | None:
        script = piece_script(remote, offset, size)
        answer = await self.composio.run_code(script, f"Downloading {remote.name}")
        return read_piece(answer, offset)


def _incomplete(remote: PurePosixPath, received: int, facts: RemoteFacts) -> str:
    if received < facts.bytes:
        return (
            f"Only {received} of {facts.bytes} bytes of {remote} came: the workbench cuts its "
            "answers. Make the file smaller, for example with gzip."
        )
    return f"{remote} changed while it was read, or was damaged on the way. Download it again."


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


def add_download(workspace: Workspace, path: str, data: bytes, max_bytes: int) -> Path:
    """Write into that folder under the first free name: what people sent is never replaced.

    A file that is there already, byte by byte, is not written again.
    """
    wanted = PurePosixPath(DOWNLOADS, *workspace.parts(path)[1:])
    for number in range(1, _MAX_NAMESAKES + 1):
        name = wanted.name if number == 1 else f"{wanted.stem}_{number}{wanted.suffix}"
        free = str(wanted.with_name(name))
        try:
            return workspace.write_bytes(free, data, exclusive=True, max_bytes=max_bytes)
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
    if len(text) > MAX_PATH_CHARS or any(
        unicodedata.category(letter) in ("Cc", "Cf", "Cs") for letter in text
    ):
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
