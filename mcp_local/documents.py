"""Cache of the session's files as text or pictures; a worker reads each file once."""

import asyncio
import hashlib
from dataclasses import replace
from operator import attrgetter
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
        key = (workspace.root, digest)
        known = self._known.get(key)
        if known and (not known.picture_path or workspace.exists(known.picture_path)):
            return known
        document = await self._document(data, str(workspace.root))
        if document.picture:  # it goes to a file, so that the cache holds no bytes
            ending = "png" if document.media_type == "image/png" else "jpg"
            path = f"{PICTURES}/{digest[:32]}.{ending}"
            await asyncio.to_thread(workspace.write_bytes, path, document.picture)
            document = replace(document, picture=b"", picture_path=path)
        # A text costs nothing to read again, and may be longer than the cache.
        is_plain_text = document.kind == "text" and not document.fault
        if not is_plain_text and document.fault != "busy":
            self._known[key] = document
        return document

    async def attached(self, workspace: Workspace) -> list[NumberedSource]:
        """The attached files that have a text, newest first; their numbers are below 0."""
        files = await asyncio.to_thread(workspace.files, ATTACHED)
        files.sort(key=attrgetter("modified_at"), reverse=True)
        sources: list[NumberedSource] = []
        room = MAX_SEARCHED_CHARS
        for file in files[:MAX_SEARCHED]:
            if room <= 0:
                break
            try:
                document = await self.read(workspace, file.path)
            except PathDenied:
                continue
            text = document.text[:room]
            room -= len(text)
            source = NumberedSource(
                n=-1 - len(sources),
                url=file.path,
                title=PurePosixPath(file.path).name,
                kind="file",
                ok=bool(text),
                text=text,
                path=file.path,
            )
            sources.append(source)
        return sources

    async def _document(self, data: bytes, session: str) -> Document:
        try:
            kind = await asyncio.to_thread(kind_of, data)
            if kind == "text":
                return await asyncio.to_thread(read_text, data)
            return await self._readers.run(
                read_document,
                data,
                kind,
                session=session,
            )
        except UnreadableFile as error:
            return Document(fault=error.fault, note=str(error))
        except ReadingFailed as error:
            fault = "busy" if isinstance(error, NoReaderFree) else "too_big"
            return Document(fault=fault, note=UnreadableFile.SENTENCES[fault])
