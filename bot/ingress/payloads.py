"""The payloads in which Slack would have delivered what was found by reading. Pure."""

from agent_core.messages import JsonObject
from bot.inbound import DELETED, EDITED
from bot.slack_api import Conversation, Identity

_OF_HISTORY = frozenset(
    {
        "is_locked", "last_read", "latest_reply", "reply_count", "reply_users",
        "reply_users_count", "subscribed",
    }
)  # fmt: skip
"""What a post carries in a listing and not in a payload."""


def posted(raw: JsonObject, place: Conversation, identity: Identity) -> JsonObject:
    """Of a post, as the post is now."""
    ts = str(raw["ts"])
    event = {**_said(raw), "channel": place.id, "channel_type": place.kind, "event_ts": ts}
    return _envelope(event, ts, identity)


def edited(raw: JsonObject, channel: str, identity: Identity, *, at_ts: str) -> JsonObject:
    """Of an edit, from the post as it is now; what it was before is not known any more."""
    event = {**_change(EDITED, channel, at_ts), "message": _said(raw)}
    return _envelope(event, at_ts, identity)


def deleted(ts: str, channel: str, identity: Identity) -> JsonObject:
    """Of the deletion of a post; when it was made and what was deleted is not known any more."""
    event = {**_change(DELETED, channel, ts), "deleted_ts": ts}
    return _envelope(event, ts, identity)


def _said(raw: JsonObject) -> JsonObject:
    return {name: value for name, value in raw.items() if name not in _OF_HISTORY}


def _change(subtype: str, channel: str, at_ts: str) -> JsonObject:
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel,
        "ts": at_ts,
        "event_ts": at_ts,
    }


def _envelope(event: JsonObject, at_ts: str, identity: Identity) -> JsonObject:
    return {
        "type": "event_callback",
        "team_id": identity.team,
        "api_app_id": identity.app_id,
        "event_time": int(float(at_ts)),
        "event": event,
    }
