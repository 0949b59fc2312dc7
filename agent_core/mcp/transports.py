"""The two transports to an MCP server, stdio and HTTP, on the wire that `wire.py` caps and screens.

The stdio transport stands in place of the SDK's, whose reader holds a line whole and takes
quadratic time for it, whose stderr is a file, and which lets descendants of a server survive that
left on its own: here a server is a process group of its own. The HTTP transport is the SDK's. The
SDK reports every refusal in the same words; here each names its status, and a 401 is told apart
from the rest.
"""

import asyncio
import os
import resource
import signal
import zlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from agent_core.background import Background
from agent_core.mcp.config import HttpServer, HubLimits, StdioServer
from agent_core.mcp.wire import (
    MAX_MESSAGE_BYTES,
    UNREADABLE,
    LineCutter,
    Screen,
    dumped,
    error_answer,
    off_loop,
)
from agent_core.workspaces.layout import MAX_SESSION_BYTES

_CHUNK_BYTES = 65_536
_OUTGOING_MESSAGES = 64
"""Waiting to be written; a server that does not read its stdin must not hold up a time limit."""
_LAST_WORDS_S = 0.2
"""For what is still in the pipe when the server has ended."""
_LANGUAGE = {"LANG": "C.UTF-8"}

Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


class _Child(asyncio.subprocess.SubprocessStreamProtocol):
    """A process with its pipes and an event for its own end.

    `Process.wait` waits for every descendant that has the pipes open.
    """

    def __init__(self) -> None:
        super().__init__(limit=_CHUNK_BYTES, loop=asyncio.get_running_loop())
        self.has_exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.has_exited.set()

    async def exits(self, within_s: float) -> bool:
        """Whether the process ends in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self.has_exited.wait()
        return self.has_exited.is_set()


@asynccontextmanager
async def stdio_streams(
    config: StdioServer,
    limits: HubLimits,
    *,
    screen: Screen,
    stderr: deque[int],
    on_end: Callable[[], None],
) -> AsyncGenerator[Streams, None]:
    """Start the server and exchange messages with it; the whole process group is gone on return.

    `on_end` is called once the server has hung up. No file that it writes grows beyond what a whole
    session may take, where the system can hold it to that.

    Raises:
        OSError: the command cannot be started.
    """
    transport, child = await asyncio.get_running_loop().subprocess_exec(
        _Child,
        config.command,
        *config.args,
        env=get_default_environment() | _LANGUAGE | dict(config.env),
        cwd=config.cwd,
        start_new_session=True,
    )
    assert child.stdin and child.stdout and child.stderr  # noqa: S101, PT018 - pipes by default
    if not config.trusted and hasattr(resource, "prlimit"):
        with suppress(ProcessLookupError):
            bound = (MAX_SESSION_BYTES, MAX_SESSION_BYTES)
            resource.prlimit(transport.get_pid(), resource.RLIMIT_FSIZE, bound)
    sink, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, source = anyio.create_memory_object_stream[SessionMessage](_OUTGOING_MESSAGES)
    lines = LineCutter()
    pumps = Background()
    reading = pumps.start(
        _read_stdout(
            child.stdout,
            lines,
            screen,
            sink,
        )
    )
    reading.add_done_callback(lambda _: on_end())
    hearing = pumps.start(_read_stderr(child.stderr, stderr))
    pumps.start(_write_stdin(child.stdin, source))
    pumps.start(_stop_after_exit(child, reading))
    try:
        yield incoming, outgoing
    finally:
        child.stdin.close()
        try:
            if not await child.exits(limits.grace_s):
                _signal_group(transport, signal.SIGTERM)
                await child.exits(limits.grace_s)
        finally:
            # Also when the leader has left already, and at once when we are cancelled meanwhile.
            _signal_group(transport, signal.SIGKILL)
            await asyncio.wait({hearing}, timeout=_LAST_WORDS_S)
            await pumps.close()
            transport.close()
            for stream in (incoming, outgoing, sink, source):
                stream.close()


async def _read_stdout(
    stdout: asyncio.StreamReader,
    lines: LineCutter,
    screen: Screen,
    sink: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    with sink, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while chunk := await stdout.read(_CHUNK_BYTES):
            for line in lines.feed(chunk):
                message = await off_loop(screen.read, line)
                if message is not None:
                    await sink.send(SessionMessage(message))


async def _stop_after_exit(child: _Child, reading: asyncio.Task[None]) -> None:
    """A descendant that holds stdout open must not hide that the server has ended."""
    await child.has_exited.wait()
    await asyncio.wait({reading}, timeout=_LAST_WORDS_S)
    reading.cancel()


async def _write_stdin(
    stdin: asyncio.StreamWriter, source: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    # A broken pipe needs no answer here: the end of stdout tells the session.
    with source, suppress(OSError):
        async for item in source:
            stdin.write(dumped(item.message) + b"\n")
            await stdin.drain()


async def _read_stderr(stderr: asyncio.StreamReader, tail: deque[int]) -> None:
    while chunk := await stderr.read(_CHUNK_BYTES):
        tail.extend(chunk)


def _signal_group(transport: asyncio.SubprocessTransport, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), number)


UNAUTHORIZED = (-32_041, "HTTP 401: our credentials are not taken")
"""The code and the message of a 401, which says that the request did not run."""

_READ_SLACK_S = 5.0
_EITHER_ENVELOPE = 32 + zlib.MAX_WBITS
"""zlib recognises gzip and deflate by itself."""
_PIECE_BYTES = 65_536
_DATA = b"data:"

_Pieces = AsyncIterator[bytes]


@asynccontextmanager
async def http_streams(
    config: HttpServer,
    limits: HubLimits,
    *,
    screen: Screen,
) -> AsyncGenerator[Any]:
    """Exchange messages with the server, over streams of the SDK's `Transport`.

    The headers go to the server's own origin alone.
    """
    timeout = httpx2.Timeout(limits.connect_timeout_s, read=config.call_timeout_s + _READ_SLACK_S)
    client = httpx2.AsyncClient(
        # Compressed bodies are dearer to cut, so none are asked for.
        headers={"accept-encoding": "identity"} | dict(config.headers),
        timeout=timeout,
        event_hooks={"response": [_capping(screen)]},
    )
    async with (
        client,
        # Events are cut to less than half of this limit before the SDK counts them.
        streamable_http_client(
            config.url, http_client=client, max_sse_event_size=2 * MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams


def _capping(screen: Screen) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def cap(response: httpx2.Response) -> None:
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            return
        pieces = aiter(stream)
        if response.headers.pop("content-encoding", "identity") in ("gzip", "deflate"):
            pieces = _inflated(pieces)
        kind = response.headers.get("content-type", "").lower()
        if response.status_code >= 400:
            response.headers["content-type"] = "application/json"
            pieces = _refusal(pieces, response.status_code)
        elif kind.startswith("text/event-stream"):
            pieces = _capped_events(pieces, screen)
        elif kind.startswith("application/json") and response.status_code == 200:
            # As an event, a message answers its request whatever its id says.
            response.headers["content-type"] = "text/event-stream"
            pieces = _as_event(pieces, screen)
        else:
            pieces = _capped_body(pieces)
        response.stream = _Replaced(stream, pieces)

    return cap


class _Replaced(httpx2.AsyncByteStream):
    """A body made of another body, which is closed with it."""

    def __init__(self, stream: httpx2.AsyncByteStream, pieces: _Pieces) -> None:
        self._stream = stream
        self._pieces = pieces

    def __aiter__(self) -> _Pieces:
        return self._pieces

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _inflated(pieces: _Pieces) -> _Pieces:
    """A body unpacked in small pieces, so that its size can be watched as it grows."""
    unpacker = zlib.decompressobj(_EITHER_ENVELOPE)
    with suppress(zlib.error):
        async for chunk in pieces:
            left = chunk
            while left:
                yield unpacker.decompress(left, _PIECE_BYTES)
                left = unpacker.unconsumed_tail


async def _capped_body(pieces: _Pieces) -> _Pieces:
    """A body that is one JSON message, or none."""
    cutter = LineCutter()
    async for chunk in pieces:
        cutter.add(chunk)
    yield cutter.take()


async def _as_event(pieces: _Pieces, screen: Screen) -> _Pieces:
    """A body that is one message, as a stream of one event."""
    async for body in _capped_body(pieces):
        event = await off_loop(partial(_event, screen), body)
        yield event or _framed(dumped(error_answer(None, UNREADABLE)))


async def _capped_events(pieces: _Pieces, screen: Screen) -> _Pieces:
    """A stream of events, each with its message on one line, as all servers write it."""
    cutter = LineCutter(prefix=_DATA)
    async for chunk in pieces:
        passed = bytearray()
        for line in cutter.feed(chunk):
            if line.startswith(_DATA):
                passed += await off_loop(partial(_event, screen), line.removeprefix(_DATA))
            else:
                passed += line + b"\n"
        yield bytes(passed)


def _event(screen: Screen, body: bytes) -> bytes:
    """An event with this message as the SDK may see it; empty where there is no message."""
    message = screen.read(body)
    return b"" if message is None else _framed(dumped(message))


def _framed(message: bytes) -> bytes:
    return _DATA + message + b"\n\n"


async def _refusal(pieces: _Pieces, status: int) -> _Pieces:
    """The body of an error status: the server's own JSON-RPC error, or one that names the status.

    A 404 without a body is a lost session to the SDK; only METHOD_NOT_FOUND is none.
    """
    async for body in _capped_body(pieces):
        code = None
        with suppress(ValidationError):
            message = jsonrpc_message_adapter.validate_json(body, by_name=False)
            code = message.error.code if isinstance(message, JSONRPCError) else None
        if status == 401:
            yield dumped(error_answer(None, UNAUTHORIZED[1], UNAUTHORIZED[0]))
        elif status == 404:
            yield body if code == METHOD_NOT_FOUND else b""
        elif code is None:
            yield dumped(error_answer(None, f"HTTP {status}"))
        else:
            yield body
