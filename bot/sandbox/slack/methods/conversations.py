"""conversations.* and users.*: channels, their members, what was said in them; who people are."""

import re
from collections.abc import Sequence

from bot.sandbox.slack.app import SCOPE_PREFIXES
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_channel, show_in_history, show_user
from bot.sandbox.slack.methods.call import Call
from bot.sandbox.slack.records import ChannelKind, Post
from bot.sandbox.slack.wire import JsonObject

_KINDS: dict[str, ChannelKind] = {
    "public_channel": "channel",
    "private_channel": "group",
    "mpim": "mpim",
    "im": "im",
}


def history(call: Call) -> JsonObject:
    """Top-level posts and broadcast replies, newest first."""
    channel = call.joined_channel()
    call.need_channel_scope(channel, "history")
    posts = [
        post
        for post in _in_range(call, call.state.posts_of(channel.id))
        if not post.is_reply or post.subtype == "thread_broadcast"
    ]
    return _answer_posts(call, posts[::-1], default=100, maximum=999)


def replies(call: Call) -> JsonObject:
    """A thread, root first, found by the root's ts or any reply's."""
    channel = call.joined_channel()
    call.need_channel_scope(channel, "history")
    ts = call.args.required("ts")
    post = call.state.find_post(channel.id, ts)
    root_ts = post.root_ts if post else ts
    root = call.state.find_post(channel.id, root_ts)
    if root is None:
        raise ApiError("thread_not_found")
    posts = [root, *_in_range(call, call.state.replies_of(channel.id, root_ts))]
    return _answer_posts(call, posts, default=1000, maximum=1000)


def _in_range(call: Call, posts: Sequence[Post]) -> list[Post]:
    oldest, latest = _read_ts(call, "oldest", "0"), _read_ts(call, "latest", "inf")
    if call.args.flag("inclusive"):
        return [post for post in posts if oldest <= float(post.ts) <= latest]
    return [post for post in posts if oldest < float(post.ts) < latest]


def _read_ts(call: Call, name: str, default: str) -> float:
    value = call.args.text(name) or default
    if not re.fullmatch(r"\d+(\.\d+)?|inf", value):
        raise ApiError(f"invalid_ts_{name}")
    return float(value)


def _answer_posts(call: Call, posts: list[Post], *, default: int, maximum: int) -> JsonObject:
    page, metadata = call.page(posts, default=default, maximum=maximum)
    full = call.args.flag("include_all_metadata")
    return {
        "messages": [show_in_history(call.state, post, full_metadata=full) for post in page],
        "has_more": bool(metadata["next_cursor"]),
        "response_metadata": metadata,
    }


def channel_info(call: Call) -> JsonObject:
    """One conversation."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    return {"channel": show_channel(call.state, channel)}


def channels_of_user(call: Call) -> JsonObject:
    """The channels of which a user, the bot by default, is a member.

    Of another user's channels the bot is told the public ones and those that it shares.
    """
    names = call.args.names("types") or ("public_channel",)
    if any(name not in _KINDS for name in names):
        raise ApiError("invalid_types")
    kinds: list[ChannelKind] = [_KINDS[name] for name in names]
    for kind in kinds:
        call.need_scope(f"{SCOPE_PREFIXES[kind]}:read")
    user = call.args.text("user") or call.app.bot_user_id
    if user not in call.state.users:
        raise ApiError("user_not_found")
    channels = [
        channel
        for channel in call.state.channels.values()
        if channel.kind in kinds
        and user in channel.members
        and (channel.kind == "channel" or call.app.is_member(channel))
        and not (channel.is_archived and call.args.flag("exclude_archived"))
    ]
    page, metadata = call.page(channels, default=100, maximum=1000)
    shown = [show_channel(call.state, channel) for channel in page]
    return {"channels": shown, "response_metadata": metadata}


def members(call: Call) -> JsonObject:
    """The ids of the members."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    page, metadata = call.page(channel.members, default=100, maximum=1000)
    return {"members": list(page), "response_metadata": metadata}


def open_direct(call: Call) -> JsonObject:
    """Open the direct conversation with one to eight users, or re-open a known one."""
    users = call.args.names("users")
    if not users:
        raise ApiError("users_list_not_supplied")
    if len(users) > 8:
        raise ApiError("too_many_users")
    if any(user not in call.state.users for user in users):
        raise ApiError("user_not_found")
    bot = call.app.bot_user_id
    if known := call.state.find_direct_channel(*users, bot):
        return {"channel": {"id": known.id}, "no_op": True, "already_open": True}
    return {"channel": {"id": call.state.direct_channel(*users, bot).id}}


def user_info(call: Call) -> JsonObject:
    """One user."""
    user = call.state.users.get(call.args.required("user"))
    if user is None:
        raise ApiError("user_not_found")
    shown = show_user(
        user,
        now_s=call.state.clock.now(),
        with_email="users:read.email" in call.app.scopes,
        with_locale=call.args.flag("include_locale"),
    )
    is_stranger = user.team_id != call.app.team_id
    return {"user": shown | ({"is_stranger": True} if is_stranger else {})}


def bot_info(call: Call) -> JsonObject:
    """A bot of the team, the app itself by default."""
    asked = call.args.text("bot") or call.app.bot_id
    for user in call.state.users.values():
        if user.bot_id == asked:
            bot = {"id": user.bot_id, "user_id": user.id, "app_id": user.app_id}
            return {"bot": {**bot, "name": user.name, "deleted": user.deleted}}
    raise ApiError("bot_not_found")


def test_auth(call: Call) -> JsonObject:
    """Who the token belongs to."""
    return {
        "url": "https://sandbox.slack.com/",
        "team": "Sandbox",
        "user": call.state.team.bot.name,
        "team_id": call.app.team_id,
        "user_id": call.app.bot_user_id,
        "bot_id": call.app.bot_id,
        "is_enterprise_install": False,
    }
