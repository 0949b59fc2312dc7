"""Posts, files, channels, users and views in the JSON shapes in which Slack shows them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.sandbox.slack.records import Channel, File, Post, User, View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject, without_none


def show_post(state: State, post: Post, *, full_metadata: bool = True) -> JsonObject:
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
            "subtype": post.subtype,
            "user": post.user,
            "text": post.text,
            "ts": post.ts,
            "client_msg_id": post.client_msg_id,
            "thread_ts": post.thread_ts,
            "parent_user_id": root.user if root else None,
            "bot_id": post.bot_id,
            "app_id": post.app_id,
            "streaming_state": post.stream.phase if post.stream else None,
            "edited": {"user": post.edited.user, "ts": post.edited.ts} if post.edited else None,
            "metadata": metadata,
            "blocks": list(post.blocks) or None,
            "files": [show_file(state, file) for file in post.files] or None,
            "reactions": reactions or None,
        }
    )
    author = state.users.get(post.user)
    return shown | (_show_author(state, post, author) if author else {})


def _show_author(state: State, post: Post, author: User) -> JsonObject:
    team: JsonObject = {"team": author.team_id}
    if author.team_id != state.team.id:
        profile = {"real_name": author.real_name, "display_name": author.display_name}
        team |= {"user_team": author.team_id, "source_team": author.team_id}
        team["user_profile"] = {**profile, "name": author.name, "team": author.team_id}
    if post.bot_id:
        profile = {"id": post.bot_id, "app_id": post.app_id, "name": author.name}
        team["bot_profile"] = {**profile, "deleted": False, "team_id": author.team_id}
    return team


def permalink(post: Post) -> str:
    """The address of a post; a reply's names its thread."""
    link = f"https://sandbox.slack.com/archives/{post.channel}/p{post.ts.replace('.', '')}"
    return f"{link}?thread_ts={post.thread_ts}&cid={post.channel}" if post.is_reply else link


def show_in_history(state: State, post: Post, *, full_metadata: bool) -> JsonObject:
    """A message as history and replies list it: a root carries the counts of its thread."""
    shown = show_post(state, post, full_metadata=full_metadata)
    replies = [] if post.is_reply else state.replies_of(post.channel, post.ts)
    if not replies:
        return shown
    users = list(dict.fromkeys(reply.user for reply in replies))
    return shown | {
        "thread_ts": post.ts,
        "reply_count": len(replies),
        "reply_users": users,
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
        "is_locked": False,
    }


def show_file(state: State, file: File) -> JsonObject:
    """A file object with its shares as they are now; a deleted file is a tombstone."""
    if file.id in state.deleted_files:
        return {"id": file.id, "mode": "tombstone"}
    file = state.files.get(file.id, file)
    shares: dict[str, dict[str, list[JsonObject]]] = {}
    for share in file.shares:
        group = shares.setdefault("public" if share.is_public else "private", {})
        entry = without_none({"ts": share.ts, "thread_ts": share.thread_ts})
        group.setdefault(share.channel, []).append(entry)
    return without_none(
        {
            "id": file.id,
            "created": file.created_s,
            "name": file.name,
            "title": file.title,
            "mimetype": file.mimetype,
            "filetype": file.filetype,
            "pretty_type": file.filetype.upper(),
            "user": file.user,
            "mode": "hosted",
            "size": len(file.content),
            "is_public": any(share.is_public for share in file.shares),
            "alt_txt": file.alt_txt,
            "file_access": "visible",
            "url_private": file.url_private,
            "url_private_download": file.url_private.replace(
                f"-{file.id}/", f"-{file.id}/download/"
            ),
            "permalink": f"https://sandbox.slack.com/files/{file.user}/{file.id}/{file.name}",
            "shares": shares,
        }
    )


def show_user(user: User, *, now_s: float, with_email: bool, with_locale: bool) -> JsonObject:
    """A user object as users.info gives it; how far from UTC the user is depends on the date."""
    offset = datetime.fromtimestamp(now_s, ZoneInfo(user.tz)).utcoffset()
    profile = {"real_name": user.real_name, "display_name": user.display_name, "team": user.team_id}
    if with_email and user.email:
        profile["email"] = user.email
    shown: JsonObject = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "real_name": user.real_name,
        "tz": user.tz,
        "tz_label": user.tz,
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": profile | ({"bot_id": user.bot_id} if user.bot_id else {}),
        "is_admin": user.is_admin,
        "is_owner": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": False,
        "is_bot": user.is_bot,
    }
    return shown | ({"locale": user.locale} if with_locale else {})


def show_channel(state: State, channel: Channel) -> JsonObject:
    """A conversation object; the bot under test is the one whose membership it tells."""
    shown: JsonObject = {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.kind == "im",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "is_archived": channel.is_archived,
        "is_member": state.team.bot.id in channel.members,
        "is_shared": channel.is_ext_shared,
        "is_ext_shared": channel.is_ext_shared,
        "is_general": channel.name == "general",
        "created": channel.created_s,
        "creator": channel.creator,
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": channel.creator, "last_set": 0},
        "num_members": len(channel.members),
    }
    if channel.kind == "im":
        del shown["name"]
        shown["user"] = next(user for user in channel.members if user != state.team.bot.id)
    return shown


def show_view(state: State, view: View) -> JsonObject:
    """A view with the fields that Slack sets."""
    return {
        **view.body,
        "id": view.id,
        "team_id": state.team.id,
        "state": {"values": view.state},
        "hash": view.hash,
        "root_view_id": view.root_view_id,
        "previous_view_id": view.previous_view_id,
        "app_id": state.team.app_id,
        "bot_id": state.team.bot_id,
        "external_id": view.external_id,
    }
