"""What Slack's answers become: frozen records with our names."""

from dataclasses import dataclass
from typing import Literal

ConversationKind = Literal["channel", "group", "im", "mpim"]
"""Slack's words: public, private, direct with one person, direct with several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is in this workspace."""

    team: str
    bot_user: str
    bot_id: str
    app_id: str = ""
    """Empty when Slack did not tell; payloads are then not checked for it."""


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
    """Such as `de-DE`; empty where Slack does not tell."""
    zone: str = ""
    """Such as `Europe/Berlin`; empty where Slack does not tell."""
    is_admin: bool = False


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
    file_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A channel or direct conversation that the bot is a member of."""

    id: str
    kind: ConversationKind
    name: str = ""
    """Without a sign before it; empty for a direct one."""
    is_archived: bool = False
    is_member: bool = True
    """Whether the bot is in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadTicket:
    """A file that Slack expects: where its bytes go."""

    file_id: str
    upload_url: str
