"""What a tool server sends, made harmless before the SDK sees it.

The SDK holds a line whole, over stdio in quadratic time; here it is cut while it arrives. The SDK
refuses a whole `tools/list` when one tool is malformed; here only that tool is lost. And it spends
a task on each notification, also on those of which a server can send thousands to nobody.
"""

import json
import logging
import re
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCResponse, jsonrpc_message_adapter
from mcp_types.methods import validate_server_result
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object

logger = logging.getLogger(__name__)

CUT = "agent_core/cut"
"""In the `_meta` of a result that came in part."""
_END_BYTES = 256
_TRAILING_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]*")\s*\}\s*$')
_LONE_HALF = re.compile(
    rb"(?<!\\)\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<![dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)
"""Half of a sign beyond 16 bits: servers that cut texts send them, and no reader takes them."""
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


class LineCutter:
    """Splits a stream of bytes into lines, mended, and never holds more than `max_bytes` of one.

    Of a longer line the beginning of the result that it holds is kept, as a result with a note; one
    that holds none comes out empty. `prefix` is what stands before each message, such as `data:`.
    """

    def __init__(self, max_bytes: int, *, prefix: bytes = b"") -> None:
        self._max_bytes = max_bytes
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
        self._head += piece[: self._max_bytes - len(self._head)]
        self._size += len(piece)
        if self._size > self._max_bytes:
            self._end = (self._end + piece)[-_END_BYTES:]

    def take(self) -> bytes:
        """End the present line."""
        line, end, size = bytes(self._head), self._end, self._size
        self._head, self._end, self._size = bytearray(), b"", 0
        if b"\\u" in line:
            line = _LONE_HALF.sub(rb"\\ufffd", line)
        if size <= self._max_bytes:
            return line
        saved = _saved(line.removeprefix(self._prefix), end, size)
        return self._prefix + saved if saved and line.startswith(self._prefix) else b""


def _saved(head: bytes, end: bytes, size: int) -> bytes:
    """A whole message with what came of a result; empty if its call cannot be found."""
    try:
        message = as_object(from_json(head, allow_partial="trailing-strings"))
    except ValueError:
        return b""
    trailing = _TRAILING_ID.search(end)
    answered = message.get("id", json.loads(trailing[1]) if trailing else None)
    result = as_object(message.get("result"))
    if not isinstance(answered, int | str) or not result:
        return b""
    blocks = map(as_object, result.get("content") or ())
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    note = f"[The tool sent {size:,} bytes; only the beginning was kept.]"
    cut = {
        "content": [{"type": "text", "text": text} for text in [note, *texts]],
        "isError": result.get("isError") is True,
        "resultType": "complete",
        "_meta": {CUT: True},
    }
    return to_json({"jsonrpc": "2.0", "id": answered, "result": cut})


class Screen:
    """Takes out tools that cannot be called and notifications that nobody hears.

    Args:
        server: Named in the log.
        version: Tells the negotiated version of the protocol.
        on_tools_changed: Called each time that the server announces another list of tools.
    """

    def __init__(
        self, server: str, *, version: Callable[[], str], on_tools_changed: Callable[[], None]
    ) -> None:
        self._server = server
        self._version = version
        self._on_tools_changed = on_tools_changed

    def read(self, line: bytes) -> SessionMessage | None:
        """The message on a line; None for one that is taken out, and for noise such as a log."""
        if not line.lstrip().startswith(b"{"):
            return None
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            logger.debug("%s: dropped a line on stdout that is no message", self._server)
            return None
        return self.screened(SessionMessage(message))

    def screened(self, item: SessionMessage) -> SessionMessage | None:
        """The message as the SDK may see it; None for one that is taken out."""
        message = item.message
        if isinstance(message, JSONRPCNotification):
            if message.method == _TOOLS_CHANGED:
                self._on_tools_changed()
            return None if message.method in _UNHEARD else item
        if not isinstance(message, JSONRPCResponse):
            return item
        listed: object = message.result.get("tools")
        if not isinstance(listed, list):
            return item
        tools = map(_without_output_schema, cast("list[object]", listed))
        result = message.result | {"tools": [tool for tool in tools if self._is_good(tool)]}
        return replace(item, message=message.model_copy(update={"result": result}))

    def _is_good(self, tool: JsonObject) -> bool:
        name = str(tool.get("name"))[:128]
        if as_object(tool.get("execution")).get("taskSupport") == "required":
            # A later extension of the protocol, which we do not offer.
            logger.warning("%s: tool %s runs only as a task; left out", self._server, name)
            return False
        listing = {"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        try:
            validate_server_result("tools/list", self._version(), listing)
        except ValidationError as error:
            logger.warning("%s: tool %s is malformed; left out: %s", self._server, name, error)
            return False
        return True


def _without_output_schema(tool: object) -> JsonObject:
    """The SDK raises when a result misses its output schema; we would rather show the result."""
    fields = cast("JsonObject", tool) if isinstance(tool, dict) else {"name": tool}
    return {key: value for key, value in fields.items() if key != "outputSchema"}
