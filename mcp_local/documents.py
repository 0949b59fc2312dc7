"""The files of a session as text or pictures: read in a worker once, then remembered."""

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from cachetools import TTLCache

from mcp_local.errors import NoReaderFree, PathDenied, ReadingFailed, UnreadableFile
from mcp_local.extract.documents import Document, kind_of, read_document, read_text
from mcp_local.extract.reader import Readers
from mcp_local.sources import NumberedSource
from mcp_local.workspace import Workspace

MAX_BYTES = 50 * 1024 * 1024
ATTACHED = "downloads"
"""Where the files that people attach lie."""
PICTURES = "pictures"
"""Where pictures lie as they are shown to a model."""
MAX_SEARCHED = 30
MAX_SEARCHED_CHARS = 3_000_000
"""Bounds for one search over the attached files, the newest first."""
_KEPT_CHARS = 4 * MAX_SEARCHED_CHARS
_KEPT_S = 600.0
"""What could not be read is tried again then: the machine may have been busy."""


class Documents:
    """Reads the files of sessions; those of a hostile make end a worker and nothing else."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._known = TTLCache[tuple[Path, str], Document](
            _KEPT_CHARS, _KEPT_S, getsizeof=lambda document: 1_000 + len(document.text)
        )

    async def read(self, workspace: Workspace, path: str) -> Document:
        """The file, whatever it is; what cannot be read has a fault. Raises PathDenied."""
        data = await asyncio.to_thread(workspace.read_bytes, path, MAX_BYTES)
        digest = await asyncio.to_thread(lambda: hashlib.sha256(data).hexdigest())
        known = self._known.get((workspace.root, digest))
        if known is None or (known.picture_path and not workspace.exists(known.picture_path)):
            document = await self._document(data, str(workspace.root), digest)
            known = await asyncio.to_thread(_kept, workspace, document, digest)
            # A text costs nothing to read again, and may be long.
            if (known.fault or known.kind != "text") and known.fault != "busy":
                self._known[workspace.root, digest] = known
        return known

    async def attached(self, workspace: Workspace) -> list[NumberedSource]:
        """The attached files that have a text, newest first; their numbers are below 0."""
        files = await asyncio.to_thread(workspace.files, ATTACHED)
        newest = sorted(files, key=lambda file: file.modified_at, reverse=True)
        found: list[NumberedSource] = []
        room = MAX_SEARCHED_CHARS
        for file in newest[:MAX_SEARCHED]:
            if room <= 0:
                break
            with suppress(PathDenied):
                text = (await self.read(workspace, file.path)).text[:room]
                room -= len(text)
                about = {"url": file.path, "title": PurePosixPath(file.path).name}
                n = -1 - len(found)
                found.append(
                    NumberedSource(
                        **about, n=n, kind="file", ok=bool(text), text=text, path=file.path
                    )
                )
        return found

    async def _document(self, data: bytes, session: str, digest: str) -> Document:
        try:
            kind = await asyncio.to_thread(kind_of, data)
            if kind == "text":
                return await asyncio.to_thread(read_text, data)
            return await self._readers.run(
                read_document, data, kind, session=session, source=digest
            )
        except UnreadableFile as error:
            return Document(fault=error.fault, note=str(error))
        except ReadingFailed as error:
            fault = "busy" if isinstance(error, NoReaderFree) else "too_big"
            return Document(fault=fault, note=UnreadableFile.SENTENCES[fault])


def _kept(workspace: Workspace, document: Document, digest: str) -> Document:
    """The document with its picture in a file."""
    if not document.picture:
        return document
    ending = "png" if document.media_type == "image/png" else "jpg"
    path = f"{PICTURES}/{digest[:32]}.{ending}"
    workspace.write_bytes(path, document.picture)
    return replace(document, picture=b"", picture_path=path)
