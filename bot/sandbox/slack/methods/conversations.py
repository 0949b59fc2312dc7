"""conversations.* and users.*: channels, their members, what was said in them; who people are."""

from collections.abc import Sequence

from bot.sandbox.slack.app import SCOPE_PREFIXES
from bot.sandbox.slack.messages import show_channel, show_in_history, show_user
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import ChannelKind, Post
from bot.sandbox.slack.wire import ApiError, JsonObject

_KINDS: dict[str, ChannelKind] = {
    "public_channel": "channel",
    "private_channel": "group",
    "mpim": "mpim",
    "im": "im",
}


def history(call: MethodCall) -> JsonObject:
    """Top-level posts and broadcast replies, newest first."""
    channel = call.joined_channel()
    call.need_channel_scope(channel, "history")
    posts = [
        post
        for post in _in_range(call, call.state.posts_of(channel.id))
        if not post.is_reply or post.subtype == "thread_broadcast"
    ]
    return _answer_posts(call, posts[::-1])


def replies(call: MethodCall) -> JsonObject:
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
    return _answer_posts(call, posts, default=1000)


def _in_range(call: MethodCall, posts: Sequence[Post]) -> list[Post]:
    oldest = float(call.args.text("oldest") or "0")
    latest = float(call.args.text("latest") or "inf")
    if call.args.flag("inclusive"):
        return [post for post in posts if oldest <= float(post.ts) <= latest]
    return [post for post in posts if oldest < float(post.ts) < latest]


def _answer_posts(call: MethodCall, posts: list[Post], *, default: int = 100) -> JsonObject:
    page, metadata = call.page(posts, default=default)
    full = call.args.flag("include_all_metadata")
    return {
        "messages": [show_in_history(call.state, post, full_metadata=full) for post in page],
        "has_more": bool(metadata["next_cursor"]),
        "response_metadata": metadata,
    }


def channel_info(call: MethodCall) -> JsonObject:
    """One conversation."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    return {"channel": show_channel(call.state, channel)}


def channels_of_bot(call: MethodCall) -> JsonObject:
    """The channels of which the bot is a member."""
    names = call.args.names("types") or ("public_channel",)
    kinds: list[ChannelKind] = [_KINDS[name] for name in names]
    for kind in kinds:
        call.need_scope(f"{SCOPE_PREFIXES[kind]}:read")
    channels = [
        channel
        for channel in call.state.channels.values()
        if channel.kind in kinds
        and call.app.is_member(channel)
        and not (channel.is_archived and call.args.flag("exclude_archived"))
    ]
    page, metadata = call.page(channels)
    shown = [show_channel(call.state, channel) for channel in page]
    return {"channels": shown, "response_metadata": metadata}


def members(call: MethodCall) -> JsonObject:
    """The ids of the members."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    page, metadata = call.page(channel.members)
    return {"members": list(page), "response_metadata": metadata}


def open_direct(call: MethodCall) -> JsonObject:
    """Open the direct conversation with some users, or re-open a known one."""
    channel = call.state.direct_channel(*call.args.names("users"), call.app.bot_user_id)
    return {"channel": {"id": channel.id}}


def user_info(call: MethodCall) -> JsonObject:
    """One user."""
    user = call.state.users.get(call.args.required("user"))
    if user is None:
        raise ApiError("user_not_found")
    shown = show_user(user, now_s=call.state.clock.now())
    if not call.args.flag("include_locale"):
        del shown["locale"]
    return {"user": shown | ({"is_stranger": True} if user.team_id != call.app.team_id else {})}


def bot_info(call: MethodCall) -> JsonObject:
    """A bot of the team, the app itself by default."""
    asked = call.args.text("bot") or call.app.bot_id
    for user in call.state.users.values():
        if user.bot_id == asked:
            bot = {"id": user.bot_id, "user_id": user.id, "app_id": user.app_id}
            return {"bot": {**bot, "name": user.name, "deleted": user.deleted}}
    raise ApiError("bot_not_found")


def test_auth(call: MethodCall) -> JsonObject:
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
