"""Records of what stands in Slack, and the ops and receipts of what the bot writes there.

An op is one write with its id, which stands in the metadata of its post: so a later process finds
the post, and writes nothing twice. Both are compared as types; the text form is only for Slack and
for bookmarks.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

from agent_core.messages import JsonObject
from agent_core.runtime import Language, detect_language
from bot.inbound import SlackFile, object_in, objects_in, read_file, text_in

EVENT_TYPE = "universal_agent"
"""The metadata type under which the bot marks its own posts."""

_STORED_SEPARATOR = "|"
"""Owners and steps hold colons; none holds this."""
_DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Op:
    """One write: whose it is (a turn, a post, a click, a schedule), and which of the owner's."""

    owner: str
    path: tuple[str, ...] = ()
    is_direct: bool = False
    """The write goes to the person directly, where the thread takes none."""

    def part(self, *steps: object) -> "Op":
        """A write that belongs to this one, such as a post of an answer."""
        names = [str(step) for step in steps]
        return replace(self, path=(*self.path, *names))

    def without(self, *last: str) -> "Op":
        """The op that this is the named part of, or else this op."""
        head = self.path[: -len(last)]
        if (*head, *last) != self.path:
            return self
        return replace(self, path=head)

    def directly(self) -> "Op":
        """The same write, to the person directly."""
        return replace(self, is_direct=True)

    def in_thread(self) -> "Op":
        """The same write, wherever it went."""
        return replace(self, is_direct=False)

    def is_within(self, whole: "Op") -> bool:
        """Whether this is the other op, or a part of it."""
        head = self.path[: len(whole.path)]
        return self.owner == whole.owner and head == whole.path

    def __str__(self) -> str:
        """As it stands in the metadata of a post."""
        steps = [self.owner, *self.path]
        if self.is_direct:
            steps.append(_DIRECT)
        return ":".join(steps)


def read_op(owner: str, text: str) -> Op | None:
    """The op of a known owner from a post's metadata; None for another owner's."""
    path = text.removeprefix(f"{owner}:")
    if path == text:
        return None
    steps = path.split(":")
    return Op(owner, tuple(steps))


def _store(op: Op) -> str:
    mark = _DIRECT if op.is_direct else ""
    return _STORED_SEPARATOR.join([mark, op.owner, *op.path])


def _restore(stored: object) -> object:
    if not isinstance(stored, str):
        return stored
    mark, owner, *path = stored.split(_STORED_SEPARATOR)
    return Op(owner, tuple(path), is_direct=bool(mark))


StoredOp = Annotated[
    Op,
    BeforeValidator(_restore),
    PlainSerializer(_store),
]
"""An op in a bookmark."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a write landed."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is in this workspace."""

    team: str
    bot_user: str
    bot_id: str
    app_id: str = ""
    """Empty when Slack did not tell; payloads are then not checked for it."""


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
    """Such as `de-DE`; empty where Slack does not tell. It is `language` where that is set, else
    the language that they wrote in last."""
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
    files: tuple[SlackFile, ...] = ()
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
    manager: str = ""
    """Who made it, or whose direct conversation it is: they may change its settings."""


def read_post(raw: JsonObject) -> PostRecord:
    """One message of `conversations.replies`."""
    return PostRecord(
        ts=text_in(raw, "ts"),
        user=text_in(raw, "user"),
        text=text_in(raw, "text"),
        bot_id=text_in(raw, "bot_id"),
        subtype=text_in(raw, "subtype"),
        op_id=_op_id(object_in(raw, "metadata")),
        files=tuple(map(read_file, objects_in(raw, "files"))),
        replies=int(raw.get("reply_count") or 0),
        is_streamed=bool(raw.get("streaming_state")),
    )


def read_person(raw: JsonObject) -> Person:
    """The `user` object of `users.info`."""
    return Person(
        id=text_in(raw, "id"),
        team=text_in(raw, "team_id"),
        name=_name(raw),
        is_bot=bool(raw.get("is_bot")) or text_in(raw, "id") == "USLACKBOT",
        is_guest=bool(raw.get("is_restricted")) or bool(raw.get("is_ultra_restricted")),
        is_deactivated=bool(raw.get("deleted")),
        is_stranger=bool(raw.get("is_stranger")),
        utc_offset_s=int(raw.get("tz_offset") or 0),
        locale=text_in(raw, "locale"),
        zone=text_in(raw, "tz"),
        is_admin=bool(raw.get("is_admin")) or bool(raw.get("is_owner")),
    )


def read_conversation(raw: JsonObject) -> Conversation:
    """One channel of `conversations.info`, or of `users.conversations`: the bot is in those."""
    return Conversation(
        id=text_in(raw, "id"),
        kind=_conversation_kind(raw),
        name=text_in(raw, "name"),
        is_archived=bool(raw.get("is_archived")),
        is_member=bool(raw.get("is_member", True)),
        manager=text_in(raw, "creator") or text_in(raw, "user"),
    )


def next_cursor(answer: JsonObject) -> str:
    """Where the next page begins; empty on the last one."""
    return text_in(object_in(answer, "response_metadata"), "next_cursor")


def shared_in(file: JsonObject, channel: str) -> list[str]:
    """The posts of the channel in which a file of `files.info` stands, by their `ts`."""
    shares = object_in(file, "shares")
    return [
        text_in(each, "ts")
        for kind in shares
        for each in objects_in(object_in(shares, kind), channel)
    ]


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


def _op_id(metadata: JsonObject) -> str:
    if metadata.get("event_type") != EVENT_TYPE:
        return ""
    return text_in(object_in(metadata, "event_payload"), "op_id")


def _name(raw: JsonObject) -> str:
    profile = object_in(raw, "profile")
    for candidate in (
        text_in(profile, "display_name"),
        text_in(raw, "real_name"),
        text_in(raw, "name"),
    ):
        if candidate.strip():
            return candidate.strip()
    return text_in(raw, "id")
