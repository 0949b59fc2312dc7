"""Posts, files, channels and users in the JSON shapes in which Slack shows them."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.sandbox.slack.records import Channel, File, Post, Session, User, View
from bot.sandbox.slack.state import State
from bot.sandbox.slack.text import rich_text_block
from bot.sandbox.slack.wire import JsonObject, without_none


def show_post(state: State, post: Post, *, full_metadata: bool = True) -> JsonObject:
    """A message object as in answers and events."""
    shown = without_none(
        {
            "type": "message",
            "subtype": post.subtype,
            "user": post.user,
            "text": post.text,
            "ts": post.ts,
            "client_msg_id": post.client_msg_id,
            "thread_ts": post.thread_ts,
            "parent_user_id": _parent_user(state, post),
            "bot_id": post.bot_id,
            "app_id": post.app_id,
            "username": post.custom_author.username if post.custom_author else None,
            "streaming_state": post.stream.phase if post.stream else None,
            "edited": {"user": post.edited.user, "ts": post.edited.ts} if post.edited else None,
            "metadata": _show_metadata(post, full=full_metadata),
        }
    )
    author = state.users.get(post.user)
    if author:
        shown["team"] = author.team_id
        shown |= _foreign_fields(state, author)
    if post.bot_id and author:
        shown["bot_profile"] = _bot_profile(post, author)
    return shown | _show_content(state, post)


def permalink(post: Post) -> str:
    """The address of a post; a reply's names its thread."""
    link = f"https://sandbox.slack.com/archives/{post.channel}/p{post.ts.replace('.', '')}"
    return f"{link}?thread_ts={post.thread_ts}&cid={post.channel}" if post.is_reply else link


def _parent_user(state: State, post: Post) -> str | None:
    if not post.is_reply:
        return None
    root = state.find_post(post.channel, post.root_ts)
    return root.user if root else None


def _show_metadata(post: Post, *, full: bool) -> JsonObject | None:
    if post.metadata is None or full:
        return post.metadata
    return {"event_type": post.metadata.get("event_type")}


def _foreign_fields(state: State, author: User) -> JsonObject:
    if author.team_id == state.team.id:
        return {}
    profile = {"real_name": author.real_name, "display_name": author.display_name}
    return {
        "user_team": author.team_id,
        "source_team": author.team_id,
        "user_profile": {**profile, "name": author.name, "team": author.team_id},
    }


def _bot_profile(post: Post, author: User) -> JsonObject:
    return {
        "id": post.bot_id,
        "app_id": post.app_id,
        "name": author.name,
        "icons": {},
        "deleted": False,
        "team_id": author.team_id,
    }


def _show_content(state: State, post: Post) -> JsonObject:
    content: JsonObject = {}
    if post.blocks:
        content["blocks"] = list(post.blocks)
    elif post.text and not post.bot_id:
        content["blocks"] = [rich_text_block(post.text, f"b{post.ts[-4:]}")]
    if post.attachments:
        content["attachments"] = list(post.attachments)
    if post.files:
        content["files"] = [show_file(state, file) for file in post.files]
        content |= {"upload": False, "display_as_bot": False}
    if post.reactions:
        content["reactions"] = [
            {"name": r.name, "users": list(r.users), "count": len(r.users)} for r in post.reactions
        ]
    return content


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
        "subscribed": any(reply.user == state.team.bot.id for reply in (post, *replies)),
        "last_read": replies[-1].ts,
    }


def show_file(state: State, file: File) -> JsonObject:
    """A file object with its shares as they are now; a deleted file is a tombstone."""
    if file.id in state.deleted_files:
        return {"id": file.id, "mode": "tombstone"}
    file = state.files.get(file.id, file)
    in_channels = [share.channel for share in file.shares]
    kinds = {channel: state.channels[channel].kind for channel in in_channels}
    return without_none(
        {
            "id": file.id,
            "created": file.created_s,
            "timestamp": file.created_s,
            "name": file.name,
            "title": file.title,
            "mimetype": file.mimetype,
            "filetype": file.filetype,
            "pretty_type": file.filetype.upper(),
            "user": file.user,
            "user_team": state.users[file.user].team_id,
            "mode": "hosted",
            "editable": False,
            "size": len(file.content),
            "is_external": False,
            "is_public": any(share.is_public for share in file.shares),
            "alt_txt": file.alt_txt,
            "file_access": "visible",
            "url_private": file.url_private,
            "url_private_download": file.url_private.replace(
                f"-{file.id}/", f"-{file.id}/download/"
            ),
            "permalink": f"https://sandbox.slack.com/files/{file.user}/{file.id}/{file.name}",
            "shares": _show_shares(file),
            "channels": [c for c in in_channels if kinds[c] == "channel"],
            "groups": [c for c in in_channels if kinds[c] in ("group", "mpim")],
            "ims": [c for c in in_channels if kinds[c] == "im"],
        }
    )


def _show_shares(file: File) -> JsonObject:
    shares: dict[str, dict[str, list[JsonObject]]] = {}
    for share in file.shares:
        group = shares.setdefault("public" if share.is_public else "private", {})
        entry = without_none({"ts": share.ts, "thread_ts": share.thread_ts})
        group.setdefault(share.channel, []).append(entry)
    return dict(shares)


def show_user(
    user: User, *, now_s: float, with_email: bool, with_locale: bool = False
) -> JsonObject:
    """A user object as users.info gives it; how far from UTC the user is depends on the date."""
    profile: JsonObject = {
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": user.display_name,
        "display_name_normalized": user.display_name,
        "status_text": "",
        "status_emoji": "",
        "avatar_hash": user.id[-6:].lower(),
        "team": user.team_id,
    }
    if with_email and user.email:
        profile["email"] = user.email
    shown: JsonObject = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "color": user.id[-6:].lower(),
        "real_name": user.real_name,
        "tz": user.tz,
        "tz_label": user.tz,
        "tz_offset": _utc_offset_s(user.tz, now_s),
        "profile": profile | ({"bot_id": user.bot_id} if user.bot_id else {}),
        "is_admin": user.is_admin,
        "is_owner": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": user.is_ultra_restricted,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": 1_790_000_000,
    }
    return shown | ({"locale": user.locale} if with_locale else {})


def _utc_offset_s(zone: str, at_s: float) -> int:
    offset = datetime.fromtimestamp(at_s, ZoneInfo(zone)).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def show_channel(state: State, channel: Channel, *, with_count: bool = False) -> JsonObject:
    """A conversation object; the bot under test is the one whose membership it tells."""
    shown: JsonObject = {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
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
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": channel.creator, "last_set": 0},
    }
    if channel.kind == "im":
        others = [user for user in channel.members if user != state.team.bot.id]
        shown["user"] = others[0] if others else state.team.bot.id
        del shown["name"], shown["name_normalized"]
    return shown | ({"num_members": len(channel.members)} if with_count else {})


def show_session_status(session: Session) -> JsonObject:
    """The answer to a call that sets the status; the app is the only agent."""
    return {
        "status": session.status,
        "agent_status": session.status,
        "title": session.title,
    }


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
        "app_installed_team_id": state.team.id,
        "bot_id": state.team.bot_id,
        "external_id": view.external_id,
    }
