"""Opens the SDK's client on a configured server, whatever the way to it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from mcp import Client
from mcp.client import IncomingMessage
from mcp_types import ToolListChangedNotification

from agent_core.tools.http_streams import http_streams
from agent_core.tools.screen import MessageSink, MessageStream, ScreenedStream
from agent_core.tools.servers import (
    HttpServer,
    HubLimits,
    InProcessServer,
    ServerConfig,
    StdioServer,
)
from agent_core.tools.stdio import Tail, stdio_streams


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
            # Nothing is on a wire here that could be screened.
            return Client(config.server, cache=None, message_handler=notice)
        case StdioServer():
            streams = stdio_streams(config, limits, stderr=stderr)
        case HttpServer():
            streams = http_streams(config, limits)
    # The screen asks the client for the protocol version, the client is built around the screen.
    client = Client(
        _screened(
            streams,
            server=config.name,
            version=lambda: client.protocol_version,
            on_end=on_end,
            on_tools_changed=on_tools_changed,
        ),
        cache=None,
    )
    return client


@asynccontextmanager
async def _screened(
    transport: AbstractAsyncContextManager[tuple[MessageStream, MessageSink]],
    *,
    server: str,
    version: Callable[[], str],
    on_end: Callable[[], None],
    on_tools_changed: Callable[[], None],
) -> AsyncGenerator[tuple[ScreenedStream, MessageSink], None]:
    async with transport as (incoming, outgoing):
        screened = ScreenedStream(
            incoming,
            server=server,
            version=version,
            on_end=on_end,
            on_tools_changed=on_tools_changed,
        )
        yield screened, outgoing
