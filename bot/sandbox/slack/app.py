"""The app under test as it is installed in the team: identity, tokens, scopes, subscriptions."""

import secrets
from collections.abc import Mapping, Sequence

from bot.sandbox.slack.records import Channel, ChannelKind
from bot.sandbox.slack.team import SandboxTeam
from bot.sandbox.slack.wire import JsonObject

DEFAULT_SCOPES = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write",
    "commands", "files:read", "files:write", "groups:history", "groups:read", "im:history",
    "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write",
    "users:read",
)  # fmt: skip
DEFAULT_EVENTS = (
    "agent_session_stopped", "app_home_opened", "app_mention", "channel_archive", "channel_rename",
    "group_archive", "group_rename", "member_joined_channel", "member_left_channel",
    "message.channels", "message.groups", "message.im", "message.mpim", "reaction_added",
    "reaction_removed",
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
_EVENT_SCOPES: Mapping[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    **{MESSAGE_EVENTS[kind]: (f"{prefix}:history",) for kind, prefix in SCOPE_PREFIXES.items()},
    "agent_session_stopped": ("chat:write",),
    **dict.fromkeys(("channel_archive", "channel_rename"), ("channels:read",)),
    **dict.fromkeys(("group_archive", "group_rename"), ("groups:read",)),
    **dict.fromkeys(
        ("member_joined_channel", "member_left_channel"), ("channels:read", "groups:read")
    ),
    **dict.fromkeys(("reaction_added", "reaction_removed"), ("reactions:read",)),
}
"""An event is delivered with any one of its scopes; one that is not listed needs none."""


class App:
    """What the team's bot is, with fresh tokens, and what it was granted."""

    def __init__(
        self,
        team: SandboxTeam,
        scopes: Sequence[str],
        bot_events: Sequence[str],
        *,
        is_home_enabled: bool,
        commands: Sequence[JsonObject] = (),
        shortcuts: Sequence[JsonObject] = (),
    ) -> None:
        self.id, self.bot_id, self.bot_user_id = team.app_id, team.bot_id, team.bot.id
        self.team_id = team.id
        self.bot_token = f"xoxb-sandbox-{secrets.token_hex(12)}"
        self.app_token = f"xapp-1-{team.app_id}-{secrets.token_hex(12)}"
        self.scopes, self.bot_events = tuple(scopes), tuple(bot_events)
        self.is_home_enabled = is_home_enabled
        self.commands, self.shortcuts = tuple(commands), tuple(shortcuts)

    def has_any_scope(self, *scopes: str) -> bool:
        return not scopes or any(scope in self.scopes for scope in scopes)

    def is_subscribed(self, event: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        return event in self.bot_events and self.has_any_scope(*_EVENT_SCOPES.get(event, ()))

    def is_member(self, channel: Channel) -> bool:
        return self.bot_user_id in channel.members
