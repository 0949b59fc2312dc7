"""One configured MCP server over all its lives: started when needed, started again when it died."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from mcp_types import CallToolResult

from agent_core.background import Backoff
from agent_core.errors import ToolServerError
from agent_core.messages import JsonObject
from agent_core.tools import Progress
from agent_core.tools.connection import CallFailure, Connection, ServerSessionGoneError
from agent_core.tools.pins import ListedTool, Pins, told_off, usable_tools
from agent_core.tools.servers import HttpServer, HubLimits, ServerConfig

logger = logging.getLogger(__name__)

Clock = Callable[[], float]
"""Seconds that only grow."""

Locate = Callable[[bool], Awaitable[ServerConfig]]
"""Where the server is to be found; True asks for a new place, as our session is not known there."""

_MAX_ATTEMPTS = 2
MAX_BACKOFF_S = 60.0
_ANSWERED = ("late", "unclear", "refused")
"""Troubles after which the connection is kept, and the call is not made again."""


class McpServer:
    """A server whose failures stay its own. Safe to share between turns.

    Args:
        locate: Asked before the first connection, where only a service knows the address.
        pins: Turns off tools whose definitions changed; without it every definition is taken.
        workspace: The session's directory, where the server belongs to one session.
        waits: A server whose tools are known from earlier is started at the first call.
    """

    def __init__(
        self,
        config: ServerConfig,
        limits: HubLimits,
        clock: Clock = time.monotonic,
        *,
        locate: Locate | None = None,
        pins: Pins | None = None,
        workspace: Path | None = None,
        waits: bool = False,
    ) -> None:
        self.config = config
        self._pins = pins
        self._workspace = workspace
        self._waits = waits
        self._locate = locate
        self._is_located = locate is None
        self._limits = limits
        self._clock = clock
        self._starting = asyncio.Lock()
        self._connection: Connection | None = None
        self._tools: Mapping[str, ListedTool] = MappingProxyType({})
        self._listed_at = 0.0
        self._judged_at = 0.0
        self._starts: deque[float] = deque()
        self._failure: tuple[float, ToolServerError] | None = None
        self._is_closed = False

    async def tools(self) -> Mapping[str, ListedTool]:
        """The server's usable tools by its own names; starts it if need be.

        Raises:
            ToolServerError: it does not start or list. A failure is remembered for a while.
        """
        if self._connection is None and self._waits and await self._remember():
            return self._tools
        connection = await self._live_connection()
        if connection.tools_changed or self._is_old():
            await self._relist(connection)
        elif self._is_held_long():
            await self._judge(self._tools)
        return self._tools

    async def call(
        self, tool: ListedTool, arguments: JsonObject, meta: JsonObject | None, progress: Progress
    ) -> CallToolResult | CallFailure:
        """Call a tool. It is sent a second time only if it surely did not run, or only reads."""
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            try:
                connection = await self._live_connection()
                if self._pins is not None and connection.tools_changed:
                    await self._relist(connection)
            except ToolServerError as error:
                return CallFailure(trouble="down", reason=str(error))
            if reason := self._why_not(tool):
                return CallFailure(trouble="down", reason=reason)
            result = await connection.call(tool.name, arguments, meta, progress)
            if not isinstance(result, CallFailure) or result.trouble in _ANSWERED:
                return result
            self._report_loss(connection, result)
            may_repeat = tool.is_read_only or result.trouble == "gone"
            if not may_repeat or attempt == _MAX_ATTEMPTS:
                return result
        raise AssertionError("unreachable")

    async def close(self) -> None:
        """End the server for good; bounded."""
        self._is_closed = True
        if self._connection is not None:
            await self._connection.close()

    async def _remember(self) -> bool:
        """Whether the tools are known without a start; they are looked up once in a while."""
        if self._failure is not None:
            self._raise_if_not_now()
        if self._pins is not None and (not self._tools or self._is_held_long()):
            known = await self._pins.known(self.config.name, self._workspace)
            self._tools = _in_one_order(known)
            self._judged_at = self._clock()
        return bool(self._tools)

    def _why_not(self, tool: ListedTool) -> str:
        """Why a tool that was offered may not be called any more: its server may be another now."""
        now = self._tools.get(tool.name)
        if now is None:
            return f"The tool server {self.config.name} has no tool {tool.name} any more."
        return now.held and told_off(tool.name, now.held)

    async def _live_connection(self) -> Connection:
        connection = self._connection
        if connection is not None and connection.is_alive and not connection.is_suspect:
            return connection
        async with self._starting:
            if self._connection is not None and self._connection.is_suspect:
                await self._probe(self._connection)
            if self._connection is None or not self._connection.is_alive:
                self._connection = await self._start()
            return self._connection

    async def _probe(self, connection: Connection) -> None:
        """After a late call: a server that still lists its tools is kept."""
        connection.is_suspect = False
        if not connection.is_alive:
            return
        try:
            await connection.list_tools()
        except ToolServerError:
            logger.warning("%s hangs and is started again", self.config.name)
            await connection.close()

    async def _start(self) -> Connection:
        self._raise_if_not_now()
        await self._back_off()
        self._starts.append(self._clock())
        try:
            connection = await self._connect_located()
        except ToolServerError as error:
            self._failure = (self._clock(), error)
            logger.warning("%s", "\n".join((str(error), *getattr(error, "__notes__", ()))))
            raise
        self._failure = None
        return connection

    def _raise_if_not_now(self) -> None:
        name, now = self.config.name, self._clock()
        if self._is_closed:
            raise ToolServerError(f"The tool server {name} has been shut down.")
        if self._failure is not None and now - self._failure[0] < self._limits.retry_after_s:
            raise ToolServerError(str(self._failure[1]))
        while self._starts and now - self._starts[0] >= self._limits.restart_window_s:
            self._starts.popleft()
        if len(self._starts) > self._limits.max_restarts:
            wait_s = self._starts[0] + self._limits.restart_window_s - now
            raise ToolServerError(
                f"The tool server {name} stopped too often; it is tried again in {wait_s:.0f} s."
            )

    async def _back_off(self) -> None:
        if self._starts:
            backoff = Backoff(first_s=self._limits.backoff_s, longest_s=MAX_BACKOFF_S)
            await asyncio.sleep(backoff.wait_s(len(self._starts)))

    async def _connect_located(self) -> Connection:
        if self._locate is not None and not self._is_located:
            self.config, self._is_located = await self._locate(False), True
        try:
            return await self._connect()
        except ServerSessionGoneError:
            if self._locate is None:
                raise
        self.config = await self._locate(True)
        return await self._connect()

    async def _connect(self) -> Connection:
        connection = Connection(self.config, self._limits)
        try:
            await connection.wait_connected()
            await self._list(connection)
        except BaseException as error:
            await connection.close()
            if last_words := connection.stderr():
                error.add_note(last_words)
            raise
        return connection

    async def _relist(self, connection: Connection) -> None:
        try:
            async with self._starting:
                await self._list(connection)
        except ServerSessionGoneError:
            connection.abandon()
            await self._live_connection()
        except ToolServerError:
            connection.abandon()
            raise

    async def _list(self, connection: Connection) -> None:
        listed = await connection.list_tools()
        await self._judge(await asyncio.to_thread(usable_tools, self.config.name, listed))
        self._listed_at = self._clock()

    async def _judge(self, tools: Mapping[str, ListedTool]) -> None:
        self._judged_at = self._clock()
        if self._pins is not None:
            tools = await self._pins.judge(self.config.name, tools, self._workspace)
        self._tools = _in_one_order(tools) if self._waits else tools

    def _is_held_long(self) -> bool:
        """Whether a tool is off, and a person may have accepted it meanwhile."""
        age_s = self._clock() - self._judged_at
        is_held = any(tool.held for tool in self._tools.values())
        return is_held and age_s > self._limits.pins_again_after_s

    def _is_old(self) -> bool:
        age_s = self._clock() - self._listed_at
        return isinstance(self.config, HttpServer) and age_s > self._limits.relist_after_s

    def _report_loss(self, connection: Connection, failure: CallFailure) -> None:
        connection.abandon()
        logger.warning(
            "%s: %s stderr: %s", self.config.name, failure.reason, connection.stderr() or "(empty)"
        )


def _in_one_order(tools: Mapping[str, ListedTool]) -> Mapping[str, ListedTool]:
    """By name, so that the start of a server does not change what the model is told."""
    return MappingProxyType({name: tools[name] for name in sorted(tools)})
