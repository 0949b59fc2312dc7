"""What a payload tells: a post, an edit of one, or that one is gone."""

from dataclasses import dataclass

from agent_core.messages import JsonObject
from bot.inbound import (
    DELETED,
    EDITED,
    InboundPost,
    object_in,
    post_key,
    read_post,
    text_in,
)

TOMBSTONE = "tombstone"
"""What stands in the place of a deleted post that has replies."""


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
        return f"{self.post.key}:edit:{self.post.said_ts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A post is gone, whoever took it away."""

    post_key: str
    before: InboundPost | None
    """As it was, where the payload tells it."""

    @property
    def key(self) -> str:
        return f"{self.post_key}:deleted"


Told = InboundPost | Edit | Deletion


def read_told(body: JsonObject, *, bot_user: str) -> Told | None:
    """What a payload tells of a person's post; None where it tells of none.

    Slack tells of an edited mention twice, as a change and as a mention that was edited. A link's
    preview is a change, too, but not marked as an edit.
    """
    event = object_in(body, "event")
    if event.get("type") == "message" and event.get("subtype") == DELETED:
        return _deletion(body, event, text_in(event, "deleted_ts"), bot_user)
    if event.get("type") == "message" and event.get("subtype") == EDITED:
        now = object_in(event, "message")
        if now.get("subtype") == TOMBSTONE:
            return _deletion(body, event, text_in(now, "ts"), bot_user)
        return _edit(body, event, bot_user)
    post = read_post(body, bot_user=bot_user)
    if post is not None and event.get("type") == "app_mention" and post.said_ts != post.ts:
        return Edit(post=post, before=None, body=body)
    return post


def _edit(body: JsonObject, event: JsonObject, bot_user: str) -> Edit | None:
    now = object_in(event, "message")
    edited = object_in(now, "edited")
    as_now = _as_posted(body, event, now)
    post = read_post(as_now, bot_user=bot_user)
    if post is None or not edited or text_in(edited, "user") not in {"", post.user}:
        return None
    before = read_post(
        _as_posted(body, event, object_in(event, "previous_message")), bot_user=bot_user
    )
    if before is not None and before.wire_text == post.wire_text:
        return None
    return Edit(post=post, before=before, body=as_now)


def _deletion(body: JsonObject, event: JsonObject, ts: str, bot_user: str) -> Deletion | None:
    """None for the deletion of what was no person's post."""
    previous = object_in(event, "previous_message")
    before = read_post(_as_posted(body, event, previous), bot_user=bot_user)
    if not ts or (previous and before is None):
        return None
    key = post_key(text_in(body, "team_id"), text_in(event, "channel"), ts)
    return Deletion(post_key=key, before=before)


def _as_posted(body: JsonObject, event: JsonObject, message: JsonObject) -> JsonObject:
    """The payload that would have told of the message when it was posted."""
    place = {"channel": event.get("channel"), "channel_type": event.get("channel_type")}
    return {**body, "event": {**message, **place}}
