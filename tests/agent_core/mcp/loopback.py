"""Servers on loopback: an ASGI app over HTTP, and a relay in front of it that can be cut."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp

from agent_core.mcp import HttpServer


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncGenerator[int, None]:
    """The port where `app` answers while the block is open."""
    # asyncio turns Nagle's algorithm off only where the protocol is named: else 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await running
        listener.close()


@asynccontextmanager
async def served(server: MCPServer, **config: Any) -> AsyncGenerator[HttpServer]:
    """A server of the SDK over HTTP, as our hub is told of it while the block is open."""
    async with serve(server.streamable_http_app()) as port:
        yield HttpServer(name=server.name, url=f"http://127.0.0.1:{port}/mcp", **config)


class Relay:
    """Passes connections on to a port; `cut` ends them all, as the server's death would."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._pipes: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._listener: asyncio.Server | None = None
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listener is not None
        self._listener.close()
        self.thaw()
        self.cut()
        if self._pipes:
            await asyncio.wait(self._pipes)

    def cut(self) -> None:
        """End every connection at once. New ones are accepted."""
        for writer in self._writers:
            writer.transport.abort()

    def freeze(self) -> None:
        """Pass nothing on any more and tell nobody, as a line does that is broken half-way."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Pass on again, what was held back first."""
        self._flowing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, far_writer}
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            pipe = asyncio.create_task(_pass_on(source, sink, self._flowing))
            self._pipes.add(pipe)
            pipe.add_done_callback(self._pipes.discard)


async def _pass_on(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, flowing: asyncio.Event
) -> None:
    with suppress(OSError):
        while chunk := await source.read(65_536):
            await flowing.wait()
            sink.write(chunk)
            await sink.drain()
    sink.close()
