"""The SDK's HTTP transport to an MCP server, with bodies capped and screened while they arrive.

The SDK reports every refusal in the same words; here each names its status, and a 401 is told apart
from the rest.
"""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from agent_core.mcp.config import HttpServer, HubLimits
from agent_core.mcp.wire import UNREADABLE, LineCutter, Screen, dumped, error_answer, off_loop

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
    on_end: Callable[[], None],
) -> AsyncGenerator[Any]:
    """Exchange messages with the server, over streams of the SDK's `Transport`.

    The headers go to the server's own origin alone. `on_end` is called once the transport has
    given up.
    """
    timeout = httpx2.Timeout(limits.connect_timeout_s, read=config.call_timeout_s + _READ_SLACK_S)
    client = httpx2.AsyncClient(
        # Compressed bodies are dearer to cut, so none are asked for.
        headers={"accept-encoding": "identity"} | dict(config.headers),
        timeout=timeout,
        event_hooks={"response": [_capping(limits.max_message_bytes, screen)]},
    )
    sink, screened = anyio.create_memory_object_stream[SessionMessage | Exception](0)

    async def pump(incoming: Any) -> None:
        with sink, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for item in incoming:
                await sink.send(item)
        on_end()

    async with (
        client,
        # Events are cut to less than half of this limit before the SDK counts them.
        streamable_http_client(
            config.url, http_client=client, max_sse_event_size=2 * limits.max_message_bytes
        ) as (incoming, outgoing),
        anyio.create_task_group() as group,
    ):
        group.start_soon(pump, incoming)
        with screened:
            yield screened, outgoing
        group.cancel_scope.cancel()


def _capping(max_bytes: int, screen: Screen) -> Callable[[httpx2.Response], Awaitable[None]]:
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
            pieces = _refusal(pieces, max_bytes, response.status_code)
        elif kind.startswith("text/event-stream"):
            pieces = _capped_events(pieces, max_bytes, screen)
        elif kind.startswith("application/json") and response.status_code == 200:
            # As an event, a message answers its request whatever its id says.
            response.headers["content-type"] = "text/event-stream"
            pieces = _as_event(pieces, max_bytes, screen)
        else:
            pieces = _capped_body(pieces, max_bytes)
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


async def _capped_body(pieces: _Pieces, max_bytes: int) -> _Pieces:
    """A body that is one JSON message, or none."""
    cutter = LineCutter(max_bytes)
    async for chunk in pieces:
        cutter.add(chunk)
    yield cutter.take()


async def _as_event(pieces: _Pieces, max_bytes: int, screen: Screen) -> _Pieces:
    """A body that is one message, as a stream of one event."""
    async for body in _capped_body(pieces, max_bytes):
        event = await off_loop(partial(_event, screen), body)
        yield event or _framed(dumped(error_answer(None, UNREADABLE)))


async def _capped_events(pieces: _Pieces, max_bytes: int, screen: Screen) -> _Pieces:
    """A stream of events, each with a message on one line; others are left out."""
    cutter = LineCutter(max_bytes, prefix=_DATA)
    data: list[bytes] = []
    size = 0
    async for chunk in pieces:
        passed = bytearray()
        for line in cutter.feed(chunk):
            if line.startswith(_DATA):
                size += len(line)
                if size <= 2 * max_bytes:
                    data.append(line.removeprefix(_DATA))
            elif line.strip():
                passed += line + b"\n"
            else:
                event = await off_loop(partial(_event, screen), b" ".join(data))
                passed += event or b"\n"
                data = []
                size = 0
        yield bytes(passed)


def _event(screen: Screen, body: bytes) -> bytes:
    """An event with this message as the SDK may see it; empty where there is no message."""
    message = screen.read(body)
    return b"" if message is None else _framed(dumped(message))


def _framed(message: bytes) -> bytes:
    return _DATA + message + b"\n\n"


async def _refusal(pieces: _Pieces, max_bytes: int, status: int) -> _Pieces:
    """The body of an error status: the server's own JSON-RPC error, or one that names the status.

    A 404 without a body is a lost session to the SDK; only METHOD_NOT_FOUND is none.
    """
    async for body in _capped_body(pieces, max_bytes):
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
