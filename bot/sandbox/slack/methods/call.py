"""The call of a Web API method: its arguments by name and kind, and the usual look-ups."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodNeeds:
    """What a call has to have, as `methods.yml` explains it."""

    scope: str = ""
    needs: Sequence[str] = ()
    channel: str = ""
    channel_id: str = ""
    right: str = ""


class MethodCall:
    """One call of the bot. Values of forms are strings, of JSON anything."""

    channel: Channel
    """Of a method that needs one."""

    def __init__(self, values: Mapping[str, Any], backend: SlackBackend) -> None:
        self.values = values
        self.backend = backend
        self.state = backend.state

    def check(self, method: MethodNeeds) -> None:
        """Refuse the call where it lacks what the method needs, and look up its channel."""
        if method.scope:
            self.need_scope(method.scope)
        for name in method.needs:
            if not self.text(name):
                raise invalid_arguments(f"missing required field: {name}")
        if method.channel:
            self.channel = self._channel("channel", method.channel)
        if method.channel_id:
            self.channel = self._channel("channel_id", method.channel_id)
        if method.right:
            plural = PLURALS[self.channel.kind]
            self.need_scope(f"{plural}:{method.right}")

    def _channel(self, name: str, standing: str) -> Channel:
        """The channel of an argument, in which the bot has to be so."""
        channel = self.state.channels.get(self.text(name))
        if channel is None:
            raise ApiError("channel_not_found")
        if not self.state.is_member(channel):
            is_seen = channel.kind == "channel"
            if standing != "visible" or not is_seen:
                raise ApiError("not_in_channel" if is_seen else "channel_not_found")
        if standing == "posting" and channel.is_archived:
            raise ApiError("is_archived")
        return channel

    def text(self, name: str) -> str:
        """The argument as text; empty when it is absent."""
        value = self.values.get(name)
        if value is None:
            return ""
        return value if isinstance(value, str) else json.dumps(value)

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

    def post(self, name: str = "ts") -> Post:
        """The post of an argument; ephemeral posts cannot be addressed."""
        post = self.state.find_post(self.channel.id, self.text(name))
        if post is None:
            raise ApiError("message_not_found")
        return post

    def own_post(self) -> Post:
        """The post of the call, which the bot must have written."""
        post = self.post()
        if post.user != self.state.bot.id:
            raise ApiError("cant_update_message")
        return post

    def draft(self, thread_ts: str | None, **fields: Any) -> Post:
        """A post of the bot, not posted yet."""
        return self.state.draft(self.state.bot, self.channel.id, thread_ts=thread_ts, **fields)

    def need_scope(self, scope: str) -> None:
        granted = self.state.app.scopes
        if scope not in granted:
            raise ApiError("missing_scope", needed=scope, provided=",".join(granted))

    def page(self, items: Sequence[T]) -> tuple[Sequence[T], JsonObject]:
        """One page of the items by `limit` and `cursor`, and its `response_metadata`."""
        start = self.number("cursor", 0)
        end = start + self.number("limit", 100)
        next_cursor = str(end) if end < len(items) else ""
        return items[start:end], {"next_cursor": next_cursor}
