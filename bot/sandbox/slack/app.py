"""The app under test as it is installed in the team: identity, tokens, scopes, subscriptions."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.slack.records import Channel, ChannelKind
from bot.sandbox.slack.team import Team

DEFAULT_SCOPES = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write",
    "commands", "files:read", "files:write", "groups:history", "groups:read", "im:history",
    "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write",
    "team:read", "users:read",
)  # fmt: skip
DEFAULT_EVENTS = (
    "agent_session_stopped", "agent_session_title_changed", "app_context_changed",
    "app_home_opened", "app_mention", "app_uninstalled", "channel_archive", "channel_rename",
    "file_shared", "member_joined_channel", "message.channels", "message.groups", "message.im",
    "message.mpim", "reaction_added", "tokens_revoked",
)  # fmt: skip

MESSAGE_EVENTS: dict[ChannelKind, str] = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
SCOPE_PREFIXES: dict[ChannelKind, str] = {
    "channel": "channels",
    "group": "groups",
    "im": "im",
    "mpim": "mpim",
}
# An event is delivered with any one of its scopes; an event that is not listed needs none.
_EVENT_SCOPES: dict[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "member_joined_channel": ("channels:read", "groups:read", "mpim:read"),
    "member_left_channel": ("channels:read", "groups:read", "mpim:read"),
    "channel_archive": ("channels:read",),
    "channel_rename": ("channels:read",),
    "group_archive": ("groups:read",),
    "group_rename": ("groups:read",),
    "file_shared": ("files:read",),
    "file_deleted": ("files:read",),
    "app_context_changed": ("assistant:write",),
    "agent_session_stopped": ("chat:write",),
    "agent_session_title_changed": ("chat:write",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    id: str
    bot_id: str
    bot_user_id: str
    team_id: str
    bot_token: str
    app_token: str
    scopes: tuple[str, ...]
    bot_events: tuple[str, ...]

    def has_any_scope(self, *scopes: str) -> bool:
        return not scopes or any(scope in self.scopes for scope in scopes)

    def is_subscribed(self, subscription: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        scopes = _EVENT_SCOPES.get(subscription, ())
        return subscription in self.bot_events and self.has_any_scope(*scopes)

    def is_member(self, channel: Channel) -> bool:
        return self.bot_user_id in channel.members


def install_app(team: Team, scopes: Sequence[str], bot_events: Sequence[str]) -> App:
    """Install the app with fresh tokens."""
    return App(
        id=team.app_id,
        bot_id=team.bot_id,
        bot_user_id=team.bot.id,
        team_id=team.id,
        bot_token=f"xoxb-sandbox-{secrets.token_hex(12)}",
        app_token=f"xapp-1-{team.app_id}-{secrets.token_hex(12)}",
        scopes=tuple(scopes),
        bot_events=tuple(bot_events),
    )
