"""One MCP server: started at first need, listed, called, and started again when it died.

Read `client.py` for one life of its connection, `pins.py` for the tools that are turned off.
"""

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from mcp_types import CallToolResult

from agent_core.background import Background
from agent_core.errors import ToolServerError
from agent_core.json_values import texts_in
from agent_core.mcp.client import RequestFault, ServerConnection, artifacts_of, output_of
from agent_core.mcp.config import HttpServer, HubLimits, ServerConfig
from agent_core.mcp.pins import ListedTool, Pins, usable_tools
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
from agent_core.workspaces.layout import check_room, space_taken

logger = logging.getLogger(__name__)

MonotonicTime = Callable[[], float]
"""Seconds that only grow."""

Locate = Callable[[bool], Awaitable[ServerConfig]]
"""The server's address; True asks for a new one, as the server does not know our session."""

CallMeta = Callable[[ToolCall, ToolContext], Awaitable[JsonObject]]
"""What a server of our own gets with a call, beside its arguments and the session's directory."""

_RELIST_AFTER_S = 300.0
"""Age at which a tool list is fetched again over HTTP, whatever the server announces."""
_RESTART_WINDOW_S = 60.0
"""Within it a server is started no more than `max_restarts` times again."""
_MAX_DESCRIPTION_CHARS = 10_000
_MAX_PATH_CHARS = 1_000
"""A longer text names no file."""
_UNKNOWN_OUTCOME = "The call may or may not have run: check its effect before you make it again."


