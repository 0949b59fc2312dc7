"""Posts, files, channels, users and views as Slack shows them, and the events about posts."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.sandbox.slack.app import App
from bot.sandbox.slack.records import Channel, File, Post, User, View
from bot.sandbox.slack.state import TeamState
from bot.sandbox.slack.wire import JsonObject, without_none


def _fields(record: object, *names: str) -> JsonObject:
    """What Slack calls by the names that the record has, too."""
    return {name: getattr(record, name) for name in names}


def show_post(state: TeamState, post: Post, *, full_metadata: bool = True) -> JsonObject:
    """A message object as in answers and events."""
    root = state.find_post(post.channel, post.root_ts) if post.is_reply else None
    metadata = post.metadata
    if metadata and not full_metadata:
        metadata = {"event_type": metadata.get("event_type")}
    reactions = [
        {"name": r.name, "users": [*r.users], "count": len(r.users)} for r in post.reactions
    ]
    shown = without_none(
        {
            "type": "message",
            **_fields(post, "subtype", "user", "text", "ts", "client_msg_id", "thread_ts"),
            **_fields(post, "bot_id", "app_id", "edited"),
            "parent_user_id": root.user if root else None,
            "streaming_state": post.stream.phase if post.stream else None,
            "metadata": metadata,
            "blocks": list(post.blocks) or None,
            "files": [show_file(state, file) for file in post.files] or None,
            "reactions": reactions or None,
            "bot_profile": {"id": post.bot_id} if post.bot_id else None,
        }
    )
    if (author := state.users.get(post.user)) is not None:
        shown["team"] = author.team_id
        if author.team_id != state.team.id:
            shown["user_team"] = author.team_id
    return shown


def permalink(post: Post) -> str:
    """The address of a post; a reply's names its thread."""
    link = f"https://sandbox.slack.com/archives/{post.channel}/p{post.ts.replace('.', '')}"
    return f"{link}?thread_ts={post.thread_ts}&cid={post.channel}" if post.is_reply else link


def show_in_history(state: TeamState, post: Post, *, full_metadata: bool) -> JsonObject:
    """A message as history and replies list it: a root carries the counts of its thread."""
    shown = show_post(state, post, full_metadata=full_metadata)
    replies = [] if post.is_reply else state.replies_of(post.channel, post.ts)
    if not replies:
        return shown
    counts = {"reply_count": len(replies), "latest_reply": replies[-1].ts}
    return shown | {"thread_ts": post.ts, **counts}


def show_file(state: TeamState, file: File, *, is_asked: bool = False) -> JsonObject:
    """A file object with its shares as they are now, in a post or, when asked, by itself."""
    file = state.files.get(file.id, file)
    if file.is_deleted:
        return {"id": file.id, "mode": "tombstone"}
    if file.is_foreign and not is_asked:
        return {"id": file.id, "mode": "file_access", "file_access": "check_file_info"}
    shares: dict[str, dict[str, list[JsonObject]]] = {}
    for share in file.shares:
        group = shares.setdefault("public" if share.is_public else "private", {})
        entry = without_none({"ts": share.ts, "thread_ts": share.thread_ts})
        group.setdefault(share.channel, []).append(entry)
    return without_none(
        {
            **_fields(file, "id", "name", "title", "mimetype", "user"),
            **_fields(file, "alt_txt", "url_private"),
            "created": file.created_s,
            "mode": "hosted",
            "filetype": file.name.rpartition(".")[2].lower(),
            "file_access": "visible",
            "size": len(file.content),
            "is_public": any(share.is_public for share in file.shares),
            "url_private_download": file.url_private.replace(
                f"-{file.id}/", f"-{file.id}/download/"
            ),
            "permalink": f"https://sandbox.slack.com/files/{file.user}/{file.id}/{file.name}",
            "shares": shares,
        }
    )


def show_user(user: User, *, now_s: float) -> JsonObject:
    """A user object as users.info gives it; how far from UTC the user is depends on the date."""
    offset = datetime.fromtimestamp(now_s, ZoneInfo(user.tz)).utcoffset()
    return {
        **_fields(user, "id", "team_id", "name", "deleted", "real_name", "tz", "locale"),
        **_fields(user, "is_admin", "is_restricted", "is_bot"),
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": _fields(user, "real_name", "display_name"),
    }


def show_channel(state: TeamState, channel: Channel) -> JsonObject:
    """A conversation object; the bot under test is the one whose membership it tells."""
    shown: JsonObject = {
        **_fields(channel, "id", "name", "creator", "is_archived", "is_ext_shared"),
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "is_member": state.team.bot.id in channel.members,
        "is_general": channel.name == "general",
        "purpose": {"value": channel.purpose},
    }
    if channel.kind == "im":
        del shown["name"]
        shown["user"] = next(user for user in channel.members if user != state.team.bot.id)
    return shown


def show_view(view: View) -> JsonObject:
    """A view with the fields that Slack sets."""
    return {**view.body, "id": view.id, "hash": view.hash, "state": {"values": view.state}}


def wrap_event(
    state: TeamState, app: App, event: JsonObject, channel: Channel | None
) -> JsonObject:
    """The `event_callback` around an event, with an event id of its own."""
    bot: JsonObject = {"team_id": app.team_id, "user_id": app.bot_user_id, "is_bot": True}
    return {
        "team_id": app.team_id,
        "api_app_id": app.id,
        "type": "event_callback",
        "event_id": state.ids.fresh("Ev"),
        "event_time": int(state.clock.now()),
        "is_ext_shared_channel": channel is not None and channel.is_ext_shared,
        "authorizations": [{"enterprise_id": None, "is_enterprise_install": False, **bot}],
        "event": event,
    }


def message_event(state: TeamState, post: Post, channel: Channel) -> JsonObject:
    """A new message, in the thread or channel where it stands."""
    place = {"channel": post.channel, "channel_type": channel.kind, "event_ts": post.ts}
    return show_post(state, post) | _root_of_broadcast(state, post) | place


def mention_event(state: TeamState, post: Post) -> JsonObject:
    """The `app_mention` that comes beside the message: same ts, no channel type.

    Of the subtypes it keeps only the broadcast of a reply, with the root (soxtoby/SlackNet#69).
    """
    shown = show_post(state, post) | _root_of_broadcast(state, post)
    if post.subtype != "thread_broadcast":
        shown.pop("subtype", None)
    return shown | {"type": "app_mention", "channel": post.channel, "event_ts": post.ts}


def _root_of_broadcast(state: TeamState, post: Post) -> JsonObject:
    root = state.find_post(post.channel, post.root_ts)
    is_broadcast = post.subtype == "thread_broadcast"
    return {"root": show_post(state, root)} if root is not None and is_broadcast else {}


def hidden_event(
    state: TeamState, subtype: str, channel: Channel, previous: Post, **fields: object
) -> JsonObject:
    """A message was edited or deleted: its last version and what has become of it."""
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
