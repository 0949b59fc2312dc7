"""Posts, files, channels, users and views as Slack's JSON, and the events about posts."""

from dataclasses import asdict
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.sandbox.slack.records import Channel, File, Post, User, View
from bot.sandbox.slack.state import TEAM_ID, TeamState
from bot.sandbox.slack.wire import JsonObject, without_none


def _fields(record: object, *names: str) -> JsonObject:
    """The fields that have the same name in the record and in Slack's JSON."""
    return {name: getattr(record, name) for name in names}


def show_post(state: TeamState, post: Post) -> JsonObject:
    """A message object as in answers and events."""
    reactions = [
        {"name": name, "users": list(users), "count": len(users)}
        for name, users in post.reactions.items()
    ]
    author = state.users.get(post.user)
    team = author.team_id if author else None
    return without_none(
        {
            "type": "message",
            **_fields(post, "subtype", "user", "text", "ts", "client_msg_id", "thread_ts"),
            **_fields(post, "bot_id", "app_id", "edited", "metadata"),
            "streaming_state": post.stream.phase if post.stream else None,
            "blocks": list(post.blocks) or None,
            "files": [show_file(state, file) for file in post.files] or None,
            "reactions": reactions or None,
            "team": team,
            "user_team": team if team != TEAM_ID else None,
        }
    )


def show_in_history(state: TeamState, post: Post) -> JsonObject:
    """A message as history and replies list it: a root carries the counts of its thread."""
    shown = show_post(state, post)
    replies = state.replies_of(post.channel, post.ts)
    if replies:
        shown["thread_ts"] = post.ts
        shown["reply_count"] = len(replies)
        shown["latest_reply"] = replies[-1].ts
    return shown


def show_file(state: TeamState, file: File, *, is_asked: bool = False) -> JsonObject:
    """A file object with its present shares; `is_asked`: for `files.info`, not in a post."""
    file = state.files.get(file.id, file)
    if file.is_deleted:
        return {"id": file.id, "mode": "tombstone"}
    if file.is_foreign and not is_asked:
        return {
            "id": file.id,
            "mode": "file_access",
            "file_access": "check_file_info",
        }
    shares: dict[str, list[JsonObject]] = {}
    for share in file.shares:
        posts = shares.setdefault(share.channel, [])
        posts.append(without_none(_fields(share, "ts", "thread_ts")))
    return without_none(
        {
            **_fields(
                file,
                "id",
                "name",
                "title",
                "mimetype",
                "alt_txt",
                "url_private",
                "user",
            ),
            "mode": "hosted",
            "filetype": file.name.rpartition(".")[2].lower(),
            "size": len(file.content),
            "shares": {"public": shares},
        }
    )


def show_user(user: User, *, now_s: float) -> JsonObject:
    """A user object as users.info gives it; the offset from UTC depends on the date."""
    local = datetime.fromtimestamp(now_s, ZoneInfo(user.tz))
    return {
        **asdict(user),
        "tz_offset": int((local.utcoffset() or timedelta()).total_seconds()),
        "profile": _fields(user, "real_name", "display_name"),
    }


def show_channel(state: TeamState, channel: Channel) -> JsonObject:
    """A conversation object; `is_member` is about the bot."""
    shown: JsonObject = {
        **_fields(channel, "id", "name", "is_archived"),
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "creator": channel.members[0],
        "is_member": state.is_member(channel),
        "purpose": {"value": channel.purpose},
    }
    if channel.kind == "im":
        del shown["name"]
        shown["user"] = channel.members[0]
    return shown


def show_view(view: View) -> JsonObject:
    """A view with the fields that Slack sets."""
    return {
        **view.body,
        "id": view.id,
        "state": {"values": view.state},
    }


def wrap_event(state: TeamState, event: JsonObject) -> JsonObject:
    """The `event_callback` around an event, with an event id of its own."""
    return {
        "team_id": TEAM_ID,
        "api_app_id": state.bot.app_id,
        "type": "event_callback",
        "event_id": state.ids.fresh("Ev"),
        "event": event,
    }


def message_event(state: TeamState, post: Post, channel: Channel) -> JsonObject:
    """A new message in its channel."""
    return {
        **show_post(state, post),
        "channel": post.channel,
        "channel_type": channel.kind,
        "event_ts": post.ts,
    }


def mention_event(state: TeamState, post: Post) -> JsonObject:
    """The `app_mention` that comes beside the message: same ts, no channel type, no subtype."""
    event = show_post(state, post)
    event.pop("subtype", None)
    event["type"] = "app_mention"
    event["channel"] = post.channel
    event["event_ts"] = post.ts
    return event


def hidden_event(
    state: TeamState,
    subtype: str,
    channel: Channel,
    previous: Post,
    **fields: object,
) -> JsonObject:
    """The event for an edited or deleted message, with its last version."""
    event_ts = state.ids.fresh_ts()
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": event_ts,
        "event_ts": event_ts,
        "previous_message": show_post(state, previous),
        **fields,
    }
