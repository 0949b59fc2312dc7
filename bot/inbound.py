"""Slack's payloads on posts, read into posts, edits, deletions and halts. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from agent_core.errors import SessionError
from agent_core.messages import JsonObject
from bot.threads import ThreadRef

KEPT_SUBTYPES = frozenset({"", "file_share", "thread_broadcast", "me_message"})
EDITED = "message_changed"
DELETED = "message_deleted"
TOMBSTONE = "tombstone"
"""What stands in the place of a deleted post that has replies."""

PRESSED, SUBMITTED, CHOSEN = "block_actions", "view_submission", "message_action"
STOP_REACTION = "x"
REACTED, STOPPED = "reaction_added", "agent_session_stopped"
_APP_MARKS = ("bot_id", "app_id", "bot_profile")
"""Fields of a post that an app has made."""

_TS = re.compile(r"\d{1,12}\.\d{6}")
_WIRE_TOKEN = re.compile(r"<([^<>]*)>")
_USER_MENTION = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")
_EMOJI = re.compile(r":([^\s:]+):(?::skin-tone-\d:)?")
_SIGNS = {
    "+1": "👍", "thumbsup": "👍", "octagonal_sign": "🛑", "stop_sign": "🛑", "tada": "🎉",
    "pray": "🙏", "raised_hands": "🙌", "clap": "👏", "heart": "❤️", "rocket": "🚀", "smile": "😄",
    "slightly_smiling_face": "🙂", "ok_hand": "👌", "muscle": "💪", "wave": "👋", "eyes": "👀",
}  # fmt: skip
"""What Slack's names of emoji stand for, where the core may understand a message by one."""
_SCHEMES = ("", "mailto:", "http://", "tel:")
"""What Slack puts before a label to make an address of it."""
_NO_NAME = re.compile(r"[^\w' -]+")
_NAME_CHARS = 60
_GROUP_MENTION = re.compile(r"<!(?:subteam\^|here|channel|everyone)[^<>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackFile:
    """A file that came with a post; its bytes are still in Slack."""

    id: str
    name: str
    mimetype: str
    size_bytes: int
    url_private: str
    user: str = ""
    """Who brought it into Slack; empty where that is not told."""
    is_complete: bool = True
    """Of a file of another organisation Slack first gives the id alone, and the rest when asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundPost:
    """A person's post, the same whichever of Slack's payloads brought it."""

    thread: ThreadRef
    ts: str
    version_ts: str
    """Which version of the post this is: when it was written, or last edited."""
    user: str
    user_team: str
    """The author's home team, where the payload tells it; empty otherwise."""
    app_id: str
    """The app that the payload was for, where it tells that; empty otherwise."""
    wire_text: str
    channel_type: str
    """`channel`, `group`, `im` or `mpim`; empty where it is not known."""
    client_msg_id: str
    is_reply: bool
    mentions_bot: bool
    mentions_others: bool
    files: tuple[SlackFile, ...]
    title: str = ""
    """As in InboundMessage; Slack's own payloads have none."""

    @property
    def version_s(self) -> float:
        """The same in seconds since the epoch."""
        return float(self.version_ts)

    @property
    def key(self) -> str:
        """The gesture's identity: mention and message of one post are one gesture."""
        return post_key(self.thread.team, self.thread.channel, self.ts)

    @property
    def second_key(self) -> str:
        """Slack sometimes delivers one gesture under two `ts`; the client's own id is the same."""
        if not self.client_msg_id:
            return ""
        return f"{self.thread.team}:{self.thread.channel}:{self.client_msg_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """What a payload says about itself and its author."""

    team: str
    app_id: str
    channel: str
    user: str
    user_team: str = ""
    is_bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A person changed the text of their own post."""

    post: InboundPost
    """As it is now."""
    before: InboundPost | None
    """As it was, where the payload tells it."""
    body: JsonObject
    """The payload that would have brought the post as it is now."""

    @property
    def key(self) -> str:
        """The edit's own identity, the same in both payloads that Slack tells of it with."""
        return f"{self.post.key}:edit:{self.post.version_ts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A post is gone, whoever took it away."""

    post_key: str
    before: InboundPost | None
    """As it was, where the payload tells it."""

    @property
    def key(self) -> str:
        return f"{self.post_key}:deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """A person called the work of a thread off without a word: with Slack's own Stop, or an ❌."""

    sender: Sender
    ts: str
    """A post of the thread."""
    is_own: bool
    """The post is the bot's, or the thread was stopped as such; otherwise it is the person's."""
    event_ts: str

    @property
    def post_key(self) -> str:
        return post_key(self.sender.team, self.sender.channel, self.ts)

    @property
    def key(self) -> str:
        return f"{self.post_key}:halt:{self.sender.user}:{self.event_ts}"


PostEvent = InboundPost | Edit | Deletion | Halt


def post_of(event: InboundPost | Edit) -> InboundPost:
    """The post that an event is about, as it is now."""
    return event.post if isinstance(event, Edit) else event


def bare_name(name: str) -> str:
    """Another's name as part of somebody's words: letters and digits alone, and not many."""
    return " ".join(_NO_NAME.sub(" ", name).split())[:_NAME_CHARS]


def posted_at(ts: str, utc_offset_s: int) -> datetime:
    """When a post was made, on the clocks of somebody with this offset."""
    return datetime.fromtimestamp(float(ts), UTC) + timedelta(seconds=utc_offset_s)


def posted_ts(key: str) -> str:
    """The `ts` of the post that a key was made from."""
    return key.rpartition(":")[2]


def read_post(body: JsonObject, *, bot_user: str) -> InboundPost | None:
    """The person's post in an `event_callback` payload, or None if there is none to answer.

    Posts by bots and apps, edits, deletions, joins and other notices are none.
    """
    post = object_in(body, "event")
    if not _is_persons_post(post, bot_user):
        return None
    channel = text_in(post, "channel")
    ts = text_in(post, "ts")
    root_ts = text_in(post, "thread_ts") or ts
    try:
        thread = ThreadRef(team=text_in(body, "team_id"), channel=channel, root_ts=root_ts)
    except SessionError:
        return None
    wire_text = text_in(post, "text")
    edited = object_in(post, "edited")
    edited_ts = text_in(edited, "ts")
    users = mentioned_users(wire_text)
    others = users - {bot_user}
    user_team = text_in(post, "user_team")
    # An `app_mention` does not say where it is; the id of a direct message begins with D.
    channel_type = text_in(post, "channel_type")
    if not channel_type and channel.startswith("D"):
        channel_type = "im"
    return InboundPost(
        thread=thread,
        ts=ts,
        version_ts=edited_ts if _TS.fullmatch(edited_ts) else ts,
        user=text_in(post, "user"),
        user_team=user_team or text_in(post, "team"),
        app_id=text_in(body, "api_app_id"),
        wire_text=wire_text,
        channel_type=channel_type,
        client_msg_id=text_in(post, "client_msg_id"),
        is_reply=root_ts != ts,
        mentions_bot=bot_user in users,
        mentions_others=bool(others or _GROUP_MENTION.search(wire_text)),
        files=tuple(map(read_file, objects_in(post, "files"))),
        title=text_in(post, "bot_title"),
    )


def read_event(body: JsonObject, *, bot_user: str) -> PostEvent | None:
    """What a payload tells of a person's post; None where it tells of none.

    Slack tells of an edited mention twice, as a change and as a mention that was edited. A link's
    preview is a change, too, but not marked as an edit.
    """
    event = object_in(body, "event")
    kind, subtype = event.get("type"), event.get("subtype")
    if kind in {REACTED, STOPPED}:
        return _halt(body, event, bot_user)
    if kind == "message" and subtype == DELETED:
        return _deletion(
            body,
            event,
            text_in(event, "deleted_ts"),
            bot_user,
        )
    if kind == "message" and subtype == EDITED:
        now = object_in(event, "message")
        if now.get("subtype") == TOMBSTONE:
            return _deletion(body, event, text_in(now, "ts"), bot_user)
        return _edit(body, event, bot_user)
    post = read_post(body, bot_user=bot_user)
    if post is not None and kind == "app_mention" and post.version_ts != post.ts:
        return Edit(post=post, before=None, body=body)
    return post


def _halt(body: JsonObject, event: JsonObject, bot_user: str) -> Halt | None:
    """None for another reaction, or one to somebody else's post."""
    user, author = text_in(event, "user"), bot_user
    target = event
    if event["type"] == REACTED:
        if text_in(event, "reaction") != STOP_REACTION:
            return None
        author = text_in(event, "item_user")
        target = object_in(event, "item")
    ts = text_in(target, "ts") or text_in(target, "thread_ts")
    if not ts or author not in {user, bot_user}:
        return None
    sender = Sender(
        team=text_in(body, "team_id"),
        app_id=text_in(body, "api_app_id"),
        channel=text_in(target, "channel"),
        user=user,
    )
    event_ts = text_in(event, "event_ts")
    return Halt(
        sender=sender,
        ts=ts,
        is_own=author == bot_user,
        event_ts=event_ts,
    )


def _edit(body: JsonObject, event: JsonObject, bot_user: str) -> Edit | None:
    now = object_in(event, "message")
    edited = object_in(now, "edited")
    as_now = _as_posted(body, event, now)
    post = read_post(as_now, bot_user=bot_user)
    if post is None or not edited or text_in(edited, "user") not in {"", post.user}:
        return None
    before = _previous(body, event, bot_user)
    if before is not None and before.wire_text == post.wire_text:
        return None
    return Edit(post=post, before=before, body=as_now)


def _deletion(
    body: JsonObject,
    event: JsonObject,
    ts: str,
    bot_user: str,
) -> Deletion | None:
    """None for the deletion of what was no person's post."""
    before = _previous(body, event, bot_user)
    if not ts or (before is None and object_in(event, "previous_message")):
        return None
    key = post_key(text_in(body, "team_id"), text_in(event, "channel"), ts)
    return Deletion(post_key=key, before=before)


def _previous(body: JsonObject, event: JsonObject, bot_user: str) -> InboundPost | None:
    previous = _as_posted(body, event, object_in(event, "previous_message"))
    return read_post(previous, bot_user=bot_user)


def _as_posted(body: JsonObject, event: JsonObject, message: JsonObject) -> JsonObject:
    """The payload that would have told of the message when it was posted."""
    as_posted = {
        **message,
        "channel": event.get("channel"),
        "channel_type": event.get("channel_type"),
    }
    return {**body, "event": as_posted}


def post_key(team: str, channel: str, ts: str) -> str:
    """The identity of a post, the same in every payload that tells of it."""
    return f"{team}:{channel}:{ts}"


def plain_text(
    wire_text: str, *, bot_user: str = "", names: Mapping[str, str] | None = None
) -> str:
    """What the person typed: Slack's escapes and tokens undone, the bot's own mention left out."""
    own_mention = rf"<@{re.escape(bot_user)}(?:\|[^<>]*)?>[ \t]?"
    others = re.sub(own_mention, "", wire_text)
    known = names or {}
    readable = _WIRE_TOKEN.sub(lambda token: _readable(token[1], known), others)
    return _with_signs(unescape_wire(readable)).strip()


def _with_signs(text: str) -> str:
    """Emoji as characters. One without its own here keeps its name, unless there are no words."""
    has_words = any(letter.isalnum() for letter in _EMOJI.sub("", text))

    def character(code: re.Match[str]) -> str:
        unknown = code[0] if has_words else "✨"
        return _SIGNS.get(code[1], unknown)

    return _EMOJI.sub(character, text)


def unescape_wire(text: str) -> str:
    """Undo the three escapes that Slack makes, and no other."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def mentioned_users(wire_text: str) -> set[str]:
    """The ids of the users whom a post names."""
    return set(_USER_MENTION.findall(wire_text))


def _is_persons_post(post: JsonObject, bot_user: str) -> bool:
    if post.get("type") not in {"message", "app_mention"} or post.get("hidden"):
        return False
    subtype = post.get("subtype") or ""
    if subtype not in KEPT_SUBTYPES:
        return False
    if any(post.get(mark) for mark in _APP_MARKS):
        return False
    user = text_in(post, "user")
    return user not in {"", bot_user, "USLACKBOT"}


def is_gesture(body: JsonObject) -> bool:
    """Whether a payload is a press, a form, a command or an opening, readable or not."""
    return body.get("type") in {PRESSED, SUBMITTED, CHOSEN} or "command" in body or is_opening(body)


def is_opening(body: JsonObject) -> bool:
    """Whether a person opened the app."""
    return object_in(body, "event").get("type") == "app_home_opened"


def read_file(raw: JsonObject) -> SlackFile:
    """A file of a post, or as `files.info` tells of it."""
    size = raw.get("size")
    id_ = text_in(raw, "id")
    name = text_in(raw, "name") or text_in(raw, "title")
    url = text_in(raw, "url_private_download")
    return SlackFile(
        id=id_,
        name=name or id_,
        mimetype=text_in(raw, "mimetype"),
        size_bytes=size if isinstance(size, int) else 0,
        url_private=url or text_in(raw, "url_private"),
        user=text_in(raw, "user"),
        is_complete=text_in(raw, "file_access") != "check_file_info",
    )


def _readable(token: str, names: Mapping[str, str]) -> str:
    target, _, label = token.partition("|")
    sign, name = target[:1], target[1:]
    match sign:
        case "@" | "#":
            return f"{sign}{bare_name(names.get(name, '')) or label or name}"
        case "!":
            return label or f"@{name.split('^')[0]}"
        case _:
            return _link(target, label)


def _link(url: str, label: str) -> str:
    if not label:
        return url
    is_bare = any(url == f"{scheme}{label}" for scheme in _SCHEMES)
    return label if is_bare else f"{label} ({url})"


def text_in(raw: Mapping[str, Any], key: str) -> str:
    """A field of a payload; empty where it is missing or no text."""
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def object_in(raw: Mapping[str, Any], key: str) -> JsonObject:
    """The same for an object."""
    value = raw.get(key)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_in(raw: Mapping[str, Any], key: str) -> list[JsonObject]:
    """The same for a list of objects."""
    value = raw.get(key)
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("JsonObject", item) for item in items if isinstance(item, dict)]
