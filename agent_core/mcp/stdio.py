"""The stdio transport: an MCP server as a child process, with a process group of its own.

It stands in place of the SDK's transport, whose reader holds a line whole and takes quadratic time
for it, whose stderr is a file, and which lets descendants of a server survive that left on its own.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest

from agent_core.background import Background
from agent_core.mcp.config import HubLimits, StdioServer
from agent_core.mcp.wire import LineCutter, Screen, dumped, off_loop

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

    `on_end` is called once the server has hung up.

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
    sink, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, source = anyio.create_memory_object_stream[SessionMessage](_OUTGOING_MESSAGES)
    lines = LineCutter(limits.max_message_bytes)
    pumps = Background()
    reading = pumps.start(
        _read_stdout(
            child.stdout,
            lines,
            screen,
            sink,
            outgoing,
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
    answers: MemoryObjectSendStream[SessionMessage],
) -> None:
    with sink, suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        while chunk := await stdout.read(_CHUNK_BYTES):
            for line in lines.feed(chunk):
                message = await off_loop(screen.read, line)
                unread = answers.statistics().current_buffer_used
                if isinstance(message, JSONRPCRequest) and unread == _OUTGOING_MESSAGES:
                    continue  # the server reads no answers
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
