"""The arguments of one call, read by name and kind, and the content of a post among them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.team import Ids
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import (
    ApiError,
    JsonArray,
    JsonObject,
    as_array,
    as_object,
    missing_field,
)


class Arguments:
    """A call's arguments without the token. Values of forms are strings, of JSON anything."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values: JsonObject = {k: v for k, v in values.items() if k != "token"}

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """The argument as text; empty when it is absent."""
        value = self.values.get(name)
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value)

    def required(self, name: str) -> str:
        """The argument as text; a call without it is refused."""
        value = self.text(name)
        if not value:
            raise missing_field(name)
        return value

    def flag(self, name: str) -> bool:
        return self.values.get(name) in (True, 1, "1", "true", "True")

    def number(self, name: str, default: int) -> int:
        return int(self.values.get(name) or default)

    def json_array(self, name: str) -> JsonArray | None:
        """A JSON array, also one sent as a string; None when it is absent."""
        return as_array(self._decoded(name))

    def json_object(self, name: str) -> JsonObject | None:
        """A JSON object, also one sent as a string; None when it is absent."""
        return as_object(self._decoded(name))

    def _decoded(self, name: str) -> object:
        value = self.values.get(name)
        if isinstance(value, str) and value:
            return json.loads(value)
        return value


async def read_arguments(request: web.Request) -> JsonObject:
    """Everything the request carries, the body winning over the query."""
    values: JsonObject = dict(request.query)
    if request.content_type != "application/json":
        values.update(await request.post())
    elif request.can_read_body:
        values.update(await request.json())
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class PostContent:
    """Checked content. None means that the caller left the part out."""

    text: str = ""
    blocks: tuple[JsonObject, ...] | None = None
    metadata: JsonObject | None = None
    """`{event_type, event_payload}`."""


def read_content(args: Arguments, ids: Ids, *, is_update: bool = False) -> PostContent:
    """Check and read the content of a call. Raises `ApiError`, also for no content at all."""
    text = args.text("text")
    blocks = read_blocks(args, ids)
    if not text.strip() and not blocks:
        raise ApiError("no_text")
    if is_update and len(text) > limits.MAX_UPDATE_TEXT:
        raise ApiError("msg_too_long")
    return PostContent(
        text=settle_text(text[: limits.MAX_POST_TEXT]),
        blocks=blocks,
        metadata=args.json_object("metadata"),
    )


def read_blocks(args: Arguments, ids: Ids) -> tuple[JsonObject, ...] | None:
    """The checked blocks of a message; blocks without an id get one."""
    blocks = args.json_array("blocks")
    if blocks is None:
        return None
    check_message_blocks(blocks)
    return tuple({"block_id": ids.fresh("b").lower(), **block} for block in blocks)
