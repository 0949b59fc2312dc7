"""One life of an MCP server: connected, listed, called, ended. A task of its own holds it open.

The SDK's client must be left by the task that entered it, and over HTTP one failed request cancels
that task; so nobody else's ever enters it. Calls run in the caller's task, with its trace context.
"""

import asyncio
import logging
import re
import time
from contextlib import AbstractAsyncContextManager
from contextvars import Context
from dataclasses import dataclass
from typing import Literal, cast

from mcp import Client
from mcp.client import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    CallToolResult,
    RequestParamsMeta,
    Tool,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from agent_core.errors import ToolServerError
from agent_core.messages import JsonObject
from agent_core.tools import Progress
from agent_core.tools.http import UNAUTHORIZED, http_streams
from agent_core.tools.servers import (
    HttpServer,
    HubLimits,
    InProcessServer,
    ServerConfig,
    StdioServer,
)
from agent_core.tools.stdio import Tail, stdio_streams
from agent_core.tools.wire import Screen

logger = logging.getLogger(__name__)

Trouble = Literal["lost", "late", "unclear", "gone", "refused", "down"]
"""How a call failed.

lost: the server ended during the call · late: over its time limit · unclear: something stood
between us and the result, such as a gateway's HTTP 502 · refused: a protocol error came back ·
gone: an HTTP server does not know our session or our credentials, nothing ran · down: not running,
nothing ran.
"""

_MAX_PAGES = 100
_SHOWN_STDERR_CHARS = 2_000
_MAX_REASON_CHARS = 500
_MAX_REPORT_CHARS = 500
_FREE_REPORTS = 20
"""Of one call's progress; further ones are told only every `_REPORT_EVERY_S`."""
_REPORT_EVERY_S = 1.0

# The SDK's own errors are told from those that a server sends by their words: both come with the
# same codes, and -32000 is free for servers, which use it for faults of their own.
_CLOSED = ("Connection closed", "SSE stream ")
_UNCLEAR = re.compile(r"HTTP 5\d\d|Unexpected content type: .*", re.DOTALL)
"""An HTTP server, or what stands before it, failed on the way back: the call may have run."""
_GONE = {
    (INVALID_REQUEST, "Session terminated"),
    (METHOD_NOT_FOUND, "Not Found"),
    UNAUTHORIZED,
}
"""An HTTP server answered 404 (the SDK spells that in two ways) or 401: nothing ran."""


