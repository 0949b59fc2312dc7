"""The way to an MCP server over HTTP, with bodies cut while they arrive."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client

from agent_core.tools.screen import MessageSink, MessageStream
from agent_core.tools.servers import HttpServer, HubLimits
from agent_core.tools.wire import Line, LineBuffer, salvage

_READ_SLACK_S = 5.0
_DATA = b"data:"


@asynccontextmanager
async def http_streams(
    config: HttpServer, limits: HubLimits
) -> AsyncGenerator[tuple[MessageStream, MessageSink], None]:
    """Exchange messages with the server; its headers go to its own origin alone."""
    timeout = httpx2.Timeout(limits.connect_timeout_s, read=config.call_timeout_s + _READ_SLACK_S)
    # Compressed bodies could not be cut by their size, so none are asked for.
    headers = {"accept-encoding": "identity"} | dict(config.headers)
    client = httpx2.AsyncClient(
        headers=headers,
        timeout=timeout,
        event_hooks={"response": [_cutting(limits.max_message_bytes)]},
    )
    async with (
        client,
        # Events are cut to less than half of this limit before the SDK counts them.
        streamable_http_client(
            config.url, http_client=client, max_sse_event_size=2 * limits.max_message_bytes
        ) as streams,
    ):
        yield streams


def _cutting(max_bytes: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    async def cut(response: httpx2.Response) -> None:
        stream = response.stream
        if "content-encoding" in response.headers or not isinstance(stream, httpx2.AsyncByteStream):
            return
        kind = response.headers.get("content-type", "").lower()
        if kind.startswith("text/event-stream"):
            response.stream = _CutEvents(stream, max_bytes)
        elif kind.startswith("application/json"):
            response.stream = _CutBody(stream, max_bytes)

    return cut


class _CutBody(httpx2.AsyncByteStream):
    """A body that is one JSON message."""

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
