"""conversations.*, users.*, bots.* and auth.*: channels, members, history, profiles."""

from collections.abc import Sequence

from bot.sandbox.slack.messages import show_channel, show_in_history, show_user
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.state import PLURALS, TEAM_ID
from bot.sandbox.slack.wire import ApiError, JsonObject


def history(call: MethodCall) -> JsonObject:
    """Top-level posts, newest first."""
    posts = reversed(call.state.posts_of(call.channel.id))
    roots = [post for post in posts if not post.is_reply]
    return _answer_posts(call, _in_range(call, roots))


def replies(call: MethodCall) -> JsonObject:
    """A thread, root first, found by the root's ts or any reply's."""
    channel = call.channel.id
    post = call.state.find_post(channel, call.text("ts"))
    if post is not None and post.is_reply:
        post = call.state.find_post(channel, post.root_ts)
    if post is None:
        raise ApiError("thread_not_found")
    posts = _in_range(call, call.state.replies_of(channel, post.ts))
    return _answer_posts(call, [post, *posts])


def _in_range(call: MethodCall, posts: Sequence[Post]) -> list[Post]:
    """The posts between `oldest` and `latest`."""
    oldest = float(call.text("oldest") or "0")
    latest = float(call.text("latest") or "inf")
    if call.text("inclusive"):
        return [post for post in posts if oldest <= float(post.ts) <= latest]
    return [post for post in posts if oldest < float(post.ts) < latest]


def _answer_posts(call: MethodCall, posts: Sequence[Post]) -> JsonObject:
    """One page of messages."""
    page, metadata = call.page(posts)
    return {
        "messages": [show_in_history(call.state, post) for post in page],
        "has_more": bool(metadata["next_cursor"]),
        "response_metadata": metadata,
    }


def channel_info(call: MethodCall) -> JsonObject:
    """One conversation."""
    return {"channel": show_channel(call.state, call.channel)}


def channels_of_bot(call: MethodCall) -> JsonObject:
    """The bot's channels of every kind, without archived ones, as the bot always asks for."""
    for plural in PLURALS.values():
        call.need_scope(f"{plural}:read")
    shown = [
        show_channel(call.state, channel)
        for channel in call.state.channels.values()
        if call.state.is_member(channel) and not channel.is_archived
    ]
    page, metadata = call.page(shown)
    return {"channels": page, "response_metadata": metadata}


def members(call: MethodCall) -> JsonObject:
    """The ids of the members."""
    page, metadata = call.page(call.channel.members)
    return {"members": list(page), "response_metadata": metadata}


def open_direct(call: MethodCall) -> JsonObject:
    """Open the direct conversation with a user, or re-open a known one."""
    user = call.text("users")
    channel = call.state.direct_channel(user)
    return {"channel": {"id": channel.id}}


def user_info(call: MethodCall) -> JsonObject:
    """One user."""
    user_id = call.text("user")
    user = call.state.users.get(user_id)
    if user is None:
        raise ApiError("user_not_found")
    shown = show_user(user, now_s=call.state.clock.now())
    shown["is_stranger"] = user.team_id != TEAM_ID
    return {"user": shown}


def all_users(call: MethodCall) -> JsonObject:
    """Everybody in the workspace."""
    now_s = call.state.clock.now()
    return {"members": [show_user(user, now_s=now_s) for user in call.state.users.values()]}


def bot_info(call: MethodCall) -> JsonObject:
    """The app itself."""
    bot = call.state.bot
    return {"bot": {"id": bot.bot_id, "app_id": bot.app_id}}


def test_auth(call: MethodCall) -> JsonObject:
    """The owner of the token."""
    bot = call.state.bot
    return {
        "url": "https://sandbox.slack.com/",
        "team": "Sandbox",
        "user": bot.name,
        "team_id": TEAM_ID,
        "user_id": bot.id,
        "bot_id": bot.bot_id,
    }
