"""The arguments of one call, read by name and kind, and the content of a post among them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.team import Ids
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object


class Arguments:
    """What the caller sent, the token left out. Values of forms are strings, of JSON anything."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values: JsonObject = {k: v for k, v in values.items() if k != "token"}

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """The argument as text; empty when it is absent."""
        value = self.values.get(name)
        return value if isinstance(value, str) else "" if value is None else json.dumps(value)

    def required(self, name: str) -> str:
        """The argument as text; a call without it is refused."""
        if not (value := self.text(name)):
            raise missing_field(name)
        return value

    def flag(self, name: str) -> bool:
        return self.values.get(name) in (True, 1, "1", "true", "True")

    def number(self, name: str, default: int) -> int:
        value = self.values.get(name)
        try:
            return default if value in (None, "") else int(value)
        except (TypeError, ValueError):
            raise ApiError("invalid_arguments") from None

    def json_array(self, name: str, *, error: str = "invalid_arguments") -> JsonArray | None:
        """A JSON array, also one sent as a JSON string; anything else is refused with `error`."""
        value = self._decoded(name, error)
        if value is not None and as_array(value) is None:
            raise ApiError(error)
        return as_array(value)

    def json_object(self, name: str, *, error: str = "invalid_arguments") -> JsonObject | None:
        """A JSON object, also one sent as a JSON string; anything else is refused with `error`."""
        value = self._decoded(name, error)
        if value is not None and as_object(value) is None:
            raise ApiError(error)
        return as_object(value)

    def names(self, name: str) -> tuple[str, ...]:
        """A comma-separated list."""
        return tuple(part.strip() for part in self.text(name).split(",") if part.strip())

    def _decoded(self, name: str, error: str) -> object:
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError:
            raise ApiError(error) from None


async def read_arguments(request: web.Request) -> JsonObject:
    """Everything the request carries, the body winning over the query. Raises `ApiError`."""
    merged: JsonObject = dict(request.query)
    if not request.can_read_body:
        return merged
    if request.content_type == "application/json":
        return merged | await _json_body(request)
    if request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return merged | dict(await request.post())
    return merged


async def _json_body(request: web.Request) -> JsonObject:
    try:
        body = await request.json()
    except ValueError:
        raise ApiError("invalid_json") from None
    if (body := as_object(body)) is None:
        raise ApiError("json_not_object")
    return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Checked content. None means that the caller left the part out."""

    text: str = ""
    blocks: tuple[JsonObject, ...] | None = None
    metadata: JsonObject | None = None
    blocks_are_derived: bool = False
    is_cut: bool = False


def read_content(args: Arguments, ids: Ids, *, is_update: bool = False) -> Content:
    """Check and read the content of a call. Raises `ApiError`, also when there is nothing."""
    metadata = read_metadata(args)
    if markdown := args.text("markdown_text"):
        if args.has("text") or args.has("blocks"):
            raise ApiError("markdown_text_conflict")
        check_markdown(markdown)
        block = {"type": "markdown", "text": markdown}
        return Content(text=markdown, blocks=(block,), metadata=metadata, blocks_are_derived=True)
    blocks, text = read_blocks(args, ids), args.text("text")
    if not text.strip() and not blocks:
        raise ApiError("no_text")
    if is_update and len(text) > limits.MAX_UPDATE_TEXT:
        raise ApiError("msg_too_long")
    is_cut = len(text) > limits.MAX_POST_TEXT
    text = settle_text(text[: limits.MAX_POST_TEXT])
    return Content(text=text, blocks=blocks, metadata=metadata, is_cut=is_cut)


def check_markdown(text: str) -> None:
    """Refuse Markdown that is too long for one call."""
    if len(text) > limits.MAX_MARKDOWN_TEXT:
        raise ApiError("msg_too_long")


def read_blocks(args: Arguments, ids: Ids) -> tuple[JsonObject, ...] | None:
    """The blocks of a message, checked, with an id for each that came without."""
    blocks = args.json_array("blocks", error="invalid_blocks_format")
    if blocks is None:
        return None
    check_message_blocks(blocks)
    return tuple({"block_id": ids.fresh("b").lower(), **block} for block in blocks)


def read_metadata(args: Arguments) -> JsonObject | None:
    """`{event_type, event_payload}`; None when it was left out, `{}` to clear it."""
    metadata = args.json_object("metadata", error="invalid_metadata_format")
    if metadata:
        kind, payload = metadata.get("event_type"), metadata.get("event_payload")
        if not isinstance(kind, str) or not kind or not isinstance(payload, dict):
            raise ApiError("invalid_metadata_schema")
    return metadata
