"""The client of an MCP server, for one life of it: connected, listed, called, ended.

The results of its calls become a `ToolOutput`: text for the model, artifacts for people. A task of
its own holds the SDK's client open: the task that entered the client must leave it, and
over HTTP one failed request cancels that task. Calls run in the caller's task, with its trace
context.
"""

import asyncio
import json
import logging
import re
from collections import deque
from collections.abc import Iterable
from contextvars import Context
from pathlib import Path
from typing import cast

from mcp import Client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    RequestParamsMeta,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from pydantic import ValidationError

from agent_core import tracing
from agent_core.errors import ToolServerError
from agent_core.mcp.config import HttpServer, HubLimits, ServerConfig
from agent_core.mcp.transports import UNAUTHORIZED, http_streams, stdio_streams
from agent_core.mcp.wire import MAX_TOOLS, TOO_LARGE, UNREADABLE, Screen, is_flood
from agent_core.messages import JsonObject
from agent_core.tools import Artifact, OnProgress, ToolOutput
from agent_core.workspaces.layout import WORK_PRODUCTS
from agent_core.workspaces.tables import make_safe

logger = logging.getLogger(__name__)

_MAX_PAGES = 100
_CLOSE_TIMEOUT_S = 6.0
_KEPT_STDERR_BYTES = 65_536
_SHOWN_STDERR_CHARS = 2_000
_MAX_REASON_CHARS = 500
_MAX_REPORT_CHARS = 500
_MAX_REPORTS = 20
_REPORTS_S = 20.0
"""Of one call's progress, within so long; further ones are dropped."""
_BASE64_RATIO = 3 / 4

# The SDK's own errors are told from those that a server sends by their words: both come with the
# same codes, and -32000 is free for servers, which use it for faults of their own.
_CLOSED = ("Connection closed", "SSE stream ")
_OURS = (UNREADABLE, TOO_LARGE)
_UNCLEAR = re.compile(r"HTTP 5\d\d|Unexpected content type: .*", re.DOTALL)
"""A server, or what stands before it, failed on the way back: the call may have run."""
_GONE = {
    (INVALID_REQUEST, "Session terminated"),
    (METHOD_NOT_FOUND, "Not Found"),
    UNAUTHORIZED,
}
"""An HTTP server answered 404 (the SDK spells that in two ways) or 401: nothing ran."""


class RequestFault(ToolServerError):
    """A request without a result; the message is a plain sentence for the model."""

    def __init__(self, reason: str, *, may_have_run: bool = False, is_lost: bool = False) -> None:
        super().__init__(reason)
        self.may_have_run = may_have_run
        self.is_lost = is_lost
        """The connection cannot be used any more: the server ended, or forgot our session."""