@dataclass(eq=False)
class McpServer:
    """A tool server whose failures stay its own. Safe to share between turns.

    A ToolServerError says why the server is not available, and is remembered for a while.
    """

    config: ServerConfig
    limits: HubLimits
    clock: MonotonicTime = time.monotonic
    _: KW_ONLY
    locate: Locate | None = None
    """Asked before each connection, where only a service knows the address."""
    pins: Pins | None = None
    """Turns off tools whose definitions changed; without it every definition is taken."""
    call_meta: CallMeta | None = None
    """Asked for each call, where the server is our own."""
    workspace: Path | None = None
    """The session's directory, where the server belongs to one session."""
    waits: bool = False
    """A server whose tools are known from earlier is started at the first call."""

    def __post_init__(self) -> None:
        self.refused: Mapping[str, str] = {}
        """Tools of the last listing that cannot be offered, with the reason."""
        self._tools: Mapping[str, ListedTool] = {}
        """By full name, in the order of the server's own names."""
        self._specs: Mapping[str, ToolSpec] = {}
        """Of the tools that are not turned off, likewise."""
        self._listed_at = 0.0
        self._listing: asyncio.Task[Sequence[ListedTool]] | None = None
        self._connection: ServerConnection | None = None
        self._starting = asyncio.Lock()
        self._starts: deque[float] = deque(maxlen=self.limits.max_restarts + 1)
        """When the last ones were tried."""
        self._failure = ""
        """Why the last start failed, the answer to all who ask soon after; empty if it did not."""
        self._failed_at = 0.0
        self._is_closed = False
        self._background = Background()

    async def tools(self) -> Sequence[ListedTool]:
        """The server's usable tools, sorted; starts the server if need be."""
        if self._connection is None and self.waits and await self._remember():
            return list(self._tools.values())
        connection = await self._live_connection()
        age_s = self.clock() - self._listed_at
        is_old = isinstance(self.config, HttpServer) and age_s > _RELIST_AFTER_S
        if connection.tools_changed or is_old:
            await self._relist(connection)
        elif self._has_tools_off():
            await self._judge(list(self._tools.values()))
        return list(self._tools.values())

    async def specs(self, patience_s: float | None = None) -> tuple[ToolSpec, ...]:
        """The tools for the model.

        A start that takes longer than `patience_s` goes on, and whoever asks later gets its tools.
        """
        listing = self._listing
        if listing is None or listing.done():
            listing = self._background.start(self.tools())
            # A start that fails when nobody waits any more is reported to the next who asks.
            listing.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._listing = listing
        done, _ = await asyncio.wait({listing}, timeout=patience_s)
        if not done:
            raise ToolServerError(f"The tool server {self.config.name} is still being started.")
        if listing.cancelled():
            raise ToolServerError(f"The tool server {self.config.name} has been shut down.")
        listing.result()
        return tuple(self._specs.values())

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        """Run a call to one of this server's tools; every failure is a value."""
        try:
            if call.name not in self._tools:
                await self.specs()
            if call.name not in self._tools:
                return unknown_tool(call.name, list(self._specs))
            result = await self._checked_call(call, context, progress)
        except ToolServerError as error:
            return _failure(error)
        output = output_of(result)
        meta = result.meta
        if not self.config.trusted or not meta:
            return output
        artifacts = await asyncio.to_thread(
            artifacts_of, meta.get("artifacts", ()), context.workspace
        )
        return replace(output, picture=str(meta.get("picture", "")), artifacts=artifacts)

    async def close(self) -> None:
        """End the server for good; bounded."""
        self._is_closed = True
        await self._background.close()
        if self._connection is not None:
            await self._connection.close()

    async def _checked_call(
        self,
        call: ToolCall,
        context: ToolContext,
        progress: OnProgress,
    ) -> CallToolResult:
        """Call a tool, and again after a lost connection if it did not run or only reads."""
        schema = self._usable(call.name).input_schema
        if fault := fault_of_arguments(call.arguments, schema):
            raise ToolServerError(f"Invalid arguments for {call.name}: {fault}")
        if self.workspace is not None:
            await asyncio.to_thread(_check_files, call.arguments, self.workspace)
        meta = await self._meta(call, context)
        try:
            return await self._call(call, meta, progress)
        except RequestFault as fault:
            spec = self._specs.get(call.name)
            only_reads = spec is not None and opened(call).is_repeatable(spec)
            if not fault.is_lost or (fault.may_have_run and not only_reads):
                raise
        return await self._call(call, meta, progress)

    async def _meta(self, call: ToolCall, context: ToolContext) -> JsonObject | None:
        """What a server of our own gets with a call, and no model can write."""
        if not self.config.trusted:
            return None
        meta: JsonObject = {"session_dir": str(context.workspace)}
        if self.call_meta is not None:
            meta |= await self.call_meta(call, context)
        return meta

    async def _call(
        self,
        call: ToolCall,
        meta: JsonObject | None,
        progress: OnProgress,
    ) -> CallToolResult:
        connection = await self._live_connection()
        if self.pins is not None and connection.tools_changed:
            await self._relist(connection)
        tool = self._usable(call.name)
        try:
            return await connection.call(
                tool.name,
                call.arguments,
                meta,
                progress,
            )
        except RequestFault as fault:
            if fault.is_lost:
                await connection.close()
                last_words = connection.stderr() or "(empty)"
                logger.warning("%s: %s stderr: %s", self.config.name, fault, last_words)
            raise

    def _usable(self, name: str) -> ListedTool:
        """A tool as its server, which may be another by now, listed it last."""
        tool = self._tools.get(name)
        if tool is None:
            raise ToolServerError(f"There is no tool {name} any more.")
        if tool.off:
            raise ToolServerError(
                f"The tool {name} is turned off, and only an operator can turn it on. {tool.off}"
            )
        return tool

    async def _remember(self) -> bool:
        """Whether the tools are known without a start."""
        self._raise_if_not_now()
        if self.pins is not None and (not self._tools or self._has_tools_off()):
            self._offer(await self.pins.known(self.config.name, self.workspace))
        return bool(self._tools)

    async def _live_connection(self) -> ServerConnection:
        """The connection, made anew where it ended, or where a late call showed that it hangs."""
        connection = self._connection
        if connection is not None and connection.is_alive and not connection.is_suspect:
            return connection
        async with self._starting:
            connection = self._connection
            if connection is not None and connection.is_suspect:
                connection.is_suspect = False
                try:
                    await connection.list_tools()
                except ToolServerError:
                    logger.warning("%s hangs and is started again", self.config.name)
                    await connection.close()
            if connection is None or not connection.is_alive:
                connection = await self._start()
                self._connection = connection
            return connection

    async def _start(self) -> ServerConnection:
        self._raise_if_not_now()
        self._starts.append(self.clock())
        self._failure = ""
        try:
            return await self._connect_located()
        except ToolServerError as error:
            self._failure = str(error)
            self._failed_at = self.clock()
            notes = getattr(error, "__notes__", ())
            logger.warning("%s", "\n".join([self._failure, *notes]))
            raise

    def _raise_if_not_now(self) -> None:
        name = self.config.name
        if self._is_closed:
            raise ToolServerError(f"The tool server {name} has been shut down.")
        now = self.clock()
        if self._failure and now - self._failed_at < self.limits.retry_after_s:
            raise ToolServerError(self._failure)
        if len(self._starts) == self._starts.maxlen:
            wait_s = self._starts[0] + _RESTART_WINDOW_S - now
            if wait_s > 0:
                later = f"it is tried again in {wait_s:.0f} s."
                raise ToolServerError(f"The tool server {name} stopped too often; {later}")

    async def _connect_located(self) -> ServerConnection:
        if self.locate is None:
            return await self._connect(self.config)
        try:
            return await self._connect(await self.locate(False))
        except RequestFault as fault:
            if not fault.is_lost:
                raise
        return await self._connect(await self.locate(True))

    async def _connect(self, config: ServerConfig) -> ServerConnection:
        connection = ServerConnection(config, self.limits)
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
        except ToolServerError:
            await connection.close()
            await self._live_connection()

    async def _list(self, connection: ServerConnection) -> None:
        name = self.config.name
        listed = await connection.list_tools()
        tools, self.refused = await asyncio.to_thread(usable_tools, name, listed)
        if self.pins is not None:
            await self.pins.refuse(name, self.refused)
        await self._judge(tools)
        self._listed_at = self.clock()

    async def _judge(self, tools: Sequence[ListedTool]) -> None:
        if self.pins is not None:
            tools = await self.pins.judge(self.config.name, tools, self.workspace)
        self._offer(tools)

    def _offer(self, tools: Sequence[ListedTool]) -> None:
        """Offer these from now on, by name: a start does not change what the model sees."""
        in_order = sorted(tools, key=lambda tool: tool.name)
        self._tools = {full_name(self.config.name, tool.name): tool for tool in in_order}
        self._specs = {
            name: self._spec(name, tool) for name, tool in self._tools.items() if not tool.off
        }

    def _spec(self, name: str, tool: ListedTool) -> ToolSpec:
        """A server's word on the effects of its tools counts only where the server is our own."""
        hints = tool.annotations
        is_harmless = True in (hints.get("readOnlyHint"), hints.get("idempotentHint"))
        return ToolSpec(
            name=name,
            server=self.config.name,
            slug=tool.name,
            description=tool.description[:_MAX_DESCRIPTION_CHARS],
            input_schema=schema_for_model(tool.input_schema),
            is_repeatable=self.config.trusted and is_harmless,
        )

    def _has_tools_off(self) -> bool:
        """Whether a tool is off, which a person may have accepted meanwhile."""
        return any(tool.off for tool in self._tools.values())


def _check_files(arguments: JsonObject, workspace: Path) -> None:
    """Raises ToolServerError where a call leads out of its session's files, or these are full.

    A server that works in a session's directory runs as the bot does: it could read and write the
    files of other sessions, and its works have the session's bound like all others.
    """
    home = os.path.realpath(workspace)
    for text in texts_in(arguments):
        if len(text) > _MAX_PATH_CHARS:
            continue
        path = os.path.realpath(Path(home, text.removeprefix("file:").replace("\0", " ")))
        if text.startswith("~") or not f"{path}/".startswith(f"{home}/"):
            raise ToolServerError(f"{text[:200]!r} is no file of this session: name one below it.")
    try:
        check_room(space_taken(workspace))
    except OSError as error:
        raise ToolServerError(f"{error}. Say so; a new thread has room.") from error


def _failure(error: ToolServerError) -> ToolOutput:
    text = str(error)
    if not isinstance(error, RequestFault) or not error.may_have_run:
        return ToolOutput(text=text, is_error=True)
    text = f"{text.removesuffix('.')}. {_UNKNOWN_OUTCOME}"
    return ToolOutput(text=text, is_error=True, may_have_happened=True)
