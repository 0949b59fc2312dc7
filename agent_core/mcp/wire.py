"""What a tool server sends, made harmless before the SDK sees it.

The SDK holds a line whole, over stdio in quadratic time; here it is cut while it arrives. The SDK
refuses a whole listing or result when one tool or item of it is malformed; here only that one is
lost. A line that nobody can read ends the call that it answers. And the SDK spends a task on each
notification and request, also on those of which a server can send thousands to nobody.
"""

import asyncio
import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar, cast

from mcp_types import (
    INTERNAL_ERROR,
    ContentBlock,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.methods import validate_server_result
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object, is_nested_too_deeply

logger = logging.getLogger(__name__)

CUT = "agent_core/cut"
"""In the `_meta` of a result that came in part."""
UNREADABLE = "The tool's answer was not valid MCP"
MAX_TOOLS = 1_000
"""Of one server; what it lists beyond them is left out."""

_END_BYTES = 256
_ID = rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{0,99}")\s*'
_LEADING_ID = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"[,}]")
_TRAILING_ID = re.compile(_ID + rb"\}\s*$")
_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_LONE_HALF = re.compile(rb"%b(?!%b)|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})%b" % (_HIGH, _LOW, _LOW))
"""Half of a sign beyond 16 bits: servers that cut texts send them, and no reader takes them."""
_MAX_MENDED_BYTES = 1_000_000
_MAX_OTHER_ITEMS = 200
"""Of a result, beside its texts."""
_MAX_REASON_CHARS = 500
_MAX_NUMBER_CHARS = 300
_BLOCK: TypeAdapter[ContentBlock] = TypeAdapter(ContentBlock)
_KNOWN: dict[str, type] = {
    "_meta": dict,
    "inputRequests": dict,
    "resultType": str,
    "structuredContent": dict,
}
_CACHING = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_TOOLS_CHANGED = "notifications/tools/list_changed"
_PROGRESS = "notifications/progress"
_MAX_REPORTS, _REPORTS_S = 50, 1.0
_MAX_REQUESTS, _REQUESTS_S = 20, 10.0
"""Each answer waits until the server reads it, and there are servers that never do."""
_LONG_BYTES = 100_000
_HEARD = frozenset({"notifications/cancelled", "notifications/subscriptions/acknowledged"})


T = TypeVar("T")


async def apart(read: Callable[[bytes], T], line: bytes) -> T:
    """What `read` makes of a line; beside the loop where the line is long."""
    return read(line) if len(line) < _LONG_BYTES else await asyncio.to_thread(read, line)


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
        if b"\\u" in line:  # behind a pair of backslashes a `u` is a letter
            line = line.replace(rb"\\", b"\0")
            line = _LONE_HALF.sub(rb"\\ufffd", line).replace(b"\0", rb"\\")
        if size <= self._max_bytes:
            return line
        saved = _saved(line.removeprefix(self._prefix), end, size)
        return self._prefix + saved if saved and line.startswith(self._prefix) else b""


def _saved(head: bytes, end: bytes, size: int) -> bytes:
    """A whole message with what came of a result; empty if its call cannot be found."""
    try:
        message = as_object(from_json(head, allow_partial="trailing-strings"))
    except ValueError:
        return _ended(head, end)
    result = as_object(message.get("result"))
    answered = message.get("id", _id_in(head, end))
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


def _message(line: bytes) -> JSONRPCMessage | None:
    """Parsed before it is validated, which is cheaper by far for many small items."""
    try:
        return jsonrpc_message_adapter.validate_python(from_json(line), by_name=False)
    except ValueError:
        return None


def _mended(line: bytes) -> bytes:
    """What can be kept of a message, or the end of the call that it answers."""
    value: JsonObject = {}
    with suppress(ValueError, RecursionError):
        text = line[:_MAX_MENDED_BYTES].decode("utf-8", "replace").lstrip(" \ufeff")
        value = as_object(json.loads(text, strict=False, parse_int=_number))
    answered, result, error = (value.get(name) for name in ("id", "result", "error"))
    if isinstance(answered, float) and answered.is_integer():
        answered = int(answered)
    if "method" in value or not isinstance(answered, int | str):
        return b"" if value else _ended(line, line[-_END_BYTES:])
    if "jsonrpc" not in value and not isinstance(result, dict):
        return b""
    if isinstance(result, dict):
        return json.dumps({"jsonrpc": "2.0", "id": answered, "result": result}).encode()
    said = as_object(error).get("message") or error
    return error_line(answered, str(said)[:_MAX_REASON_CHARS] if said else UNREADABLE)


def _number(written: str) -> float:
    return int(written) if len(written) <= _MAX_NUMBER_CHARS else float(written)


def _ended(head: bytes, end: bytes) -> bytes:
    """The end of the call that an unreadable line answers; empty if it cannot be found."""
    begin = head[:_END_BYTES]
    is_answer = b'"method"' not in begin and b'"jsonrpc"' in begin + end
    answered = _id_in(head, end) if is_answer else None
    return b"" if answered is None else error_line(answered, UNREADABLE)


