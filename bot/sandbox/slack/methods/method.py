"""What a Web API method is to the server, and what a method gets to work with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.sandbox.slack.app import SCOPE_PREFIXES, App
from bot.sandbox.slack.arguments import Arguments
from bot.sandbox.slack.errors import ApiError, missing_scope
from bot.sandbox.slack.rates import TIER_3, Rate
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject
from bot.sandbox.slack.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its arguments, and the look-ups that nearly every method begins with."""

    args: Arguments
    workspace: Workspace

    @property
    def state(self) -> State:
        return self.workspace.state

    @property
    def base_url(self) -> str:
        return self.workspace.base_url

    @property
    def app(self) -> App:
        return self.workspace.app

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

    def posting_channel(self, name: str = "channel") -> Channel:
        """The channel to post in: by id, by name, or by a user's id for the direct channel."""
        channel = self._addressed_channel(self.args.required(name))
        if not self.app.is_member(channel) and not self._may_post_uninvited(channel):
            raise ApiError("channel_not_found" if channel.kind != "channel" else "not_in_channel")
        if channel.is_archived:
            raise ApiError("is_archived")
        if channel.is_read_only:
            raise ApiError("restricted_action_read_only_channel")
        return channel

    def _addressed_channel(self, address: str) -> Channel:
        if address in self.state.users and address != self.app.bot_user_id:
            return self.state.direct_channel(address, self.app.bot_user_id)
        name = address.removeprefix("#")
        named = (c for c in self.state.channels.values() if c.name and c.name == name)
        channel = self.state.channels.get(address) or next(named, None)
        if channel is None:
            raise ApiError("channel_not_found")
        return channel

    def _may_post_uninvited(self, channel: Channel) -> bool:
        return channel.kind == "channel" and "chat:write.public" in self.app.scopes

    def post(self, channel: Channel, name: str = "ts") -> Post:
        """The post of an argument; ephemeral posts cannot be addressed."""
        if post := self.state.find_post(channel.id, self.args.required(name)):
            return post
        raise ApiError("message_not_found")

    def need_scope(self, *scopes: str) -> None:
        if not self.app.has_any_scope(*scopes):
            raise missing_scope(",".join(scopes), self.app.scopes)

    def need_channel_scope(self, channel: Channel, right: str) -> None:
        """Demand the scope for this kind of channel, such as `groups:history`."""
        self.need_scope(f"{SCOPE_PREFIXES[channel.kind]}:{right}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How the server treats a method. Any one of `scopes` is enough; `access` says whose token."""

    run: Callable[[Call], JsonObject]
    scopes: tuple[str, ...] = ()
    rate: Rate = TIER_3
    access: Literal["bot", "app", "config", "anyone"] = "bot"


Methods = Mapping[str, Method]