class ServerSessionGoneError(ToolServerError):
    """An HTTP server does not know our session or its address any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFailure:
    """A call without a result; `reason` is a plain sentence for the model."""

    trouble: Trouble
    reason: str


class Connection:
    """A server that is being started; use it once `wait_connected` has returned."""

    def __init__(self, config: ServerConfig, limits: HubLimits) -> None:
        self._config = config
        self._limits = limits
        self._stderr = Tail()
        self._ending = asyncio.Event()
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        # An empty context: the server outlives the turn that needed it first, its trace must not.
        self._owner = asyncio.create_task(self._own(), name=config.name, context=Context())
        self._owner.add_done_callback(self._note_end)
        self.tools_changed = False
        """The server announced another list of tools since the last `list_tools`."""
        self.is_suspect = False
        """A call was late, so the server may hang as a whole."""

    @property
    def is_alive(self) -> bool:
        return not self._ending.is_set() and not self._owner.done()

    async def wait_connected(self) -> None:
        """Return once connected.

        Raises:
            ToolServerError: not started, or not in time; nothing of the server is left.
        """
        waiting: set[asyncio.Future[Client] | asyncio.Task[None]] = {self._client, self._owner}
        try:
            await asyncio.wait(
                waiting,
                timeout=self._limits.connect_timeout_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            if not self._client.done():
                await self._kill()
        if not self._client.done() or self._client.cancelled():
            raise self._why_not_connected()

    async def list_tools(self) -> list[Tool]:
        """Every page of the server's tools.

        Raises:
            ToolServerError: no list, or not in time.
        """
        self.tools_changed = False
        try:
            async with asyncio.timeout(self._limits.list_timeout_s):
                return await self._list_pages()
        except TimeoutError:
            limit_s = self._limits.list_timeout_s
            reason = f"The tool server {self._config.name} did not list its tools in {limit_s:g} s."
            raise ToolServerError(reason) from None
        except (MCPError, ValidationError, RuntimeError) as error:
            if isinstance(error, MCPError) and self._says_gone(error):
                raise ServerSessionGoneError(self._gone(error)) from error
            raise ToolServerError(
                f"The tool server {self._config.name} did not list its tools: {_brief(error)}"
            ) from error

    async def call(
        self, tool: str, arguments: JsonObject, meta: JsonObject | None, progress: Progress
    ) -> CallToolResult | CallFailure:
        """Call a tool in the caller's own task; cancelling that cancels the request."""
        report = _Report(progress)
        try:
            # Not the SDK's own limit, which starts after the write: that can be stuck.
            async with asyncio.timeout(self._config.call_timeout_s):
                return await self._client.result().call_tool(
                    tool,
                    arguments,
                    progress_callback=report.announce,
                    meta=cast("RequestParamsMeta | None", meta),
                )
        except TimeoutError:
            return self._late()
        except MCPError as error:
            return self._failure(error)
        except (ValidationError, RuntimeError) as error:
            logger.warning("%s: unusable answer to %s: %s", self._config.name, tool, error)
            if not self.is_alive:
                return CallFailure(trouble="lost", reason=_brief(error))
            return CallFailure(trouble="unclear", reason="The tool's answer was not valid MCP.")
        finally:
            report.is_open = False

    def abandon(self) -> None:
        """Let the server end in its own time."""
        self._ending.set()

    async def close(self) -> None:
        """End the server and wait for it, within `close_timeout_s`."""
        self._ending.set()
        done, _ = await asyncio.wait({self._owner}, timeout=self._limits.close_timeout_s)
        if not done:
            await self._kill()

    def stderr(self) -> str:
        """The end of what a stdio server wrote to stderr."""
        return self._stderr.text(_SHOWN_STDERR_CHARS)

    async def _own(self) -> None:
        async with self._opening() as client, asyncio.TaskGroup() as group:
            self._client.set_result(client)
            watch = group.create_task(self._watch_tools(client))
            await self._ending.wait()
            watch.cancel()

    def _opening(self) -> AbstractAsyncContextManager[Client]:
        """The SDK's client, to be entered and left by the owner."""

        async def notice(message: IncomingMessage) -> None:
            if isinstance(message, ToolListChangedNotification):
                self._mark_changed()

        config, limits, on_end = self._config, self._limits, self._ending.set
        # The screen asks the client for the version, the client is built around the screen.
        screen = Screen(
            config.name,
            version=lambda: client.protocol_version,
            on_tools_changed=self._mark_changed,
        )
        match config:
            case InProcessServer():
                # Nothing is on a wire here that could be screened.
                return Client(config.server, cache=None, message_handler=notice)
            case StdioServer():
                streams = stdio_streams(
                    config, limits, screen=screen, stderr=self._stderr, on_end=on_end
                )
            case HttpServer():
                streams = http_streams(config, limits, screen=screen, on_end=on_end)
        client = Client(streams, cache=None)
        return client

    async def _watch_tools(self, client: Client) -> None:
        """Newer servers announce changes only to listeners. Over HTTP the list's age decides."""
        tools = client.server_capabilities.tools
        if isinstance(self._config, HttpServer) or tools is None or not tools.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self._mark_changed()
        except (ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError) as error:
            logger.debug("%s: no announcements of tools: %s", self._config.name, error)

    def _mark_changed(self) -> None:
        self.tools_changed = True

    async def _list_pages(self) -> list[Tool]:
        client = self._client.result()
        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return tools

    async def _kill(self) -> None:
        self._ending.set()
        self._owner.cancel()
        await asyncio.wait({self._owner}, timeout=self._limits.close_timeout_s)

    def _note_end(self, owner: asyncio.Task[None]) -> None:
        self._ending.set()
        if not self._client.done():
            self._client.cancel()
        error = None if owner.cancelled() else owner.exception()
        if error is not None:
            logger.info("%s ended: %s", self._config.name, _brief(error))

    def _why_not_connected(self) -> ToolServerError:
        name, error = self._config.name, None
        if self._owner.done() and not self._owner.cancelled():
            error = self._owner.exception()
        if error is None:
            limit_s = self._limits.connect_timeout_s
            return ToolServerError(f"The tool server {name} did not answer within {limit_s:g} s.")
        leaf = _leaf(error)
        if isinstance(leaf, MCPError) and self._says_gone(leaf):
            return ServerSessionGoneError(self._gone(leaf))
        return ToolServerError(f"The tool server {name} could not be started: {_brief(leaf)}")

    def _late(self) -> CallFailure:
        self.is_suspect = True
        limit_s = self._config.call_timeout_s
        return CallFailure(
            trouble="late", reason=f"The tool did not answer within {limit_s:g} s and was stopped."
        )

    def _failure(self, error: MCPError) -> CallFailure:
        if self._says_gone(error):
            return CallFailure(trouble="gone", reason=self._gone(error))
        is_lost = error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED)
        if is_lost or not self.is_alive:
            return CallFailure(trouble="lost", reason="The tool server stopped during the call.")
        trouble: Trouble = "unclear" if _UNCLEAR.fullmatch(error.message) else "refused"
        return CallFailure(trouble=trouble, reason=f"The tool refused the call: {_brief(error)}")

    def _says_gone(self, error: MCPError) -> bool:
        return isinstance(self._config, HttpServer) and (error.code, error.message) in _GONE

    def _gone(self, error: MCPError) -> str:
        if (error.code, error.message) == UNAUTHORIZED:
            return f"The tool server {self._config.name} does not take our credentials (HTTP 401)."
        return f"The tool server {self._config.name} does not know our session."


class _Report:
    """Puts a server's progress into words; silent once the call has ended, seldom in a flood."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._free = _FREE_REPORTS
        self._next_at = 0.0
        self.is_open = True

    async def announce(self, progress: float, total: float | None, message: str | None) -> None:
        if self.is_open and self._may_speak():
            await self._progress((message or _count(progress, total))[:_MAX_REPORT_CHARS])

    def _may_speak(self) -> bool:
        if self._free:
            self._free -= 1
            return True
        now = time.monotonic()
        if now < self._next_at:
            return False
        self._next_at = now + _REPORT_EVERY_S
        return True


def _count(progress: float, total: float | None) -> str:
    return f"{progress:g}" if total is None else f"{progress:g} of {total:g}"


def _leaf(error: BaseException) -> BaseException:
    """The first exception that is no group."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _brief(error: BaseException) -> str:
    leaf = _leaf(error)
    return (str(leaf) or type(leaf).__name__)[:_MAX_REASON_CHARS]
