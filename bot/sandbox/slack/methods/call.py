"""A Web API method as the server sees it, and the call that a method works with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from bot.sandbox.slack.app import SCOPE_PREFIXES, App
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.backend import SlackBackend
from bot.sandbox.slack.limits import TIER_3, Rate
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.state import TeamState
from bot.sandbox.slack.wire import ApiError, JsonObject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MethodCall:
    """One call: its arguments, and the look-ups of nearly every method."""

    args: Arguments
    backend: SlackBackend

    @property
    def state(self) -> TeamState:
        return self.backend.state

    @property
    def app(self) -> App:
        return self.backend.app

    def visible_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument. A private one without the bot does not exist for the bot."""
        channel = self.state.channels.get(self.args.required(name))
        if channel is None:
            raise ApiError("channel_not_found")
        if channel.kind != "channel" and not self.app.is_member(channel):
            raise ApiError("channel_not_found")
        return channel

    def joined_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument, of which the bot must be a member."""
        channel = self.visible_channel(name)
        if not self.app.is_member(channel):
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
        post = self.state.find_post(channel.id, self.args.required(name))
        if post is None:
            raise ApiError("message_not_found")
        return post

    def own_post(self, channel: Channel, refusal: str) -> Post:
        """The post of an argument, which the bot must have written."""
        post = self.post(channel)
        if post.bot_id != self.app.bot_id:
            raise ApiError(refusal)
        return post

    def draft(self, channel: Channel, thread_ts: str | None, **fields: Any) -> Post:
        """A post of the bot, not posted yet."""
        return Post(
            channel=channel.id,
            ts=self.state.ids.fresh_ts(),
            user=self.app.bot_user_id,
            bot_id=self.app.bot_id,
            app_id=self.app.id,
            thread_ts=thread_ts,
            **fields,
        )

    def need_scope(self, *scopes: str) -> None:
        """Any one of the scopes is enough."""
        if scopes and not set(scopes) & set(self.app.scopes):
            raise ApiError(
                "missing_scope",
                needed=",".join(scopes),
                provided=",".join(self.app.scopes),
            )

    def need_channel_scope(self, channel: Channel, right: str) -> None:
        """Demand the scope for this kind of channel, such as `groups:history`."""
        self.need_scope(f"{SCOPE_PREFIXES[channel.kind]}:{right}")

    def page(self, items: Sequence[T]) -> tuple[Sequence[T], JsonObject]:
        """One page of the items by `limit` and `cursor`, and its `response_metadata`."""
        start = self.args.number("cursor", 0)
        limit = self.args.number("limit", 100)
        end = start + limit
        page = items[start:end]
        next_cursor = str(end) if end < len(items) else ""
        return page, {"next_cursor": next_cursor}


@dataclass(frozen=True, slots=True)
class Method:
    """How the server treats a method. Any one of `scopes` is enough; `access` is whose token."""

    run: Callable[[MethodCall], JsonObject]
    scopes: tuple[str, ...] = ()
    rate: Rate = TIER_3
    access: Literal["bot", "app"] = "bot"
