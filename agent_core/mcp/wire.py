"""The wire of MCP servers: a byte cap for each message, and a screen for what the SDK gets to see.

The SDK holds a line whole, over stdio in quadratic time; `LineCutter` caps it while it arrives. The
SDK refuses a whole listing when one tool of it is malformed; `Screen` leaves out that tool alone. A
message that is cut or unreadable ends the call that it answers. And the SDK spends a task on each
notification and request, of which a server can send thousands; `Screen` drops the flood.
"""

import asyncio
import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable
from itertools import groupby
from typing import Any, TypeVar, cast

from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.methods import validate_server_result
from pydantic import ValidationError
from pydantic_core import from_json

from agent_core.json_values import as_object, is_nested_too_deeply, mended_value
from agent_core.messages import JsonObject

logger = logging.getLogger(__name__)

UNREADABLE = "The tool's answer was not valid MCP"
TOO_LARGE = "The tool's answer was larger than can be taken, and nothing of it was kept"
MAX_MESSAGE_BYTES = 6_000_000
"""Of one message on the wire; a longer one ends its call while it arrives."""
MAX_TOOLS = 1_000
"""Of one server; further tools in its listing are left out."""

_END_BYTES = 256
_ID = rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{0,99}")\s*'
_LEADING_ID = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"[,}]")
_TRAILING_ID = re.compile(_ID + rb"\}\s*$")
_MAX_BLOCKS = 200
"""Of one result, texts in a row counted as one: the SDK validates them on the event loop."""
_MAX_DEPTH = 200
"""As pydantic reads it; the SDK dumps messages again, and calls itself for each level."""
_CACHING: JsonObject = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_TOOLS_CHANGED = "notifications/tools/list_changed"
_PROGRESS = "notifications/progress"
_HEARD = frozenset({"notifications/cancelled", "notifications/subscriptions/acknowledged"})
_MAX_REPORTS, _REPORTS_S = 50, 1.0
_MAX_REQUESTS, _REQUESTS_S = 20, 10.0
"""Each answer waits until the server reads it, and there are servers that never do."""
_LONG_BYTES = 100_000

T = TypeVar("T")


async def off_loop(read: Callable[[bytes], T], line: bytes) -> T:
    """Read a line; in a thread only where it is long, as the hop costs more than a short line."""
    if len(line) < _LONG_BYTES:
        return read(line)
    return await asyncio.to_thread(read, line)


def error_answer(
    call_id: int | str | None, message: str, code: int = INTERNAL_ERROR
) -> JSONRPCError:
    """The failure of the call with this id; None where the transport knows the call."""
    return JSONRPCError(
        jsonrpc="2.0",
        id=call_id,
        error=ErrorData(code=code, message=message),
    )


def dumped(message: JSONRPCMessage) -> bytes:
    """A message as it goes over the wire."""
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()