class ServerConnection:
    """A server that is being started; use it once `wait_connected` has returned."""

    def __init__(self, config: ServerConfig, limits: HubLimits) -> None:
        self._config = config
        self._limits = limits
        self._stderr: deque[int] = deque(maxlen=_KEPT_STDERR_BYTES)
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
        name = self._config.name
        limit_s = self._limits.connect_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                await asyncio.shield(self._client)
        except TimeoutError:
            text = f"The tool server {name} did not answer within {limit_s:g} s."
            raise ToolServerError(text) from None
        except Exception as error:
            leaf = _leaf(error)
            text = f"The tool server {name} could not be started: {_brief(leaf)}"
            raise self._gone(leaf) or ToolServerError(text) from error
        finally:
            if not self._client.done():
                await self._kill()

    async def list_tools(self) -> list[Tool]:
        """Every page of the server's tools; a ToolServerError where they do not come in time."""
        self.tools_changed = False
        client = self._client.result()
        failed = f"The tool server {self._config.name} did not list its tools"
        tools: list[Tool] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(self._limits.list_timeout_s):
                for _ in range(_MAX_PAGES):
                    page = await client.list_tools(cursor=cursor)
                    tools += page.tools
                    cursor = page.next_cursor
                    if not cursor or len(tools) >= MAX_TOOLS:
                        break
        except TimeoutError:
            limit_s = self._limits.list_timeout_s
            raise ToolServerError(f"{failed} in {limit_s:g} s.") from None
        except (MCPError, ValidationError, RuntimeError) as error:
            other = ToolServerError(f"{failed}: {_brief(error)}")
            raise self._gone(error) or other from error
        return tools[:MAX_TOOLS]

    async def call(
        self,
        tool: str,
        arguments: JsonObject,
        meta: JsonObject | None,
        progress: OnProgress,
    ) -> CallToolResult:
        """Call a tool in the caller's own task; cancelling that cancels the request."""
        name = self._config.name
        limit_s = self._config.call_timeout_s
        ended = asyncio.Event()
        try:
            # Not the SDK's own limit, which starts after the write: that can be stuck.
            with tracing.span("mcp.request", server_name=name, tool_name=tool):
                async with asyncio.timeout(limit_s):
                    return await self._client.result().call_tool(
                        tool,
                        arguments,
                        progress_callback=_reporting(progress, ended),
                        meta=cast("RequestParamsMeta | None", meta),
                    )
        except TimeoutError:
            self.is_suspect = True
            reason = f"The tool did not answer within {limit_s:g} s and was stopped."
            raise RequestFault(reason, may_have_run=True) from None
        except MCPError as error:
            raise self._fault(error) from error
        except (ValidationError, RuntimeError) as error:
            logger.warning("%s: unusable answer: %s", name, error)
            is_lost = not self.is_alive
            reason = _brief(error) if is_lost else f"{UNREADABLE}."
            raise RequestFault(reason, may_have_run=True, is_lost=is_lost) from error
        finally:
            ended.set()

    async def close(self) -> None:
        """End the server and wait for it, within `_CLOSE_TIMEOUT_S`."""
        self._ending.set()
        done, _ = await asyncio.wait({self._owner}, timeout=_CLOSE_TIMEOUT_S)
        if not done:
            await self._kill()

    def stderr(self) -> str:
        """The end of what a stdio server wrote to stderr."""
        text = bytes(self._stderr).decode("utf-8", "replace")
        return text.strip()[-_SHOWN_STDERR_CHARS:]

    async def _own(self) -> None:
        async with self._opening() as client, asyncio.TaskGroup() as group:
            self._client.set_result(client)
            watching = group.create_task(self._watch_tools(client))
            await self._ending.wait()
            watching.cancel()

    async def _watch_tools(self, client: Client) -> None:
        """Newer servers announce changes only to listeners. Over HTTP the list's age decides."""
        tools = client.server_capabilities.tools
        if isinstance(self._config, HttpServer) or tools is None or not tools.list_changed:
            return
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.tools_changed = True
        except (ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError) as error:
            logger.debug("%s: no announcements of tools: %s", self._config.name, error)

    def _opening(self) -> Client:
        """The SDK's client, to be entered and left by the owner."""
        config = self._config
        # The screen asks the client for the version, the client is built around the screen.
        screen = Screen(
            config.name,
            version=lambda: client.protocol_version,
            on_tools_changed=lambda: setattr(self, "tools_changed", True),
        )
        if isinstance(config, HttpServer):
            streams = http_streams(config, self._limits, screen=screen)
        else:
            streams = stdio_streams(
                config,
                self._limits,
                screen=screen,
                stderr=self._stderr,
                on_end=self._ending.set,
            )
        client = Client(streams, cache=None)
        return client

    async def _kill(self) -> None:
        self._ending.set()
        self._owner.cancel()
        await asyncio.wait({self._owner}, timeout=_CLOSE_TIMEOUT_S)

    def _note_end(self, owner: asyncio.Task[None]) -> None:
        self._ending.set()
        error = None if owner.cancelled() else owner.exception()
        if not self._client.done():
            self._client.set_exception(error or ToolServerError("it was shut down"))
            self._client.exception()  # looked at, so that asyncio does not warn of it
        if error is not None:
            logger.info("%s ended: %s", self._config.name, _brief(error))

    def _fault(self, error: MCPError) -> RequestFault:
        if gone := self._gone(error):
            return gone
        is_closed = error.code == CONNECTION_CLOSED and error.message.startswith(_CLOSED)
        if is_closed or not self.is_alive:
            reason = "The tool server stopped during the call."
            return RequestFault(reason, may_have_run=True, is_lost=True)
        if error.message in _OURS:
            return RequestFault(f"{error.message}.", may_have_run=True)
        reason = f"The tool refused the call: {_brief(error)}"
        is_unclear = _UNCLEAR.fullmatch(error.message) is not None
        return RequestFault(reason, may_have_run=is_unclear)

    def _gone(self, error: BaseException) -> RequestFault | None:
        """The fault of an HTTP server that does not know us any more; nothing ran."""
        if not isinstance(self._config, HttpServer) or not isinstance(error, MCPError):
            return None
        sign = (error.code, error.message)
        if sign not in _GONE:
            return None
        why = "take our credentials (HTTP 401)" if sign == UNAUTHORIZED else "know our session"
        return RequestFault(f"The tool server {self._config.name} does not {why}.", is_lost=True)


