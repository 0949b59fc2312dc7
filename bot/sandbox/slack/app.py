"""The app under test as it is installed in the team: identity, tokens, scopes, subscriptions."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.slack.records import Channel, ChannelKind
from bot.sandbox.slack.team import Team

DEFAULT_SCOPES = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write",
    "commands", "files:read", "files:write", "groups:history", "groups:read", "im:history",
    "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write",
    "users:read",
)  # fmt: skip
DEFAULT_EVENTS = (
    "agent_session_stopped", "app_home_opened", "app_mention", "app_uninstalled",
    "channel_archive", "channel_rename", "file_shared", "member_joined_channel",
    "message.channels", "message.groups", "message.im", "message.mpim", "reaction_added",
    "tokens_revoked",
)  # fmt: skip
MESSAGE_EVENTS: Mapping[ChannelKind, str] = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
SCOPE_PREFIXES: Mapping[ChannelKind, str] = {
    "channel": "channels",
    "group": "groups",
    "im": "im",
    "mpim": "mpim",
}
_MEMBERS = ("channels:read", "groups:read", "mpim:read")
_EVENT_SCOPES: Mapping[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    **{MESSAGE_EVENTS[kind]: (f"{prefix}:history",) for kind, prefix in SCOPE_PREFIXES.items()},
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "member_joined_channel": _MEMBERS,
    "member_left_channel": _MEMBERS,
    **{f"channel_{name}": ("channels:read",) for name in ("archive", "left", "rename")},
    **{f"group_{name}": ("groups:read",) for name in ("archive", "left", "rename")},
    "file_shared": ("files:read",),
    "agent_session_stopped": ("chat:write",),
}
"""An event is delivered with any one of its scopes; one that is not listed needs none."""


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
    is_home_enabled: bool

    def has_any_scope(self, *scopes: str) -> bool:
        return not scopes or any(scope in self.scopes for scope in scopes)

    def is_subscribed(self, event: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        return event in self.bot_events and self.has_any_scope(*_EVENT_SCOPES.get(event, ()))

    def is_member(self, channel: Channel) -> bool:
        return self.bot_user_id in channel.members


def install_app(
    team: Team, scopes: Sequence[str], bot_events: Sequence[str], *, is_home_enabled: bool
) -> App:
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
        is_home_enabled=is_home_enabled,
    )