class LineCutter:
    """Splits a stream of bytes into lines, and never holds more than MAX_MESSAGE_BYTES of a line.

    In place of a longer line comes an error that ends the call which the line answers. `prefix`
    stands before each message, such as `data:`.
    """

    def __init__(self, *, prefix: bytes = b"") -> None:
        self._prefix = prefix
        self._head = bytearray()
        self._end = b""
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes."""
        *ended, rest = chunk.split(b"\n")
        lines: list[bytes] = []
        for piece in ended:
            self.add(piece)
            lines.append(self.take())
        self.add(rest)
        return lines

    def add(self, piece: bytes) -> None:
        """Continue the present line."""
        self._head += piece[: MAX_MESSAGE_BYTES - len(self._head)]
        self._size += len(piece)
        if self._size > MAX_MESSAGE_BYTES:
            self._end = (self._end + piece)[-_END_BYTES:]

    def take(self) -> bytes:
        """End the present line."""
        line = bytes(self._head)
        if self._size > MAX_MESSAGE_BYTES:
            call_id = _answered_id(line.removeprefix(self._prefix), self._end)
            line = self._prefix + dumped(error_answer(call_id, TOO_LARGE))
        self._head = bytearray()
        self._end = b""
        self._size = 0
        return line


class Screen:
    """Leaves out tools that cannot be called, and notifications and requests of a flood.

    Args:
        server: Named in the log.
        version: The negotiated version of the protocol.
        on_tools_changed: Called each time that the server announces another list of tools.
    """

    def __init__(
        self,
        server: str,
        *,
        version: Callable[[], str],
        on_tools_changed: Callable[[], None],
    ) -> None:
        self._server = server
        self._version = version
        self._on_tools_changed = on_tools_changed
        self._reports = deque[float](maxlen=_MAX_REPORTS)
        self._requests = deque[float](maxlen=_MAX_REQUESTS)

    def read(self, line: bytes) -> JSONRPCMessage | None:
        """The message on a line as the SDK may see it; None for one that is left out, and logs."""
        message = _message(line)
        match message:
            case JSONRPCNotification():
                if message.method == _TOOLS_CHANGED:
                    self._on_tools_changed()
                if message.method == _PROGRESS:
                    is_heard = not is_flood(self._reports, _REPORTS_S)
                else:
                    is_heard = message.method in _HEARD
                return message if is_heard else None
            case JSONRPCRequest():
                return None if is_flood(self._requests, _REQUESTS_S) else message
            case JSONRPCResponse():
                return self._screened(message)
            case _:
                return message

    def _screened(self, answer: JSONRPCResponse) -> JSONRPCMessage:
        result = answer.result
        tools: object = result.get("tools")
        content: object = result.get("content")
        if isinstance(tools, list):
            listing = self._listing(cast("list[object]", tools), result.get("nextCursor"))
            return answer.model_copy(update={"result": listing})
        if isinstance(content, list) and len(cast("list[object]", content)) > _MAX_BLOCKS:
            blocks = _joined(cast("list[object]", content))
            if len(blocks) > _MAX_BLOCKS:
                return error_answer(answer.id, UNREADABLE)
            return answer.model_copy(update={"result": {**result, "content": blocks}})
        return answer

    def _listing(self, tools: list[object], cursor: object) -> JsonObject:
        """A listing of the tools that can be called.

        Output schemas are left out: the SDK raises when a result does not fit its own.
        """
        usable: list[JsonObject] = []
        for tool in tools[:MAX_TOOLS]:
            fields = {**as_object(tool)} or {"name": tool}
            fields.pop("outputSchema", None)
            if self._is_callable(fields):
                usable.append(fields)
        listing: JsonObject = {"tools": usable, **_CACHING}
        if isinstance(cursor, str):
            listing["nextCursor"] = cursor
        return listing

    def _is_callable(self, tool: JsonObject) -> bool:
        name = str(tool.get("name"))[:128]
        if as_object(tool.get("execution")).get("taskSupport") == "required":
            # A later extension of the protocol, which we do not offer.
            logger.warning("%s: tool %s runs only as a task; left out", self._server, name)
            return False
        listing = {"tools": [tool], **_CACHING}
        try:
            validate_server_result("tools/list", self._version(), listing)
        except ValidationError as error:
            logger.warning(
                "%s: tool %s is malformed; left out: %s",
                self._server,
                name,
                error,
            )
            return False
        return True


def _message(line: bytes) -> JSONRPCMessage | None:
    """The message on a line, or the end of the call that an unreadable line answers."""
    try:
        return jsonrpc_message_adapter.validate_python(_json(line), by_name=False)
    except (ValueError, RecursionError):
        call_id = _answered_id(line, line[-_END_BYTES:])
    return None if call_id is None else error_answer(call_id, UNREADABLE)


def _json(line: bytes) -> Any:
    try:
        return from_json(line)
    except ValueError:
        # Servers that cut texts by 16 bits send half of a character, which only `json` takes.
        value = mended_value(json.loads(line))
    if is_nested_too_deeply(value, _MAX_DEPTH):
        raise ValueError("nested too deeply")
    return value


def _answered_id(head: bytes, end: bytes) -> int | str | None:
    """The id of the call that an unreadable line answers, from its first or last bytes."""
    begin = head[:_END_BYTES]
    if b'"method"' in begin or b'"jsonrpc"' not in begin + end:
        return None
    match = _LEADING_ID.match(head) or _TRAILING_ID.search(end)
    return json.loads(match[1]) if match else None


def is_flood(times: deque[float], within_s: float) -> bool:
    """Whether one more is too many; if not, it is counted."""
    now = time.monotonic()
    is_flood = len(times) == times.maxlen and now - times[0] < within_s
    if not is_flood:
        times.append(now)
    return is_flood


def _joined(content: list[object]) -> list[object]:
    """The items with texts in a row as one text."""
    blocks: list[object] = []
    for is_text, items in groupby(content, key=_is_text):
        if is_text:
            text = "\n".join(as_object(item)["text"] for item in items)
            blocks.append({"type": "text", "text": text})
        else:
            blocks += items
    return blocks


def _is_text(item: object) -> bool:
    block = as_object(item)
    return block.get("type") == "text" and isinstance(block.get("text"), str)
