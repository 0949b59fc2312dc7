"""One configured MCP server as a toolset: started when needed, started again when it died."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mcp_types import CallToolResult

from agent_core.background import Background, Backoff
from agent_core.errors import ToolServerError
from agent_core.mcp.client import RequestFault, ServerConnection
from agent_core.mcp.config import HttpServer, HubLimits, ServerConfig
from agent_core.mcp.pins import ListedTool, Pins, usable_tools
from agent_core.mcp.results import artifacts_of, output_of
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import (
    OnProgress,
    ToolContext,
    ToolOutput,
    fault_of_arguments,
    full_name,
    opened,
    schema_for_model,
    unknown_tool,
)

logger = logging.getLogger(__name__)

MonotonicTime = Callable[[], float]
"""Seconds that only grow."""

Locate = Callable[[bool], Awaitable[ServerConfig]]
"""Where the server is to be found; True asks for a new place, as our session is not known there."""

Told = Callable[[ToolCall, ToolContext], Awaitable[JsonObject]]
"""What a server of our own is told of a call, beside the session's directory."""

_RESTARTS = Backoff(first_s=0.2, longest_s=60.0)
_MAX_DESCRIPTION_CHARS = 10_000
_UNKNOWN_OUTCOME = "The call may or may not have run: check its effect before you make it again."


