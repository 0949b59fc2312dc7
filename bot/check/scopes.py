"""The scopes that an installed app must have; the manifest asks for the same ones."""

from bot.slack_api.scopes import SCOPES

EVENT_SCOPES: dict[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    "message": ("channels:history", "groups:history", "im:history", "mpim:history"),
}
"""Without its scope Slack does not send an event."""

NEEDED: frozenset[str] = frozenset(
    scope
    for table in (SCOPES.values(), EVENT_SCOPES.values())
    for group in table
    for scope in group
)
AGENT_VIEW = "assistant:write"
"""Comes with the manifest's agent view. Without it the bot works in channels all the same."""
