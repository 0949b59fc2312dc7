"""One configured MCP server over all its lives: started when needed, started again when it died."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mcp_types import CallToolResult, Tool

from agent_core.errors import ToolServerError
from agent_core.messages import JsonObject
from agent_core.tools import Progress
from agent_core.tools.connection import CallFailure, Connection, ServerSessionGoneError, connect
from agent_core.tools.schemas import fault_of_schema
from agent_core.tools.servers import HttpServer, HubLimits, ServerConfig

logger = logging.getLogger(__name__)

Clock = Callable[[], float]
"""Seconds that only grow."""

Renew = Callable[[], Awaitable[ServerConfig]]
"""Where the server is to be found now that it does not know our session any more."""

_MAX_ATTEMPTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server describes it, found usable."""

    name: str
    description: str
    input_schema: JsonObject
    is_read_only: bool
    is_idempotent: bool = False


class McpServer:
    """A server whose failures stay its own. Safe to share between turns."""

    def __init__(
        self,
        config: ServerConfig,
        limits: HubLimits,
        clock: Clock = time.monotonic,
        *,
        renew: Renew | None = None,
    ) -> None:
        self.config = config
        self._renew = renew
        self._limits = limits
        self._clock = clock
        self._starting = asyncio.Lock()
        self._connection: Connection | None = None
        self._tools: Mapping[str, ListedTool] = MappingProxyType({})
        self._listed_at = 0.0
        self._starts: deque[float] = deque()
        self._failure: tuple[float, ToolServerError] | None = None
        self._is_closed = False

    async def tools(self) -> Mapping[str, ListedTool]:
        """The server's usable tools by its own names; starts it if need be.

        Raises:
            ToolServerError: it does not start or list. A failure is remembered for a while.
        """
        connection = await self._live_connection()
        if connection.tools_changed or self._is_old():
            await self._relist(connection)
        return self._tools

    async def call(
        self, tool: ListedTool, arguments: JsonObject, meta: JsonObject | None, progress: Progress
    ) -> CallToolResult | CallFailure:
        """Call a tool. It is sent a second time only if it surely did not run, or only reads."""
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            try:
                connection = await self._live_connection()
            except ToolServerError as error:
                return CallFailure(trouble="down", reason=str(error))
            result = await connection.call(tool.name, arguments, meta, progress)
            if not isinstance(result, CallFailure) or result.trouble in ("late", "refused"):
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
            connection = await self._connect_renewed()
        except ToolServerError as error:
            self._failure = (self._clock(), error)
            logger.warning("%s", error)
            raise
        self._failure = None
        return connection

    def _raise_if_not_now(self) -> None:
        name, now = self.config.name, self._clock()
        if self._is_closed:
            raise ToolServerError(f"The tool server {name} has been shut down.")
        if self._failure is not None and now - self._failure[0] < self._limits.retry_after_s:
            raise type(self._failure[1])(str(self._failure[1]))
        while self._starts and now - self._starts[0] >= self._limits.restart_window_s:
            self._starts.popleft()
        if len(self._starts) > self._limits.max_restarts:
            wait_s = self._starts[0] + self._limits.restart_window_s - now
            raise ToolServerError(
                f"The tool server {name} stopped too often; it is tried again in {wait_s:.0f} s."
            )

    async def _back_off(self) -> None:
        if self._starts:
            await asyncio.sleep(self._limits.backoff_s * 2 ** (len(self._starts) - 1))

    async def _connect_renewed(self) -> Connection:
        try:
            return await self._connect()
        except ServerSessionGoneError:
            if self._renew is None:
                raise
        self.config = await self._renew()
        return await self._connect()

    async def _connect(self) -> Connection:
        connection = await connect(self.config, self._limits)
        try:
            await self._list(connection)
        except BaseException:
            await connection.close()
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
        self._tools = await asyncio.to_thread(_usable, self.config.name, listed)
        self._listed_at = self._clock()

    def _is_old(self) -> bool:
        age_s = self._clock() - self._listed_at
        return isinstance(self.config, HttpServer) and age_s > self._limits.relist_after_s

    def _report_loss(self, connection: Connection, failure: CallFailure) -> None:
        connection.abandon()
        logger.warning(
            "%s: %s stderr: %s", self.config.name, failure.reason, connection.stderr() or "(empty)"
        )


def _usable(server: str, listed: list[Tool]) -> Mapping[str, ListedTool]:
    """The tools that a model can be told of, by name; the first of two with one name."""
    tools: dict[str, ListedTool] = {}
    for tool in listed:
        fault = "its name is taken" if tool.name in tools else fault_of_schema(tool.input_schema)
        if fault:
            logger.warning("%s: tool %s is left out: %s", server, tool.name, fault)
            continue
        annotations = tool.annotations
        tools[tool.name] = ListedTool(
            name=tool.name,
            description=tool.description or tool.title or "",
            input_schema=tool.input_schema,
            is_read_only=annotations is not None and annotations.read_only_hint is True,
            is_idempotent=annotations is not None and annotations.idempotent_hint is True,
        )
    return MappingProxyType(tools)
