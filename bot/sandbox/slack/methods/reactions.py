"""reactions.*: emoji on posts."""

import re

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.methods.pins import find_item
from bot.sandbox.slack.rates import TIER_2, TIER_3
from bot.sandbox.slack.wire import JsonObject


def _name(call: Call) -> str:
    name = call.args.required("name")
    if not re.fullmatch(r"[\w+'-]+(::skin-tone-[2-6])?", name):
        raise ApiError("invalid_name")
    return name


def add(call: Call) -> JsonObject:
    """React to a post."""
    post, name = find_item(call), _name(call)
    if len(post.reactions) >= limits.MAX_REACTIONS_OF_A_POST:
        raise ApiError("too_many_emoji")
    if not call.workspace.add_reaction(post, name, call.app.bot_user_id):
        raise ApiError("already_reacted")
    return {}


def remove(call: Call) -> JsonObject:
    """Take the bot's reaction back."""
    if not call.workspace.remove_reaction(find_item(call), _name(call), call.app.bot_user_id):
        raise ApiError("no_reaction")
    return {}


def get(call: Call) -> JsonObject:
    """A post with its reactions."""
    post = find_item(call)
    shown = show_post(call.state, post)
    return {"type": "message", "channel": post.channel, "message": shown}


METHODS: Methods = {
    "reactions.add": Method(run=add, scopes=("reactions:write",), rate=TIER_3),
    "reactions.remove": Method(run=remove, scopes=("reactions:write",), rate=TIER_2),
    "reactions.get": Method(run=get, scopes=("reactions:read",), rate=TIER_3),
}
