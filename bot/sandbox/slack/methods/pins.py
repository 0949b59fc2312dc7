"""pins.*: posts that a channel keeps at hand."""

import re

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_2
from bot.sandbox.slack.records import Post
from bot.sandbox.slack.wire import JsonObject


def find_item(call: Call) -> Post:
    """The post that a call means by `channel` and `timestamp`."""
    if not call.args.has("timestamp"):
        raise ApiError("no_item_specified")
    if not re.fullmatch(r"\d+\.\d+", call.args.required("timestamp")):
        raise ApiError("bad_timestamp")
    return call.post(call.joined_channel(), "timestamp")


def add(call: Call) -> JsonObject:
    """Pin a post to its channel."""
    post = find_item(call)
    pins = call.state.pins.get(post.channel, [])
    if post.ts in pins:
        raise ApiError("already_pinned")
    if len(pins) >= limits.MAX_PINS_OF_A_CHANNEL:
        raise ApiError("too_many_pins")
    call.workspace.pin(post, call.app.bot_user_id)
    return {}


def remove(call: Call) -> JsonObject:
    """Take a pin off."""
    post = find_item(call)
    if post.ts not in call.state.pins.get(post.channel, []):
        raise ApiError("no_pin")
    call.workspace.unpin(post, call.app.bot_user_id)
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


METHODS: Methods = {
    "pins.add": Method(run=add, scopes=("pins:write",), rate=TIER_2),
    "pins.remove": Method(run=remove, scopes=("pins:write",), rate=TIER_2),
    "pins.list": Method(run=list_pins, scopes=("pins:read",), rate=TIER_2),
}
