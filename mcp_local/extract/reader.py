"""The pages' readers: a few worker processes, each replaced when a page stalls or crashes it."""

import asyncio
import struct
import sys
from types import TracebackType
from typing import Literal, Self

from pydantic import BaseModel

from mcp_local.errors import FetchFailed

FRAME_HEADER = struct.Struct(">I")
"""Each message is preceded by its length in bytes."""


class Request(BaseModel):
    """A page to be read."""

    kind: Literal["html", "text"]
    text: str
    url: str


class Article(BaseModel):
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    lack: Literal["", "needs a browser", "no text on the page"] = ""
    """Why `markdown` is empty, if it is."""


_START_S = 30.0
_UNREADABLE = "the page's text could not be taken out"


class Reader:
    """One worker process, started at its first request or by `start`."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._greeted = False

    async def start(self) -> asyncio.subprocess.Process:
        """The running process, a new one when the last has ended."""
        if self._process is None or self._process.returncode is not None:
            self._greeted = False
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "mcp_local.extract.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        return self._process

    async def read(self, request: Request, limit_s: float) -> Article:
        """The article; FetchFailed when the worker needs longer than the limit, or dies."""
        process = await self.start()
        answered = False
        try:
            async with asyncio.timeout(_START_S):
                await self._greet(process)
            async with asyncio.timeout(limit_s):
                answer = await _exchange(process, request.model_dump_json().encode())
            answered = True
        except (TimeoutError, OSError, EOFError):
            raise FetchFailed(_UNREADABLE) from None
        finally:
            # Half an exchange leaves the stream out of step: only a new process is safe.
            if not answered:
                await self.stop()
        return Article.model_validate_json(answer)

    async def _greet(self, process: asyncio.subprocess.Process) -> None:
        """Wait until a new process has done its imports."""
        if not self._greeted:
            await _receive(process)
            self._greeted = True

    async def stop(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Readers:
    """A fixed number of readers taken in turn; an async context manager that ends them all."""

    def __init__(self, *, count: int = 2, limit_s: float = 15.0) -> None:
        self._all = [Reader() for _ in range(count)]
        self._limit_s = limit_s
        self._free: asyncio.LifoQueue[Reader] = asyncio.LifoQueue()

    async def __aenter__(self) -> Self:
        for reader in self._all:
            self._free.put_nowait(reader)
        # Its imports take half a second; they run while the client is still shaking hands.
        await self._all[-1].start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for reader in self._all:
            await reader.stop()

    async def read(self, request: Request) -> Article:
        """The article of a page; FetchFailed when it has none or cannot be read."""
        reader = await self._free.get()
        try:
            article = await reader.read(request, self._limit_s)
        finally:
            self._free.put_nowait(reader)
        if article.lack:
            raise FetchFailed(article.lack)
        return article


async def _exchange(process: asyncio.subprocess.Process, body: bytes) -> bytes:
    if process.stdin is None:
        raise EOFError
    process.stdin.write(FRAME_HEADER.pack(len(body)) + body)
    await process.stdin.drain()
    return await _receive(process)


async def _receive(process: asyncio.subprocess.Process) -> bytes:
    if process.stdout is None:
        raise EOFError
    header = await process.stdout.readexactly(FRAME_HEADER.size)
    return await process.stdout.readexactly(FRAME_HEADER.unpack(header)[0])