def _reporting(report: OnProgress, ended: asyncio.Event) -> ProgressFnT:
    """A server's progress in words; seldom in a flood, and not once the call has ended."""
    times = deque[float](maxlen=_MAX_REPORTS)

    async def announce(progress: float, total: float | None, message: str | None) -> None:
        if ended.is_set() or is_flood(times, _REPORTS_S):
            return
        done = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
        await report((message or done)[:_MAX_REPORT_CHARS])

    return announce


def _leaf(error: BaseException) -> BaseException:
    """The first exception that is no group."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _brief(error: BaseException) -> str:
    leaf = _leaf(error)
    return (str(leaf) or type(leaf).__name__)[:_MAX_REASON_CHARS]


def output_of(result: CallToolResult) -> ToolOutput:
    """The result as text; pictures and the like are named, not carried."""
    parts = [_block_text(block) for block in result.content]
    has_text = any(isinstance(block, TextContent) for block in result.content)
    if not has_text and result.structured_content is not None:
        parts.insert(0, json.dumps(result.structured_content, ensure_ascii=False))
    text = "\n".join(parts) or "(The tool returned nothing.)"
    return ToolOutput(text=text, is_error=result.is_error)


def artifacts_of(entries: Iterable[JsonObject], workspace: Path) -> tuple[Artifact, ...]:
    """The artifacts that a server of our own names, less those not under `work_products`."""
    artifacts: list[Artifact] = []
    home = workspace.resolve()
    for entry in entries:
        path = (workspace / entry["path"]).resolve()
        if not path.is_relative_to(home / WORK_PRODUCTS) or not path.is_file():
            logger.warning("artifact %s is not a file under %s/", entry["path"], WORK_PRODUCTS)
            continue
        make_safe(path)
        artifact = Artifact(
            path=path.relative_to(home).as_posix(),
            title=entry["title"],
            mimetype=entry["mimetype"],
            size_bytes=path.stat().st_size,
            citations=tuple(entry.get("citations", ())),
            follow_ups=tuple(entry.get("follow_ups", ())),
            checked=entry.get("checked", ""),
        )
        artifacts.append(artifact)
    return tuple(artifacts)


def _block_text(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ResourceLink():
            return f"[resource {block.name}: {block.uri}]"
        case EmbeddedResource():
            inner = block.resource
            if isinstance(inner, TextResourceContents):
                return f"[resource {inner.uri}]\n{inner.text}"
            name = f"resource {inner.uri},"
            kind = inner.mime_type or "binary"
            base64 = inner.blob
        case ImageContent() | AudioContent():
            name = block.type
            kind = block.mime_type
            base64 = block.data
    size_kb = len(base64) * _BASE64_RATIO / 1000
    return f"[{name} {kind}, {size_kb:.0f} kB]"
