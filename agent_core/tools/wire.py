"""Finds messages in what a server sends: noise is skipped, long ones are cut as they come."""

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json

from agent_core.messages import JsonObject

logger = logging.getLogger(__name__)

_END_BYTES = 256
_TRAILING_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]*")\s*\}\s*$')


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, or the head and the end of one that was too long."""

    data: bytes
    end: bytes = b""
    size_bytes: int = 0
    is_cut: bool = False

    def without_prefix(self, prefix: bytes) -> "Line":
        """The same line without what stands before its message."""
        return replace(self, data=self.data.removeprefix(prefix))


class LineBuffer:
    """Splits a byte stream into lines and never holds more than `max_bytes` of one."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._kept = 0
        self._size = 0
        self._end = b""

    def feed(self, chunk: bytes) -> list[Line]:
        """The lines that `chunk` completes."""
        *ended, rest = chunk.split(b"\n")
        lines: list[Line] = []
        for piece in ended:
            self.add(piece)
            lines.append(self.take())
        self.add(rest)
        return lines

    def add(self, piece: bytes) -> None:
        """Continue the present line."""
        kept = piece[: self._max_bytes - self._kept]
        if kept:
            self._pieces.append(kept)
        self._kept += len(kept)
        self._size += len(piece)
        if self._size > self._max_bytes:
            self._end = (self._end + piece)[-_END_BYTES:]

    def take(self) -> Line:
        """End the present line."""
        line = Line(
            data=b"".join(self._pieces),
            end=self._end,
            size_bytes=self._size,
            is_cut=self._size > self._max_bytes,
        )
        self._pieces, self._kept, self._size, self._end = [], 0, 0, b""
        return line


def read_message(line: Line) -> SessionMessage | None:
    """The message on this line, or None for noise such as a log line on stdout."""
    if line.is_cut:
        return salvage(line)
    if not line.data.strip().startswith(b"{"):
        return None
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line.data, by_name=False))
    except ValidationError:
        logger.debug("dropped a line on stdout that is no message")
        return None


def salvage(line: Line) -> SessionMessage | None:
    """A result from the part that was kept, with a note; None if its call cannot be found."""
    try:
        head: Any = from_json(line.data, allow_partial="trailing-strings")
    except ValueError:
        return None
    if not isinstance(head, dict):
        return None
    fields = cast(JsonObject, head)
    answered = fields.get("id", _trailing_id(line.end))
    result = fields.get("result")
    if not isinstance(answered, int | str) or not isinstance(result, dict):
        return None
    return SessionMessage(
        JSONRPCResponse(
            jsonrpc="2.0", id=answered, result=_cut_result(cast(JsonObject, result), line)
        )
    )


def _trailing_id(end: bytes) -> int | str | None:
    found = _TRAILING_ID.search(end)
    return json.loads(found.group(1)) if found else None


def _cut_result(result: JsonObject, line: Line) -> JsonObject:
    blocks: Sequence[Any] = result.get("content") or ()
    texts = [
        cast(JsonObject, block)["text"]
        for block in blocks
        if isinstance(block, dict) and isinstance(cast(JsonObject, block).get("text"), str)
    ]
    note = f"[The tool sent {line.size_bytes:,} bytes; only the beginning was kept.]"
    return {
        "content": [{"type": "text", "text": text} for text in [note, *texts]],
        "isError": result.get("isError") is True,
        "resultType": "complete",
    }