def _id_in(head: bytes, end: bytes) -> int | str | None:
    found = _LEADING_ID.match(head) or _TRAILING_ID.search(end)
    return json.loads(found[1]) if found else None


def error_line(answered: int | str | None, message: str, code: int = INTERNAL_ERROR) -> bytes:
    """The failure of the call with this id; None where whoever reads it knows the call."""
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": answered, "error": error}).encode()


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
        self._reports = deque[float](maxlen=_MAX_REPORTS)
        self._requests = deque[float](maxlen=_MAX_REQUESTS)

    def read(self, line: bytes) -> JSONRPCMessage | None:
        """The message on a line as the SDK may see it, mended where need be.

        None for one that is taken out, and for noise such as a log.
        """
        message = _message(line) or _message(_mended(line))
        if isinstance(message, JSONRPCNotification):
            if message.method == _TOOLS_CHANGED:
                self._on_tools_changed()
            is_report = message.method == _PROGRESS and not _is_flood(self._reports, _REPORTS_S)
            return message if is_report or message.method in _HEARD else None
        if isinstance(message, JSONRPCRequest):
            return None if _is_flood(self._requests, _REQUESTS_S) else message
        if not isinstance(message, JSONRPCResponse):
            return message
        result = message.result
        listed: object = result.get("tools")
        if "content" in result or "structuredContent" in result:
            result = _mended_result(result)
        elif isinstance(listed, list):
            tools = map(_without_output_schema, cast("list[object]", listed)[:MAX_TOOLS])
            cursor = result.get("nextCursor")
            result = {
                "tools": [tool for tool in tools if self._is_good(tool)],
                **({"nextCursor": cursor} if isinstance(cursor, str) else {}),
                **_CACHING,
            }
        else:
            return message
        return message.model_copy(update={"result": result})

    def _is_good(self, tool: JsonObject) -> bool:
        name = str(tool.get("name"))[:128]
        if as_object(tool.get("execution")).get("taskSupport") == "required":
            # A later extension of the protocol, which we do not offer.
            logger.warning("%s: tool %s runs only as a task; left out", self._server, name)
            return False
        listing = {"tools": [tool], **_CACHING}
        try:
            validate_server_result("tools/list", self._version(), listing)
        except ValidationError as error:
            logger.warning("%s: tool %s is malformed; left out: %s", self._server, name, error)
            return False
        return True


def _is_flood(times: deque[float], within_s: float) -> bool:
    """Whether one more is too many; if not, it is counted."""
    now = time.monotonic()
    is_flood = len(times) == times.maxlen and now - times[0] < within_s
    if not is_flood:
        times.append(now)
    return is_flood


def _without_output_schema(tool: object) -> JsonObject:
    """The SDK raises when a result misses its output schema; we would rather show the result."""
    fields = cast("JsonObject", tool) if isinstance(tool, dict) else {"name": tool}
    return {key: value for key, value in fields.items() if key != "outputSchema"}


def _mended_result(result: JsonObject) -> JsonObject:
    """A call's result as the SDK takes it; an item that cannot be read costs itself alone."""
    content: object = result.get("content")
    items = cast("list[object]", content) if isinstance(content, list) else [content]
    known: JsonObject = {
        name: result[name]
        for name, kind in _KNOWN.items()
        if isinstance(result.get(name), kind) and not is_nested_too_deeply(result[name])
    }
    structured: object = result.get("structuredContent")
    if structured is not None and "structuredContent" not in known:
        known["structuredContent"] = {"result": str(structured)}
    is_error = result.get("isError") not in (None, False)
    return {**known, "content": list(_blocks(items if content else [])), "isError": is_error}


def _blocks(items: Sequence[object]) -> Iterator[JsonObject]:
    """Texts in a row as one, which is cheaper by far; what nobody can read is named in words."""
    others, texts = 0, list[str]()
    for item in items:
        text = _text_of(item)
        if text is not None:
            texts.append(text)
        elif (others := others + 1) <= _MAX_OTHER_ITEMS:
            yield from _joined(texts)
            yield _block(item)
            texts = []
    if others > _MAX_OTHER_ITEMS:
        texts.append(f"[{others - _MAX_OTHER_ITEMS:,} further items were left out]")
    yield from _joined(texts)


def _joined(texts: Sequence[str]) -> Iterator[JsonObject]:
    if texts:
        yield {"type": "text", "text": "\n".join(texts)}


def _text_of(item: object) -> str | None:
    text = item
    if isinstance(item, dict):
        block = cast("JsonObject", item)
        text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _block(item: object) -> JsonObject:
    kind = as_object(item).get("type")
    with suppress(ValidationError, RecursionError):
        if isinstance(kind, str) and _BLOCK.validate_python(item, by_name=False):
            return cast("JsonObject", item)
    named = f" of the type {kind[:40]!r}" if isinstance(kind, str) else ""
    return {"type": "text", "text": f"[an item{named} that cannot be read]"}
