"""Runs an MCP server as a child process: own process group, small environment, bounded pipes.

The SDK's transport differs: there a huge line takes quadratic time and is held whole, stderr is our
own, and descendants of a server that left on its own survive.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from agent_core.tools.servers import HubLimits, StdioServer
from agent_core.tools.wire import LineBuffer, read_message

_CHUNK_BYTES = 65_536
_OUTGOING_MESSAGES = 64
"""Waiting to be written; a server that does not read its stdin must not hold up a time limit."""
_LAST_WORDS_S = 0.2
"""For what is still in the pipe when the server has ended."""
_LANGUAGE = {"LANG": "C.UTF-8"}

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


class Tail:
    """The last bytes that a process wrote to stderr."""

    def __init__(self, max_bytes: int = 65_536) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._max_bytes = max_bytes

    def add(self, chunk: bytes) -> None:
        """Keep `chunk`, and let go of the oldest bytes beyond the limit."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size > self._max_bytes:
            oldest = self._chunks.popleft()
            kept = oldest[self._size - self._max_bytes :]
            self._size -= len(oldest) - len(kept)
            if kept:
                self._chunks.appendleft(kept)

    def text(self, max_chars: int) -> str:
        """The end of what was written, at most `max_chars` long."""
        return b"".join(self._chunks).decode("utf-8", "replace").strip()[-max_chars:]


class _Exit(asyncio.subprocess.SubprocessStreamProtocol):
    """Tells when the process itself has ended; `Process.wait` waits for all who have its pipes."""

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK_BYTES, loop=asyncio.get_running_loop())
        self.has_exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.has_exited.set()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Child:
    transport: asyncio.SubprocessTransport
    has_exited: asyncio.Event
    stdin: asyncio.StreamWriter
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader


@asynccontextmanager
async def stdio_streams(
    config: StdioServer, limits: HubLimits, *, stderr: Tail
) -> AsyncGenerator[Streams, None]:
    """Start the server and exchange messages with it; the whole process group is gone on return.

    Raises:
        OSError: the command cannot be started.
    """
    child = await _spawn(config)
    incoming_end, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outgoing_end = anyio.create_memory_object_stream[SessionMessage](_OUTGOING_MESSAGES)
    reading = asyncio.create_task(
        _read_stdout(child.stdout, incoming_end, limits.max_message_bytes)
    )
    hearing = asyncio.create_task(_read_stderr(child.stderr, stderr))
    pumps = (
        reading,
        hearing,
        asyncio.create_task(_write_stdin(child.stdin, outgoing_end)),
        asyncio.create_task(_stop_after_exit(child, reading)),
    )
    try:
        yield incoming, outgoing
    finally:
        # Whoever cancels us must not keep the group alive: this part is bounded and runs through.
        ending = asyncio.create_task(_end(child, pumps, hearing, limits.grace_s))
        try:
            await asyncio.shield(ending)
        finally:
            await _outlast_cancellation(ending)
            for stream in (incoming, outgoing, incoming_end, outgoing_end):
                stream.close()


async def _spawn(config: StdioServer) -> _Child:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.subprocess_exec(
        _Exit,
        config.command,
        *config.args,
        env=get_default_environment() | _LANGUAGE | dict(config.env),
        cwd=config.cwd,
        start_new_session=True,
    )
    process = asyncio.subprocess.Process(transport, protocol, loop)
    assert process.stdin is not None  # noqa: S101 - pipes by default
    assert process.stdout is not None  # noqa: S101
    assert process.stderr is not None  # noqa: S101
    return _Child(
        transport=transport,
        has_exited=protocol.has_exited,
        stdin=process.stdin,
        stdout=process.stdout,
        stderr=process.stderr,
    )


async def _read_stdout(
    stdout: asyncio.StreamReader,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    max_line_bytes: int,
) -> None:
    lines = LineBuffer(max_line_bytes)
    with incoming, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while chunk := await stdout.read(_CHUNK_BYTES):
            for line in lines.feed(chunk):
                if (message := read_message(line)) is not None:
                    await incoming.send(message)


async def _stop_after_exit(child: _Child, reading: asyncio.Task[None]) -> None:
    """A descendant that holds stdout open must not hide that the server has ended."""
    await child.has_exited.wait()
    await asyncio.wait({reading}, timeout=_LAST_WORDS_S)
    reading.cancel()


async def _write_stdin(
    stdin: asyncio.StreamWriter, outgoing: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    # A broken pipe needs no answer here: the end of stdout tells the session.
    with outgoing, suppress(OSError):
        async for item in outgoing:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            stdin.write(text.encode() + b"\n")
            await stdin.drain()


async def _read_stderr(stderr: asyncio.StreamReader, tail: Tail) -> None:
    while chunk := await stderr.read(_CHUNK_BYTES):
        tail.add(chunk)


async def _end(
    child: _Child,
    pumps: Sequence[asyncio.Task[None]],
    hearing: asyncio.Task[None],
    grace_s: float,
) -> None:
    """Close stdin, wait a little, then end the group, also when its leader has left already."""
    child.stdin.close()
    if not await _exits(child, grace_s):
        _signal_group(child, signal.SIGTERM)
        await _exits(child, grace_s)
    _signal_group(child, signal.SIGKILL)
    await _exits(child, grace_s)
    await asyncio.wait({hearing}, timeout=_LAST_WORDS_S)
    for pump in pumps:
        pump.cancel()
    await asyncio.wait(pumps)
    child.transport.close()


async def _exits(child: _Child, within_s: float) -> bool:
    """Whether the process ends in time."""
    try:
        async with asyncio.timeout(within_s):
            await child.has_exited.wait()
    except TimeoutError:
        return False
    return True


def _signal_group(child: _Child, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.transport.get_pid(), number)


async def _outlast_cancellation(task: asyncio.Task[None]) -> None:
    """Wait for `task` even if we are cancelled meanwhile; `task` is bounded by itself."""
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait({task})
