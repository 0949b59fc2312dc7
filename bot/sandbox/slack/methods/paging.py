"""Pages of long lists: `limit`, opaque cursors, `response_metadata.next_cursor`."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.wire import JsonObject

T = TypeVar("T")


def read_page(
    args: Arguments, items: Sequence[T], *, default: int, maximum: int
) -> tuple[Sequence[T], JsonObject]:
    """One page of the items and the `response_metadata` to answer with."""
    limit = args.number("limit", default)
    if not 1 <= limit <= maximum:
        raise ApiError("invalid_limit")
    start = _read_cursor(args.text("cursor") or "")
    end = start + limit
    next_cursor = _make_cursor(end) if end < len(items) else ""
    return items[start:end], {"next_cursor": next_cursor}


def _make_cursor(offset: int) -> str:
    return base64.b64encode(f"next:{offset}".encode()).decode()


def _read_cursor(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("next:"))
    except (binascii.Error, ValueError):
        raise ApiError("invalid_cursor") from None
