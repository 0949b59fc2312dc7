"""Opens the SDK's client on a configured server, whatever the way to it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx2
from mcp import Client
from mcp.client import IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ToolListChangedNotification

from agent_core.tools.screen import MessageSink, MessageStream, ScreenedStream
from agent_core.tools.servers import (
    HttpServer,
    HubLimits,
    InProcessServer,
    ServerConfig,
    StdioServer,
)
from agent_core.tools.stdio import Tail, stdio_streams

_HTTP_READ_SLACK_S = 5.0


def open_client(
    config: ServerConfig,
    limits: HubLimits,
    *,
    stderr: Tail,
    on_end: Callable[[], None],
    on_tools_changed: Callable[[], None],
) -> AbstractAsyncContextManager[Client]:
    """A connected client; must be entered and left by one task.

    `on_end` is called when the server hangs up, `on_tools_changed` when it announces another list.
    """

    async def notice(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            on_tools_changed()

    match config:
        case InProcessServer():
            return Client(config.server, cache=None, message_handler=notice)
        case StdioServer():
            streams = stdio_streams(config, max_line_bytes=limits.max_message_bytes, stderr=stderr)
        case HttpServer():
            streams = _http_streams(config, limits)
    # The screen asks the client for the protocol version, the client is built around the screen.
    client = Client(
        _screened(streams, config.name, lambda: client.protocol_version, on_end),
        cache=None,
        message_handler=notice,
    )
    return client


@asynccontextmanager
async def _http_streams(
    config: HttpServer, limits: HubLimits
) -> AsyncGenerator[tuple[MessageStream, MessageSink], None]:
    timeout = httpx2.Timeout(
        limits.connect_timeout_s, read=config.call_timeout_s + _HTTP_READ_SLACK_S
    )
    async with (
        httpx2.AsyncClient(headers=dict(config.headers), timeout=timeout) as http,
        streamable_http_client(
            config.url, http_client=http, max_sse_event_size=limits.max_message_bytes
        ) as streams,
    ):
        yield streams


@asynccontextmanager
async def _screened(
    transport: AbstractAsyncContextManager[tuple[MessageStream, MessageSink]],
    server: str,
    version: Callable[[], str],
    on_end: Callable[[], None],
) -> AsyncGenerator[tuple[ScreenedStream, MessageSink], None]:
    async with transport as (incoming, outgoing):
        yield (
            ScreenedStream(incoming, server=server, version=version, on_end=on_end),
            outgoing,
        )
