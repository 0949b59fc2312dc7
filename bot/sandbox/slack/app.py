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
    "agent_session_stopped", "app_home_opened", "app_mention", "message.channels",
    "message.groups", "message.im", "message.mpim", "reaction_added",
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
_EVENT_SCOPES: Mapping[str, str] = {
    "app_mention": "app_mentions:read",
    "agent_session_stopped": "chat:write",
    "reaction_added": "reactions:read",
    **{MESSAGE_EVENTS[kind]: f"{prefix}:history" for kind, prefix in SCOPE_PREFIXES.items()},
}
"""The scope that Slack demands for an event; an event without an entry needs none."""


class App:
    """The bot of the team, with fresh tokens, scopes and subscriptions."""

    def __init__(
        self,
        team: SandboxTeam,
        scopes: Sequence[str],
        bot_events: Sequence[str],
        *,
        is_home_enabled: bool,
        commands: Sequence[JsonObject],
        shortcuts: Sequence[JsonObject],
    ) -> None:
        self.id = team.app_id
        self.bot_id = team.bot_id
        self.bot_user_id = team.bot.id
        self.team_id = team.id
        self.bot_token = f"xoxb-sandbox-{secrets.token_hex(12)}"
        self.app_token = f"xapp-1-{team.app_id}-{secrets.token_hex(12)}"
        self.scopes = tuple(scopes)
        self.bot_events = tuple(bot_events)
        self.is_home_enabled = is_home_enabled
        self.commands = tuple(commands)
        self.shortcuts = tuple(shortcuts)

    def is_subscribed(self, event: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        scope = _EVENT_SCOPES.get(event)
        is_granted = scope is None or scope in self.scopes
        return is_granted and event in self.bot_events

    def is_member(self, channel: Channel) -> bool:
        return self.bot_user_id in channel.members
