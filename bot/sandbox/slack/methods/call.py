"""What a Web API method is to the server, and what a method gets to work with."""

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
    """One call: its arguments, and the look-ups that nearly every method begins with."""

    args: Arguments
    backend: SlackBackend

    @property
    def state(self) -> TeamState:
        return self.backend.state

    @property
    def app(self) -> App:
        return self.backend.app

    def visible_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument. A private one without the bot does not exist for it."""
        channel = self.state.channels.get(self.args.required(name))
        if channel is None or (channel.kind != "channel" and not self.app.is_member(channel)):
            raise ApiError("channel_not_found")
        return channel

    def joined_channel(self, name: str = "channel") -> Channel:
        """The channel of an argument, of which the bot must be a member."""
        channel = self.visible_channel(name)
        if not self.app.is_member(channel):
            raise ApiError("not_in_channel")
        return channel

    def posting_channel(self) -> Channel:
        """The channel to post in: by its id, or by a user's id for the direct channel."""
        address, bot = self.args.required("channel"), self.app.bot_user_id
        is_user = address in self.state.users and address != bot
        channel = self.state.direct_channel(address, bot) if is_user else self.joined_channel()
        if channel.is_archived:
            raise ApiError("is_archived")
        if channel.is_read_only:
            raise ApiError("restricted_action_read_only_channel")
        return channel

    def post(self, channel: Channel, name: str = "ts") -> Post:
        """The post of an argument; ephemeral posts cannot be addressed."""
        if post := self.state.find_post(channel.id, self.args.required(name)):
            return post
        raise ApiError("message_not_found")

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
        """Any one of them is enough."""
        if not self.app.has_any_scope(*scopes):
            needed, provided = ",".join(scopes), ",".join(self.app.scopes)
            raise ApiError("missing_scope", needed=needed, provided=provided)

    def need_channel_scope(self, channel: Channel, right: str) -> None:
        """Demand the scope for this kind of channel, such as `groups:history`."""
        self.need_scope(f"{SCOPE_PREFIXES[channel.kind]}:{right}")

    def page(self, items: Sequence[T], *, default: int = 100) -> tuple[Sequence[T], JsonObject]:
        """One page of the items by `limit` and `cursor`, and the `response_metadata` with it."""
        start = self.args.number("cursor", 0)
        end = start + self.args.number("limit", default)
        return items[start:end], {"next_cursor": str(end) if end < len(items) else ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How the server treats a method. Any one of `scopes` is enough; `access` says whose token."""

    run: Callable[[MethodCall], JsonObject]
    scopes: tuple[str, ...] = ()
    rate: Rate = TIER_3
    access: Literal["bot", "app"] = "bot"
