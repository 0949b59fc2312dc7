"""reactions.*, pins.* and bookmarks.*: what hangs on posts and channels."""

import re

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_2, TIER_3
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.wire import JsonObject, without_none


def _target(call: Call) -> Post:
    if not call.args.has("timestamp"):
        raise ApiError("no_item_specified")
    if not re.fullmatch(r"\d+\.\d+", call.args.required("timestamp")):
        raise ApiError("bad_timestamp")
    return call.post(call.joined_channel(), "timestamp")


def _name(call: Call) -> str:
    name = call.args.required("name")
    if not re.fullmatch(r"[\w+'-]+(::skin-tone-[2-6])?", name):
        raise ApiError("invalid_name")
    return name


def add(call: Call) -> JsonObject:
    """React to a post."""
    post, name = _target(call), _name(call)
    if len(post.reactions) >= limits.MAX_REACTIONS_OF_A_POST:
        raise ApiError("too_many_emoji")
    if not call.workspace.add_reaction(post, name, call.app.bot_user_id):
        raise ApiError("already_reacted")
    return {}


def remove(call: Call) -> JsonObject:
    """Take the bot's reaction back."""
    if not call.workspace.remove_reaction(_target(call), _name(call), call.app.bot_user_id):
        raise ApiError("no_reaction")
    return {}


def get(call: Call) -> JsonObject:
    """A post with its reactions."""
    post = _target(call)
    shown = show_post(call.state, post)
    return {"type": "message", "channel": post.channel, "message": shown}


def add_pin(call: Call) -> JsonObject:
    """Pin a post to its channel."""
    post = _target(call)
    pins = call.state.pins.setdefault(post.channel, [])
    if post.ts in pins:
        raise ApiError("already_pinned")
    pins.append(post.ts)
    return {}


def remove_pin(call: Call) -> JsonObject:
    """Take a pin off."""
    post = _target(call)
    pins = call.state.pins.setdefault(post.channel, [])
    if post.ts not in pins:
        raise ApiError("no_pin")
    pins.remove(post.ts)
    return {}


def list_pins(call: Call) -> JsonObject:
    """The pinned posts of a channel."""
    channel = call.joined_channel()
    posts = (call.state.find_post(channel.id, ts) for ts in call.state.pins.get(channel.id, ()))
    return {
        "items": [
            {"type": "message", "channel": channel.id, "message": show_post(call.state, post)}
            for post in posts
            if post is not None
        ]
    }


def add_bookmark(call: Call) -> JsonObject:
    """Add a bookmark to a channel's header."""
    channel = call.joined_channel("channel_id")
    bookmark = without_none(
        {
            "id": call.state.ids.fresh("Bk"),
            "channel_id": channel.id,
            "title": call.args.required("title"),
            "type": call.args.required("type"),
            "link": call.args.text("link"),
            "emoji": call.args.text("emoji"),
        }
    )
    call.state.bookmarks.setdefault(channel.id, []).append(bookmark)
    return {"bookmark": bookmark}


def list_bookmarks(call: Call) -> JsonObject:
    """The bookmarks of a channel."""
    channel = call.joined_channel("channel_id")
    return {"bookmarks": call.state.bookmarks.get(channel.id, [])}


METHODS: Methods = {
    "reactions.add": Method(run=add, scopes=("reactions:write",), rate=TIER_3),
    "reactions.remove": Method(run=remove, scopes=("reactions:write",), rate=TIER_2),
    "reactions.get": Method(run=get, scopes=("reactions:read",), rate=TIER_3),
    "pins.add": Method(run=add_pin, scopes=("pins:write",), rate=TIER_2),
    "pins.remove": Method(run=remove_pin, scopes=("pins:write",), rate=TIER_2),
    "pins.list": Method(run=list_pins, scopes=("pins:read",), rate=TIER_2),
    "bookmarks.add": Method(run=add_bookmark, scopes=("bookmarks:write",), rate=TIER_2),
    "bookmarks.list": Method(run=list_bookmarks, scopes=("bookmarks:read",), rate=TIER_3),
}
