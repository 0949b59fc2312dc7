"""Which scope lets an app be told of which event."""

from collections.abc import Mapping, Sequence

_CHANNELS, _GROUPS = ("channels:read",), ("groups:read",)
_CHANNEL_EVENTS = ("rename", "archive", "unarchive", "created", "deleted", "left", "id_changed")
_MEMBERS = ("channels:read", "groups:read", "mpim:read")

# An event is delivered with any one of its scopes; an event that is not listed needs none.
EVENT_SCOPES: Mapping[str, tuple[str, ...]] = {
    "app_mention": ("app_mentions:read",),
    "message.channels": ("channels:history",),
    "message.groups": ("groups:history",),
    "message.im": ("im:history",),
    "message.mpim": ("mpim:history",),
    "reaction_added": ("reactions:read",),
    "reaction_removed": ("reactions:read",),
    "member_joined_channel": _MEMBERS,
    "member_left_channel": _MEMBERS,
    **{f"channel_{name}": _CHANNELS for name in _CHANNEL_EVENTS},
    **{f"group_{name}": _GROUPS for name in _CHANNEL_EVENTS},
    "file_shared": ("files:read",),
    "file_created": ("files:read",),
    "file_change": ("files:read",),
    "file_deleted": ("files:read",),
    "pin_added": ("pins:read",),
    "pin_removed": ("pins:read",),
    "link_shared": ("links:read",),
    "emoji_changed": ("emoji:read",),
    "team_join": ("users:read",),
    "user_change": ("users:read",),
    "message_metadata_posted": ("metadata.message:read",),
    "message_metadata_updated": ("metadata.message:read",),
    "message_metadata_deleted": ("metadata.message:read",),
    "app_context_changed": ("assistant:write",),
    "agent_session_stopped": ("chat:write",),
    "agent_session_title_changed": ("chat:write",),
}


def is_granted(event: str, scopes: Sequence[str]) -> bool:
    """Whether an app with these scopes may be told of the event."""
    needed = EVENT_SCOPES.get(event, ())
    return not needed or any(scope in scopes for scope in needed)
