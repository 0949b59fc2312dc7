"""The call of a Web API method: its arguments by name and kind, and the usual look-ups."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.state import PLURALS
from bot.sandbox.slack.wire import (
    ApiError,
    JsonArray,
    JsonObject,
    invalid_arguments,
    settle_text,
)

MAX_POST_TEXT = 40_000
MAX_UPDATE_TEXT = 4_000
T = TypeVar("T")


class MethodCall:
    """One call of the bot. Values of forms are strings, of JSON anything."""

    def __init__(self, values: Mapping[str, Any], backend: SlackBackend) -> None:
        self.values = values
        self.backend = backend
        self.state = backend.state

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
            raise invalid_arguments(f"missing required field: {name}")
        return value

    def number(self, name: str, default: int) -> int:
        return int(self.values.get(name) or default)

    def decoded(self, name: str) -> Any:
        """A JSON argument, which a form sends as a string; None when it is absent."""
        value = self.values.get(name) or None
        return json.loads(value) if isinstance(value, str) else value

    def blocks(self) -> tuple[JsonObject, ...] | None:
        """The checked blocks of a message; None when they are absent."""
        if "blocks" not in self.values:
            return None
        blocks: JsonArray = self.decoded("blocks") or []
        check_message_blocks(blocks)
        return tuple(self.state.ids.mark_blocks(blocks))

    def content(self, *, is_update: bool = False) -> JsonObject:
        """The checked content of a post: its text, and the blocks and metadata that are given."""
        text = self.text("text")
        blocks = self.blocks()
        metadata = self.decoded("metadata")
        if not text.strip() and not blocks:
            raise ApiError("no_text")
        if is_update and len(text) > MAX_UPDATE_TEXT:
            raise ApiError("msg_too_long")
        content: JsonObject = {"text": settle_text(text[:MAX_POST_TEXT])}
        if blocks is not None:
            content["blocks"] = blocks
        if metadata is not None:
            content["metadata"] = metadata
        return content

    def visible_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument. A private one without the bot does not exist for the bot."""
        channel = self.state.channels.get(self.required(name))
        if channel is None:
            raise ApiError("channel_not_found")
        if channel.kind != "channel" and not self.state.is_member(channel):
            raise ApiError("channel_not_found")
        return channel

    def joined_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument, of which the bot must be a member."""
        channel = self.visible_channel(name)
        if not self.state.is_member(channel):
            raise ApiError("not_in_channel")
        return channel

    def posting_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument, in which the bot must be able to post."""
        channel = self.joined_channel(name)
        if channel.is_archived:
            raise ApiError("is_archived")
        return channel

    def post(self, channel: Channel, name: str = "ts") -> Post:
        """The post of an argument; ephemeral posts cannot be addressed."""
        post = self.state.find_post(channel.id, self.required(name))
        if post is None:
            raise ApiError("message_not_found")
        return post

    def own_post(self) -> Post:
        """The post of the call, which the bot must have written."""
        post = self.post(self.joined_channel())
        if post.user != self.state.bot.id:
            raise ApiError("cant_update_message")
        return post

    def draft(self, channel: Channel, thread_ts: str | None, **fields: Any) -> Post:
        """A post of the bot, not posted yet."""
        return self.state.draft(self.state.bot, channel.id, thread_ts=thread_ts, **fields)

    def need_scope(self, scope: str) -> None:
        granted = self.state.app.scopes
        if scope not in granted:
            raise ApiError("missing_scope", needed=scope, provided=",".join(granted))

    def need_channel_scope(self, channel: Channel, right: str) -> None:
        """Demand the scope for this kind of channel, such as `groups:history`."""
        self.need_scope(f"{PLURALS[channel.kind]}:{right}")

    def page(self, items: Sequence[T]) -> tuple[Sequence[T], JsonObject]:
        """One page of the items by `limit` and `cursor`, and its `response_metadata`."""
        start = self.number("cursor", 0)
        end = start + self.number("limit", 100)
        next_cursor = str(end) if end < len(items) else ""
        return items[start:end], {"next_cursor": next_cursor}
