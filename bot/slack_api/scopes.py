"""What the bot calls and hears of Slack, with the scopes. The manifest is held to these tables."""

OPEN_SOCKET = "apps.connections.open"
"""Called with the app-level token, whose scope is no part of a manifest."""

_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
_LISTED = ("channels:read", "groups:read", "im:read", "mpim:read")

SCOPES: dict[str, tuple[str, ...]] = {
    "agents.sessions.rename": ("chat:write",),
    "agents.sessions.setStatus": ("chat:write",),
    "assistant.threads.setStatus": ("chat:write",),
    "assistant.threads.setSuggestedPrompts": (),  # or left out where there is no agent view
    "auth.test": (),
    "bots.info": ("users:read",),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.getPermalink": (),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": _HISTORY,
    "conversations.info": _LISTED,
    "conversations.members": _LISTED,
    "conversations.open": ("im:write",),
    "conversations.replies": _HISTORY,
    "files.completeUploadExternal": ("files:write",),
    "files.delete": ("files:write",),
    "files.getUploadURLExternal": ("files:write",),
    "files.info": ("files:read",),
    "reactions.add": ("reactions:write",),
    "reactions.remove": ("reactions:write",),
    "users.conversations": _LISTED,
    "users.info": ("users:read",),
    "views.open": (),
    "views.publish": (),
}

EVENT_SCOPES: dict[str, tuple[str, ...]] = {
    "agent_session_stopped": ("chat:write",),
    "app_home_opened": (),
    "app_mention": ("app_mentions:read",),
    "message": _HISTORY,
    "reaction_added": ("reactions:read",),
}
"""The events that the bot hears. Without its scope Slack does not send one."""

SLASH_COMMANDS = "commands"
"""The scope of slash commands."""

NEEDED = frozenset({SLASH_COMMANDS}).union(*SCOPES.values(), *EVENT_SCOPES.values())
