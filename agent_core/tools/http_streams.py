"""The way to an MCP server over HTTP, with bodies cut while they arrive.

The SDK tells every refusal in the same words; here each says its status, and a 401 is told apart.
"""

import json
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp_types import INTERNAL_ERROR, METHOD_NOT_FOUND, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from agent_core.tools.screen import MessageSink, MessageStream
from agent_core.tools.servers import HttpServer, HubLimits
from agent_core.tools.wire import Line, LineBuffer, salvage

UNAUTHORIZED = (-32_041, "HTTP 401: our credentials are not taken")
"""The code and the words of a 401, which says that the request did not run."""

_READ_SLACK_S = 5.0
_DATA = b"data:"
_EITHER_ENVELOPE = 32 + zlib.MAX_WBITS
"""zlib recognises gzip and deflate by itself."""
_PIECE_BYTES = 65_536


@asynccontextmanager
async def http_streams(
    config: HttpServer, limits: HubLimits
) -> AsyncGenerator[tuple[MessageStream, MessageSink], None]:
    """Exchange messages with the server; its headers go to its own origin alone."""
    timeout = httpx2.Timeout(limits.connect_timeout_s, read=config.call_timeout_s + _READ_SLACK_S)
    # Compressed bodies are dearer to cut, so none are asked for.
    headers = {"accept-encoding": "identity"} | dict(config.headers)
    client = httpx2.AsyncClient(
        headers=headers,
        timeout=timeout,
        event_hooks={"response": [_screening(limits.max_message_bytes)]},
    )
    async with (
        client,
        # Events are cut to less than half of this limit before the SDK counts them.
        streamable_http_client(
            config.url, http_client=client, max_sse_event_size=2 * limits.max_message_bytes
        ) as streams,
    ):
        yield streams


def _screening(max_bytes: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def screen(response: httpx2.Response) -> None:
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            return
        if response.headers.pop("content-encoding", "identity") in ("gzip", "deflate"):
            stream = _Inflated(stream)
        kind = response.headers.get("content-type", "").lower()
        if response.status_code >= 400:
            response.headers["content-type"] = "application/json"
            response.stream = _Refusal(stream, max_bytes, response.status_code)
        elif kind.startswith("text/event-stream"):
            response.stream = _CutEvents(stream, max_bytes)
        else:
            response.stream = _CutBody(stream, max_bytes)

    return screen


class _Inflated(httpx2.AsyncByteStream):
    """A body unpacked in small pieces, so that its size can be watched as it grows."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacker = zlib.decompressobj(_EITHER_ENVELOPE)
        async for chunk in self._stream:
            try:
                while chunk:
                    yield unpacker.decompress(chunk, _PIECE_BYTES)
                    chunk = unpacker.unconsumed_tail
            except zlib.error:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


class _CutBody(httpx2.AsyncByteStream):
    """A body that is one JSON message, or none."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._stream = stream
        self._buffer = LineBuffer(max_bytes)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._buffer.add(chunk)
        line = self._buffer.take()
        yield _message(line) if line.is_cut else line.data

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Refusal(httpx2.AsyncByteStream):
    """The body of an error status: the server's own JSON-RPC error, or one that says the status."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int, status: int) -> None:
        self._body = _CutBody(stream, max_bytes)
        self._status = status

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = b"".join([piece async for piece in self._body])
        yield body if _is_telling(body, self._status) else _status_error(self._status)

    async def aclose(self) -> None:
        await self._body.aclose()


class _CutEvents(httpx2.AsyncByteStream):
    """A stream of events, each with its JSON message on one line."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._stream = stream
        self._buffer = LineBuffer(max_bytes)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            for line in self._buffer.feed(chunk):
                yield _event_line(line) + b"\n"
        yield self._buffer.take().data

    async def aclose(self) -> None:
        await self._stream.aclose()


def _event_line(line: Line) -> bytes:
    if not line.is_cut:
        return line.data
    if not line.data.startswith(_DATA):
        return b""
    return _DATA + b" " + _message(line.without_prefix(_DATA))


def _message(line: Line) -> bytes:
    """What can be saved of a message that was too long."""
    found = salvage(line)
    if found is None:
        return b""
    return found.message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _is_telling(body: bytes, status: int) -> bool:
    """Whether a body says more than its status. A 404 is a lost session but for one error."""
    try:
        message = jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError:
        return False
    if not isinstance(message, JSONRPCError) or status == 401:
        return False
    return status != 404 or message.error.code == METHOD_NOT_FOUND


def _status_error(status: int) -> bytes:
    """What the SDK is to take for the body; it has its own words for a 404 without one."""
    if status == 404:
        return b""
    code, words = UNAUTHORIZED if status == 401 else (INTERNAL_ERROR, f"HTTP {status}")
    error = {"code": code, "message": words}
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
