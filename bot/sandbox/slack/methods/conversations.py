"""conversations.*: channels, their members, and what was said in them."""

import re
from collections.abc import Sequence

from bot.sandbox.slack.app import SCOPE_PREFIXES
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_channel, show_in_history
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.methods.paging import read_page
from bot.sandbox.slack.rates import TIER_2, TIER_3, TIER_4
from bot.sandbox.slack.records import Channel, ChannelKind, Post
from bot.sandbox.slack.wire import JsonObject

_TYPES: dict[str, ChannelKind] = {
    "public_channel": "channel",
    "private_channel": "group",
    "mpim": "mpim",
    "im": "im",
}
_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")


def history(call: Call) -> JsonObject:
    """Top-level posts and broadcast replies, newest first."""
    channel = call.joined_channel()
    call.need_channel_scope(channel, "history")
    posts = [
        post
        for post in call.state.posts_of(channel.id)
        if not post.is_reply or post.subtype == "thread_broadcast"
    ]
    page, metadata = read_page(call.args, _in_range(call, posts)[::-1], default=100, maximum=999)
    return _answer_posts(call, page, metadata) | {
        "pin_count": len(call.state.pins.get(channel.id, ())),
        "channel_actions_ts": None,
        "channel_actions_count": 0,
    }


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
    page, metadata = read_page(call.args, posts, default=1000, maximum=1000)
    return _answer_posts(call, page, metadata)


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


def _answer_posts(call: Call, page: Sequence[Post], metadata: JsonObject) -> JsonObject:
    full = call.args.flag("include_all_metadata")
    return {
        "messages": [show_in_history(call.state, post, full_metadata=full) for post in page],
        "has_more": bool(metadata["next_cursor"]),
        "response_metadata": metadata,
    }


def info(call: Call) -> JsonObject:
    """One conversation."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    with_count = call.args.flag("include_num_members")
    return {"channel": show_channel(call.state, channel, with_count=with_count)}


def list_channels(call: Call) -> JsonObject:
    """The channels of the asked kinds that the bot can see."""
    return _answer_channels(call, _visible(call, _read_kinds(call)))


def _visible(call: Call, kinds: Sequence[ChannelKind]) -> list[Channel]:
    return [
        channel
        for channel in call.state.channels.values()
        if channel.kind in kinds
        and (channel.kind == "channel" or call.app.is_member(channel))
        and not (channel.is_archived and call.args.flag("exclude_archived"))
    ]


def _read_kinds(call: Call) -> list[ChannelKind]:
    """The kinds asked for, each of which needs its scope."""
    names = call.args.names("types") or ("public_channel",)
    if any(name not in _TYPES for name in names):
        raise ApiError("invalid_types")
    for name in names:
        call.need_scope(f"{SCOPE_PREFIXES[_TYPES[name]]}:read")
    return [_TYPES[name] for name in names]


def _answer_channels(call: Call, channels: Sequence[Channel]) -> JsonObject:
    page, metadata = read_page(call.args, channels, default=100, maximum=999)
    shown = [show_channel(call.state, channel, with_count=True) for channel in page]
    return {"channels": shown, "response_metadata": metadata}


def list_of_user(call: Call) -> JsonObject:
    """The channels of which a user, the bot by default, is a member.

    Of another user's channels the bot is told the public ones and those that it shares.
    """
    kinds, user = _read_kinds(call), call.args.text("user") or call.app.bot_user_id
    if user not in call.state.users:
        raise ApiError("user_not_found")
    channels = [channel for channel in _visible(call, kinds) if user in channel.members]
    return _answer_channels(call, channels)


def members(call: Call) -> JsonObject:
    """The ids of the members."""
    channel = call.visible_channel()
    call.need_channel_scope(channel, "read")
    page, metadata = read_page(call.args, channel.members, default=100, maximum=1000)
    return {"members": list(page), "response_metadata": metadata}


def join(call: Call) -> JsonObject:
    """Make the bot a member of a public channel."""
    channel = call.visible_channel()
    if channel.kind != "channel":
        raise ApiError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise ApiError("is_archived")
    if call.app.is_member(channel):
        warning = "already_in_channel"
        shown = {"channel": show_channel(call.state, channel), "warning": warning}
        return shown | {"response_metadata": {"warnings": [warning]}}
    channel = call.workspace.join(channel, call.app.bot_user_id)
    return {"channel": show_channel(call.state, channel)}


def open_direct(call: Call) -> JsonObject:
    """Open the direct conversation with one to eight users, or re-open a known one."""
    is_new = False
    if call.args.has("channel"):
        channel = call.visible_channel()
        if not channel.is_direct:
            raise ApiError("method_not_supported_for_channel_type")
    else:
        users = _read_users(call)
        known = call.state.find_direct_channel(*users, call.app.bot_user_id)
        if known is None and call.args.flag("prevent_creation"):
            raise ApiError("channel_not_found")
        channel = known or call.state.direct_channel(*users, call.app.bot_user_id)
        is_new = known is None
    full = call.args.flag("return_im")
    shown = {"channel": show_channel(call.state, channel) if full else {"id": channel.id}}
    return shown if is_new else {**shown, "no_op": True, "already_open": True}


def _read_users(call: Call) -> tuple[str, ...]:
    users = call.args.names("users")
    if not users:
        raise ApiError("users_list_not_supplied")
    if len(users) > 8:
        raise ApiError("too_many_users")
    if any(user not in call.state.users for user in users):
        raise ApiError("user_not_found")
    return users


METHODS: Methods = {
    "conversations.history": Method(run=history, scopes=_HISTORY, rate=TIER_3),
    "conversations.replies": Method(run=replies, scopes=_HISTORY, rate=TIER_3),
    "conversations.info": Method(run=info, scopes=_READ, rate=TIER_3),
    "conversations.list": Method(run=list_channels, scopes=_READ, rate=TIER_2),
    "conversations.members": Method(run=members, scopes=_READ, rate=TIER_4),
    "conversations.join": Method(run=join, scopes=("channels:join",), rate=TIER_3),
    "conversations.open": Method(run=open_direct, scopes=("im:write", "mpim:write"), rate=TIER_3),
    "users.conversations": Method(run=list_of_user, scopes=_READ, rate=TIER_3),
}
