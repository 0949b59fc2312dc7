"""Takes out of a server's messages what would do harm, before the SDK sees them.

The SDK refuses a whole `tools/list` when one tool is malformed; here only that tool is lost. And it
spends a task on each notification, also on those of which a server can send thousands to nobody.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCResponse
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from agent_core.messages import JsonObject

logger = logging.getLogger(__name__)

_TOOLS_CHANGED = "notifications/tools/list_changed"
_UNHEARD = frozenset(
    {
        _TOOLS_CHANGED,
        "notifications/message",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
    }
)


class MessageStream(Protocol):
    """What every transport of the SDK reads from."""

    async def receive(self) -> SessionMessage | Exception: ...
    async def aclose(self) -> None: ...


class MessageSink(Protocol):
    """What every transport of the SDK writes to."""

    async def send(self, item: SessionMessage, /) -> None: ...
    async def aclose(self) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None: ...


class ScreenedStream:
    """A server's messages, without tools that cannot be called or notifications nobody hears.

    `version` names the negotiated protocol version; `on_end` is called once the server has hung up,
    `on_tools_changed` each time that it announces another list of tools.
    """

    def __init__(
        self,
        stream: MessageStream,
        *,
        server: str,
        version: Callable[[], str],
        on_end: Callable[[], None],
        on_tools_changed: Callable[[], None],
    ) -> None:
        self._stream = stream
        self._server = server
        self._version = version
        self._on_end = on_end
        self._on_tools_changed = on_tools_changed

    async def receive(self) -> SessionMessage | Exception:
        try:
            item = await self._stream.receive()
            while not isinstance(item, Exception) and self._is_unheard(item):
                item = await self._stream.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._on_end()
            raise
        return item if isinstance(item, Exception) else self._screened(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _is_unheard(self, item: SessionMessage) -> bool:
        message = item.message
        if not isinstance(message, JSONRPCNotification):
            return False
        if message.method == _TOOLS_CHANGED:
            self._on_tools_changed()
        return message.method in _UNHEARD

    def _screened(self, item: SessionMessage) -> SessionMessage:
        message = item.message
        if not isinstance(message, JSONRPCResponse):
            return item
        listed: object = message.result.get("tools")
        if not isinstance(listed, list):
            return item
        tools = map(_without_output_schema, cast("list[object]", listed))
        good = [tool for tool in tools if self._is_good(tool)]
        result = message.result | {"tools": good}
        return replace(item, message=message.model_copy(update={"result": result}))

    def _is_good(self, tool: object) -> bool:
        if _needs_task(tool):
            logger.warning("%s: tool %s runs only as a task; left out", self._server, _name(tool))
            return False
        listing = {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        try:
            validate_server_result("tools/list", self._version(), listing)
        except ValidationError as error:
            logger.warning(
                "%s: tool %s is malformed and left out: %s", self._server, _name(tool), error
            )
            return False
        return True


def _without_output_schema(tool: object) -> object:
    """The SDK raises when a result misses its output schema; we would rather show the result."""
    if not isinstance(tool, dict):
        return tool
    fields = cast(JsonObject, tool)
    return {key: value for key, value in fields.items() if key != "outputSchema"}


def _needs_task(tool: object) -> bool:
    """Whether the tool can be called only as a task (a later extension), which we do not offer."""
    execution = cast(JsonObject, tool).get("execution") if isinstance(tool, dict) else None
    return isinstance(execution, dict) and (
        cast(JsonObject, execution).get("taskSupport") == "required"
    )


def _name(tool: object) -> str:
    name = cast(JsonObject, tool).get("name") if isinstance(tool, dict) else None
    return str(name)[:128]
