"""Moves one file between a session and the remote workbench, and compares it on both sides."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from mcp_local.errors import PathDenied, RemoteError, RemoteRefused
from mcp_local.workbench.composio import ComposioSession
from mcp_local.workbench.offers import Offer, choose, is_whole, read_offer
from mcp_local.workbench.scripts import (
    PIECE_BYTES,
    SMALL_PIECE_BYTES,
    RemoteFacts,
    facts_script,
    piece_script,
    read_facts,
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
