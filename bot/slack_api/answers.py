"""Slack's answers, read into our records."""

from typing import Any, cast

from agent_core.messages import JsonObject
from bot.slack_api.records import Conversation, ConversationKind, Person, PostRecord

EVENT_TYPE = "universal_agent"
"""The metadata type under which the bot marks its own posts."""


def read_post(raw: JsonObject) -> PostRecord:
    """One message of `conversations.replies`."""
    files = cast("list[JsonObject]", raw.get("files") or [])
    return PostRecord(
        ts=_text(raw, "ts"),
        user=_text(raw, "user"),
        text=_text(raw, "text"),
        bot_id=_text(raw, "bot_id"),
        subtype=_text(raw, "subtype"),
        op_id=_op_id(raw.get("metadata")),
        file_names=tuple(_text(file, "name") for file in files),
    )


def read_person(raw: JsonObject) -> Person:
    """The `user` object of `users.info`."""
    return Person(
        id=_text(raw, "id"),
        team=_text(raw, "team_id"),
        name=_name(raw),
        is_bot=bool(raw.get("is_bot")) or _text(raw, "id") == "USLACKBOT",
        is_guest=bool(raw.get("is_restricted")) or bool(raw.get("is_ultra_restricted")),
        is_deactivated=bool(raw.get("deleted")),
        is_stranger=bool(raw.get("is_stranger")),
        utc_offset_s=int(raw.get("tz_offset") or 0),
        locale=_text(raw, "locale"),
        zone=_text(raw, "tz"),
        is_admin=bool(raw.get("is_admin")) or bool(raw.get("is_owner")),
    )


def read_conversation(raw: JsonObject) -> Conversation:
    """One channel of `conversations.info`, or of `users.conversations`: the bot is in those."""
    return Conversation(
        id=_text(raw, "id"),
        kind=_conversation_kind(raw),
        name=_text(raw, "name"),
        is_archived=bool(raw.get("is_archived")),
        is_member=bool(raw.get("is_member", True)),
    )


def next_cursor(answer: JsonObject) -> str:
    """Where the next page begins; empty on the last one."""
    paging = cast("JsonObject", answer.get("response_metadata") or {})
    return _text(paging, "next_cursor")


def shared_in(file: JsonObject, channel: str) -> bool:
    """Whether a file of `files.info` was posted to the channel."""
    shares = cast("dict[str, JsonObject]", file.get("shares") or {})
    return any(channel in places for places in shares.values())


def _conversation_kind(raw: JsonObject) -> ConversationKind:
    """A conversation of several people may say that it is a group, too."""
    if raw.get("is_im"):
        return "im"
    if raw.get("is_mpim"):
        return "mpim"
    return "group" if raw.get("is_private") or raw.get("is_group") else "channel"


def _op_id(metadata: Any) -> str:
    if not isinstance(metadata, dict):
        return ""
    marked = cast("JsonObject", metadata)
    if marked.get("event_type") != EVENT_TYPE:
        return ""
    return _text(cast("JsonObject", marked.get("event_payload") or {}), "op_id")


def _name(raw: JsonObject) -> str:
    profile = cast("JsonObject", raw.get("profile") or {})
    for candidate in (_text(profile, "display_name"), _text(raw, "real_name"), _text(raw, "name")):
        if candidate.strip():
            return candidate.strip()
    return _text(raw, "id")


def _text(raw: JsonObject, key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""