class McpServer:
    """A server whose failures stay its own. Safe to share between turns.

    Where it is not to be had, a ToolServerError says why, and is remembered for a while.

    Args:
        locate: Asked before each connection, where only a service knows the address.
        pins: Turns off tools whose definitions changed; without it every definition is taken.
        told: Asked for each call, where the server is our own.
        workspace: The session's directory, where the server belongs to one session.
        waits: A server whose tools are known from earlier is started at the first call.
    """

    def __init__(
        self,
        config: ServerConfig,
        limits: HubLimits,
        clock: MonotonicTime = time.monotonic,
        *,
        locate: Locate | None = None,
        pins: Pins | None = None,
        told: Told | None = None,
        workspace: Path | None = None,
        waits: bool = False,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._config = config
        self._limits = limits
        self._clock = clock
        self._locate = locate
        self._pins = pins
        self._told = told
        self._workspace = workspace
        self._waits = waits
        self._sleep = sleep
        self._starting = asyncio.Lock()
        self._connection: ServerConnection | None = None
        self._tools: Mapping[str, ListedTool] = {}
        """By full name, in the order of the server's own names."""
        self._specs: tuple[ToolSpec, ...] = ()
        self._listed_at = 0.0
        self._starts: deque[float] = deque()
        self._failure = (-math.inf, "")
        """When the last start failed, and why; told to all who ask soon after."""
        self.refused: Mapping[str, str] = {}
        """Tools that were listed last and cannot be offered, with the reason."""
        self._is_closed = False
        self._listing: asyncio.Task[Sequence[ListedTool]] | None = None
        self._background = Background()

    async def tools(self) -> Sequence[ListedTool]:
        """The server's usable tools, sorted; starts it if need be."""
        if self._connection is None and self._waits and await self._remember():
            return list(self._tools.values())
        connection = await self._live_connection()
        is_old = isinstance(self._config, HttpServer) and (
            self._clock() - self._listed_at > self._limits.relist_after_s
        )
        if connection.tools_changed or is_old:
            await self._relist(connection)
        elif self._has_held():
            await self._judge(list(self._tools.values()))
        return list(self._tools.values())

    async def specs(self, patience_s: float | None = None) -> tuple[ToolSpec, ...]:
        """The tools to tell the model of.

        A start that takes longer than `patience_s` goes on, and whoever asks later gets its tools.
        """
        listing = self._listing
        if listing is None or listing.done():
            listing = self._listing = self._background.start(self.tools())
            # A start that fails when nobody waits any more is told to the next who asks.
            listing.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({listing}, timeout=patience_s)
        if not done:
            raise ToolServerError(f"The tool server {self._config.name} is still being started.")
        if listing.cancelled():
            raise ToolServerError(f"The tool server {self._config.name} has been shut down.")
        listing.result()
        return self._specs

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        """Run a call to one of this server's tools; every failure is a value."""
        try:
            if call.name not in self._tools:
                await self.specs()
            if call.name not in self._tools:
                return unknown_tool(call.name, [spec.name for spec in self._specs])
            schema = self._usable(call.name).input_schema
            if fault := await asyncio.to_thread(fault_of_arguments, call.arguments, schema):
                return _failed(f"Invalid arguments for {call.name}: {fault}")
            meta: JsonObject | None = None
            if self._config.trusted:  # what a model cannot write
                more = await self._told(call, context) if self._told else {}
                meta = {"session_dir": str(context.workspace), **more}
            result = await self._call(call, meta, progress)
        except RequestFault as fault:
            text = f"{str(fault).removesuffix('.')}. {_UNKNOWN_OUTCOME}"
            return _failed(text if fault.may_have_run else str(fault), fault.may_have_run)
        except ToolServerError as error:
            return _failed(str(error))
        output = await asyncio.to_thread(output_of, result, max_bytes=self._limits.max_result_bytes)
        told = (result.meta or {}) if self._config.trusted else {}
        output = replace(output, picture=str(told.get("picture", "")))
        if not told.get("artifacts"):
            return output
        artifacts = await asyncio.to_thread(artifacts_of, result, context.workspace)
        return replace(output, artifacts=artifacts)

    async def close(self) -> None:
        """End the server for good; bounded."""
        self._is_closed = True
        await self._background.close()
        if self._connection is not None:
            await self._connection.close()

    async def _call(
        self, call: ToolCall, meta: JsonObject | None, progress: OnProgress
    ) -> CallToolResult:
        """Call a tool. It is sent a second time only if it surely did not run, or only reads."""
        for may_repeat in (True, False):
            connection = await self._live_connection()
            if self._pins is not None and connection.tools_changed:
                await self._relist(connection)
            tool = self._usable(call.name)
            try:
                return await connection.call(tool.name, call.arguments, meta, progress)
            except RequestFault as fault:
                if not fault.is_lost:
                    raise
                await connection.close()
                last_words = connection.stderr() or "(empty)"
                logger.warning("%s: %s stderr: %s", self._config.name, fault, last_words)
                spec = _spec(call.name, tool, is_trusted=self._config.trusted)
                is_harmless = not fault.may_have_run or opened(call).is_repeatable(spec)
                if not may_repeat or not is_harmless:
                    raise
        raise AssertionError("unreachable")

    def _usable(self, name: str) -> ListedTool:
        """A tool as its server, which may be another by now, listed it last."""
        tool = self._tools.get(name)
        if tool is None:
            raise ToolServerError(f"There is no tool {name} any more.")
        if tool.held:
            raise ToolServerError(
                f"The tool {name} is turned off, and only an operator can turn it on. {tool.held}"
            )
        return tool

    async def _remember(self) -> bool:
        """Whether the tools are known without a start."""
        self._raise_if_not_now()
        if self._pins is not None and (not self._tools or self._has_held()):
            self._take(await self._pins.known(self._config.name, self._workspace))
        return bool(self._tools)

    async def _live_connection(self) -> ServerConnection:
        connection = self._connection
        if connection is not None and connection.is_alive and not connection.is_suspect:
            return connection
        async with self._starting:
            if self._connection is not None and self._connection.is_suspect:
                await self._probe(self._connection)
            if self._connection is None or not self._connection.is_alive:
                self._connection = await self._start()
            return self._connection

    async def _probe(self, connection: ServerConnection) -> None:
        """After a late call: a server that still lists its tools is kept."""
        connection.is_suspect = False
        if not connection.is_alive:
            return
        try:
            await connection.list_tools()
        except ToolServerError:
            logger.warning("%s hangs and is started again", self._config.name)
            await connection.close()

    async def _start(self) -> ServerConnection:
        self._raise_if_not_now()
        if self._starts:
            await self._sleep(_RESTARTS.wait_s(len(self._starts)))
        self._starts.append(self._clock())
        try:
            return await self._connect_located()
        except ToolServerError as error:
            self._failure = (self._clock(), str(error))
            logger.warning("%s", "\n".join((str(error), *getattr(error, "__notes__", ()))))
            raise

    def _raise_if_not_now(self) -> None:
        name, now = self._config.name, self._clock()
        if self._is_closed:
            raise ToolServerError(f"The tool server {name} has been shut down.")
        failed_at, reason = self._failure
        if now - failed_at < self._limits.retry_after_s:
            raise ToolServerError(reason)
        while self._starts and now - self._starts[0] >= self._limits.restart_window_s:
            self._starts.popleft()
        if len(self._starts) > self._limits.max_restarts:
            wait_s = self._starts[0] + self._limits.restart_window_s - now
            raise ToolServerError(
                f"The tool server {name} stopped too often; it is tried again in {wait_s:.0f} s."
            )

    async def _connect_located(self) -> ServerConnection:
        if self._locate is None:
            return await self._connect(self._config)
        try:
            return await self._connect(await self._locate(False))
        except RequestFault as fault:
            if not fault.is_lost:
                raise
        return await self._connect(await self._locate(True))

    async def _connect(self, config: ServerConfig) -> ServerConnection:
        connection = ServerConnection(config, self._limits)
        try:
            await connection.wait_connected()
            await self._list(connection)
        except BaseException as error:
            await connection.close()
            if last_words := connection.stderr():
                error.add_note(last_words)
            raise
        return connection

    async def _relist(self, connection: ServerConnection) -> None:
        try:
            async with self._starting:
                await self._list(connection)
        except ToolServerError as error:
            connection.abandon()
            if not isinstance(error, RequestFault):
                raise
            await self._live_connection()

    async def _list(self, connection: ServerConnection) -> None:
        listed = await connection.list_tools()
        name = self._config.name
        tools, self.refused = await asyncio.to_thread(usable_tools, name, listed)
        if self._pins is not None:
            await self._pins.refuse(name, self.refused)
        await self._judge(tools)
        self._listed_at = self._clock()

    async def _judge(self, tools: Sequence[ListedTool]) -> None:
        if self._pins is not None:
            tools = await self._pins.judge(self._config.name, tools, self._workspace)
        self._take(tools)

    def _take(self, tools: Sequence[ListedTool]) -> None:
        """Offer these from now on, by name: a start does not change what the model is told."""
        in_order = sorted(tools, key=lambda tool: tool.name)
        self._tools = {full_name(self._config.name, tool.name): tool for tool in in_order}
        self._specs = tuple(
            _spec(name, tool, is_trusted=self._config.trusted)
            for name, tool in self._tools.items()
            if not tool.held
        )

    def _has_held(self) -> bool:
        """Whether a tool is off, which a person may have accepted meanwhile."""
        return any(tool.held for tool in self._tools.values())


def _failed(text: str, may_have_happened: bool = False) -> ToolOutput:
    return ToolOutput(text=text, is_error=True, may_have_happened=may_have_happened)


def _spec(name: str, tool: ListedTool, *, is_trusted: bool) -> ToolSpec:
    """What a server says of its tools' effects counts only where it is our own."""
    return ToolSpec(
        name=name,
        description=tool.description[:_MAX_DESCRIPTION_CHARS],
        input_schema=schema_for_model(tool.input_schema),
        is_repeatable=is_trusted and (tool.is_read_only or tool.is_idempotent),
    )
