"""Slack's answers, read into frozen records with our names."""

from dataclasses import dataclass
from typing import Any, cast

from agent_core.messages import JsonObject
from agent_core.runtime import Language, detect_language
from bot.slack_api.ops import Op

EVENT_TYPE = "universal_agent"
"""The metadata type under which the bot marks its own posts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is in this workspace."""

    team: str
    bot_user: str
    bot_id: str
    app_id: str = ""
    """Empty when Slack did not tell; payloads are then not checked for it."""
    url: str = ""
    """Of the workspace, with a slash at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotToken:
    """Whose a bot token is, and what it may do."""

    bot: str
    team: str
    scopes: frozenset[str] | None
    """None when Slack did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user as Slack describes them. Identity is the id, never the name."""

    id: str
    team: str
    name: str
    is_bot: bool = False
    is_guest: bool = False
    is_deactivated: bool = False
    is_stranger: bool = False
    """Someone of another organisation, seen through a shared channel."""
    utc_offset_s: int = 0
    locale: str = ""
    """Such as `de-DE`; empty where Slack does not tell. It is `language` where that is set."""
    language: str = ""
    """That they chose to be spoken to in, such as `de`; empty where they never did."""
    zone: str = ""
    """Such as `Europe/Berlin`; empty where Slack does not tell."""
    is_admin: bool = False
    digest_time: str = ""
    """Their usual time of new digests, such as `07:30`; empty where they chose none."""


def language_of(person: Person | None) -> Language:
    """What they are spoken to in where their own words do not tell."""
    return detect_language(locale=person.locale if person else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostRecord:
    """One post of a thread or channel, as Slack stores it. `text` is in Slack's wire form."""

    ts: str
    user: str
    text: str
    bot_id: str = ""
    subtype: str = ""
    op_id: str = ""
    """Of a post that the bot made; empty for all others."""
    files: tuple[JsonObject, ...] = ()
    """As Slack gives them."""
    replies: int = 0
    is_streamed: bool = False
    """It grew while its words were written, or does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A channel or direct conversation that the bot is a member of."""

    id: str
    kind: str
    """`channel` (public), `group` (private), `im` or `mpim` (direct with one or with several)."""
    name: str = ""
    """Without a sign before it; empty for a direct one."""
    is_archived: bool = False
    is_member: bool = True
    """Whether the bot is in it."""


def read_post(raw: JsonObject) -> PostRecord:
    """One message of `conversations.replies`."""
    return PostRecord(
        ts=_text(raw, "ts"),
        user=_text(raw, "user"),
        text=_text(raw, "text"),
        bot_id=_text(raw, "bot_id"),
        subtype=_text(raw, "subtype"),
        op_id=_op_id(raw.get("metadata")),
        files=tuple(cast("list[JsonObject]", raw.get("files") or [])),
        replies=int(raw.get("reply_count") or 0),
        is_streamed=bool(raw.get("streaming_state")),
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


def shared_in(file: JsonObject, channel: str) -> list[str]:
    """The posts of the channel in which a file of `files.info` stands, by their `ts`."""
    shares = cast("dict[str, dict[str, list[JsonObject]]]", file.get("shares") or {})
    return [_text(each, "ts") for places in shares.values() for each in places.get(channel, ())]


def _conversation_kind(raw: JsonObject) -> str:
    """A conversation of several people may say that it is a group, too."""
    if raw.get("is_im"):
        return "im"
    if raw.get("is_mpim"):
        return "mpim"
    return "group" if raw.get("is_private") or raw.get("is_group") else "channel"


def mark(op: Op) -> JsonObject:
    """The metadata by which a later process finds the post of an op."""
    return {"event_type": EVENT_TYPE, "event_payload": {"op_id": str(op)}}


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
