"""The app under test as it is installed in the team: identity, tokens, scopes, subscriptions."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.slack.event_scopes import is_granted
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


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    id: str
    bot_id: str
    bot_user_id: str
    team_id: str
    bot_token: str
    app_token: str
    config_token: str
    """An app configuration token: it opens the manifest methods and nothing else."""
    scopes: tuple[str, ...]
    bot_events: tuple[str, ...]
    unfurl_domains: tuple[str, ...] = ()
    is_home_enabled: bool = True

    def has_any_scope(self, *scopes: str) -> bool:
        return not scopes or any(scope in self.scopes for scope in scopes)

    def is_subscribed(self, subscription: str) -> bool:
        """Whether Slack would send this event: it is subscribed and its scope is granted."""
        return subscription in self.bot_events and is_granted(subscription, self.scopes)

    def is_member(self, channel: Channel) -> bool:
        return self.bot_user_id in channel.members


def install_app(
    team: Team,
    scopes: Sequence[str],
    bot_events: Sequence[str],
    *,
    unfurl_domains: Sequence[str] = (),
    is_home_enabled: bool = True,
) -> App:
    """Install the app with fresh tokens."""
    return App(
        id=team.app_id,
        bot_id=team.bot_id,
        bot_user_id=team.bot.id,
        team_id=team.id,
        bot_token=f"xoxb-sandbox-{secrets.token_hex(12)}",
        app_token=f"xapp-1-{team.app_id}-{secrets.token_hex(12)}",
        config_token=f"xoxe.xoxp-1-{secrets.token_hex(12)}",
        scopes=tuple(scopes),
        bot_events=tuple(bot_events),
        unfurl_domains=tuple(unfurl_domains),
        is_home_enabled=is_home_enabled,
    )
