"""Runs an MCP server as a child process: own process group, small environment, bounded pipes.

Not the SDK's transport: its reader holds a line whole and takes quadratic time for it, its stderr
is a file, and descendants of a server that left on its own survive.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from agent_core.background import Background
from agent_core.tools.servers import HubLimits, StdioServer
from agent_core.tools.wire import LineCutter, Screen

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
        self._max_bytes = max_bytes
        self._kept = b""

    def add(self, chunk: bytes) -> None:
        """Keep `chunk`, and let go of the oldest bytes beyond the limit."""
        self._kept = (self._kept + chunk)[-self._max_bytes :]

    def text(self, max_chars: int) -> str:
        """The end of what was written, at most `max_chars` long."""
        return self._kept.decode("utf-8", "replace").strip()[-max_chars:]


class _Child(asyncio.subprocess.SubprocessStreamProtocol):
    """A process with its pipes, which tells when it has itself ended.

    `Process.wait` waits for all who have its pipes open.
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
    stderr: Tail,
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
    lines, pumps = LineCutter(limits.max_message_bytes), Background()
    reading = pumps.start(_read_stdout(child.stdout, lines, screen, sink))
    reading.add_done_callback(lambda _: on_end())
    hearing = pumps.start(_read_stderr(child.stderr, stderr))
    pumps.start(_write_stdin(child.stdin, source))
    pumps.start(_stop_after_exit(child, reading))
    try:
        yield incoming, outgoing
    finally:
        child.stdin.close()
        await _run_through(_end(transport, child, pumps, hearing, limits.grace_s))
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
                if (message := screen.read(line)) is not None:
                    await sink.send(message)


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
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            stdin.write(text.encode() + b"\n")
            await stdin.drain()


async def _read_stderr(stderr: asyncio.StreamReader, tail: Tail) -> None:
    while chunk := await stderr.read(_CHUNK_BYTES):
        tail.add(chunk)


async def _end(
    transport: asyncio.SubprocessTransport,
    child: _Child,
    pumps: Background,
    hearing: asyncio.Task[None],
    grace_s: float,
) -> None:
    """Wait a little, then end the group, also when its leader has left already."""
    if not await child.exits(grace_s):
        _signal_group(transport, signal.SIGTERM)
        await child.exits(grace_s)
    _signal_group(transport, signal.SIGKILL)
    await child.exits(grace_s)
    await asyncio.wait({hearing}, timeout=_LAST_WORDS_S)
    await pumps.close()
    transport.close()


def _signal_group(transport: asyncio.SubprocessTransport, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), number)


async def _run_through(work: Coroutine[Any, Any, None]) -> None:
    """Do it even if we are cancelled meanwhile, or the group would stay; it is bounded."""
    task = asyncio.create_task(work)
    try:
        await asyncio.shield(task)
    finally:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
