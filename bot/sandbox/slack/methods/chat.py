"""chat.* and reactions.*: posting, ephemerals, editing, deleting, permalinks, emoji on posts."""

from dataclasses import replace

from bot.sandbox.slack.arguments import PostContent, read_content
from bot.sandbox.slack.messages import permalink, show_post
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.wire import ApiError, JsonObject


def post_message(call: MethodCall) -> JsonObject:
    """Post in a channel, a thread, or to a user."""
    channel = call.posting_channel()
    content = read_content(call.args, call.state.ids)
    post = call.backend.add_post(_build_post(call, channel, content))
    call.backend.end_status_line(post.channel, post.root_ts)
    return {"channel": channel.id, "ts": post.ts, "message": show_post(call.state, post)}


def _build_post(call: MethodCall, channel: Channel, content: PostContent) -> Post:
    names = ("unfurl_links", "unfurl_media")
    return call.draft(
        channel,
        read_thread(call, channel),
        text=content.text,
        blocks=content.blocks or (),
        blocks_are_derived=content.blocks_are_derived,
        metadata=content.metadata or None,
        **{name: call.args.flag(name) for name in names if call.args.has(name)},
    )


def read_thread(call: MethodCall, channel: Channel) -> str | None:
    """The thread to post in. A reply's own ts is refused: threads hang on their root."""
    thread_ts = call.args.text("thread_ts") or None
    root = call.state.find_post(channel.id, thread_ts) if thread_ts else None
    if root is not None and root.is_reply:
        raise ApiError("cannot_reply_to_message")
    return thread_ts


def post_ephemeral(call: MethodCall) -> JsonObject:
    """Show a post to one member of a channel; it cannot be read or changed by any method."""
    channel = call.posting_channel()
    user = call.args.required("user")
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    content = read_content(call.args, call.state.ids)
    post = replace(_build_post(call, channel, content), ephemeral_to=user, metadata=None)
    call.state.add_ephemeral(post)
    return {"message_ts": post.ts}


def update(call: MethodCall) -> JsonObject:
    """Replace the content of one of the bot's posts; what the caller leaves out stays."""
    channel = call.joined_channel()
    post = call.own_post(channel, "cant_update_message")
    if post.stream is not None and post.stream.is_open(call.state.clock.now()):
        raise ApiError("streaming_state_conflict")
    content = read_content(call.args, call.state.ids, is_update=True)
    blocks = content.blocks
    if blocks is None:
        blocks = () if post.blocks_are_derived else post.blocks
    changed = replace(
        post,
        text=content.text,
        blocks=blocks,
        blocks_are_derived=content.blocks_are_derived,
        metadata=post.metadata if content.metadata is None else content.metadata or None,
    )
    post = call.backend.change_post(changed, editor=call.app.bot_user_id)
    return {"channel": channel.id, "ts": post.ts, "message": show_post(call.state, post)}


def delete(call: MethodCall) -> JsonObject:
    """Delete one of the bot's posts."""
    post = call.own_post(call.joined_channel(), "cant_delete_message")
    call.backend.delete_post(post)
    return {"channel": post.channel, "ts": post.ts}


def get_permalink(call: MethodCall) -> JsonObject:
    """The address of a post."""
    channel = call.visible_channel()
    return {"channel": channel.id, "permalink": permalink(call.post(channel, "message_ts"))}


def _react(call: MethodCall, *, added: bool, refusal: str) -> JsonObject:
    post = call.post(call.joined_channel(), "timestamp")
    name, bot = call.args.required("name"), call.app.bot_user_id
    if not call.backend.set_reaction(post, name, bot, added=added):
        raise ApiError(refusal)
    return {}


def add_reaction(call: MethodCall) -> JsonObject:
    """React to a post."""
    return _react(call, added=True, refusal="already_reacted")


def remove_reaction(call: MethodCall) -> JsonObject:
    """Take the bot's reaction back."""
    return _react(call, added=False, refusal="no_reaction")
