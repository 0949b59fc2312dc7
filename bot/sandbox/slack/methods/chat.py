"""chat.*: posting, ephemerals, editing, deleting, permalinks."""

from dataclasses import replace

from bot.sandbox.slack.content import Content, read_content
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.messages import permalink, show_post
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import POSTS_OF_A_CHANNEL, TIER_3, TIER_4, UNLIMITED
from bot.sandbox.slack.records import Channel, CustomAuthor, Post
from bot.sandbox.slack.wire import JsonObject


def post_message(call: Call) -> JsonObject:
    """Post in a channel, a thread, or to a user."""
    channel = call.posting_channel()
    content = read_content(call.args, call.state.ids)
    post = call.workspace.add_post(build_post(call, channel, content))
    end_status(call, post)
    answer = {"channel": channel.id, "ts": post.ts, "message": show_post(call.state, post)}
    return answer | _warnings(content)


def build_post(call: Call, channel: Channel, content: Content) -> Post:
    """The bot's post with this content, not yet posted."""
    thread_ts = read_thread(call, channel)
    is_broadcast = thread_ts is not None and call.args.flag("reply_broadcast")
    return Post(
        channel=channel.id,
        ts=call.state.ids.fresh_ts(),
        user=call.app.bot_user_id,
        bot_id=call.app.bot_id,
        app_id=call.app.id,
        text=content.text or "",
        thread_ts=thread_ts,
        subtype="thread_broadcast" if is_broadcast else None,
        blocks=content.blocks or (),
        blocks_are_derived=content.blocks_are_derived,
        attachments=content.attachments or (),
        metadata=content.metadata or None,
        unfurl_links=call.args.flag("unfurl_links") if call.args.has("unfurl_links") else None,
        unfurl_media=call.args.flag("unfurl_media") if call.args.has("unfurl_media") else None,
        custom_author=read_custom_author(call),
    )


def read_custom_author(call: Call) -> CustomAuthor | None:
    """The name and icon asked for; they need a scope of their own."""
    username, emoji = call.args.text("username"), call.args.text("icon_emoji")
    url = call.args.text("icon_url")
    if not (username or emoji or url):
        return None
    call.need_scope("chat:write.customize")
    return CustomAuthor(username=username, icon_emoji=emoji, icon_url=url)


def read_thread(call: Call, channel: Channel) -> str | None:
    """The thread to post in. A reply's own ts is refused: threads hang on their root."""
    thread_ts = call.args.text("thread_ts") or None
    root = call.state.find_post(channel.id, thread_ts) if thread_ts else None
    if root is not None and root.is_reply:
        raise ApiError("cannot_reply_to_message")
    return thread_ts


def end_status(call: Call, post: Post) -> None:
    """A reply of the app clears the status line that stood under the thread."""
    session = call.state.sessions.get((post.channel, post.root_ts))
    if session is not None and session.status_text:
        call.state.set_session(replace(session, status_text="", loading_messages=()))


def _warnings(content: Content) -> JsonObject:
    if not content.warnings:
        return {}
    warnings = list(content.warnings)
    return {"warning": ",".join(warnings), "response_metadata": {"warnings": warnings}}


def post_ephemeral(call: Call) -> JsonObject:
    """Show a post to one member of a channel; it cannot be read or changed by any method."""
    channel = call.posting_channel()
    user = call.args.required("user")
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    content = read_content(call.args, call.state.ids)
    post = replace(build_post(call, channel, content), ephemeral_to=user, metadata=None)
    call.state.add_ephemeral(post)
    return {"message_ts": post.ts}


def update(call: Call) -> JsonObject:
    """Replace the content of one of the bot's posts."""
    channel = call.joined_channel()
    post = call.post(channel)
    if post.bot_id != call.app.bot_id:
        raise ApiError("cant_update_message")
    if is_streaming(call, post):
        raise ApiError("streaming_state_conflict")
    content = read_content(call.args, call.state.ids, is_update=True)
    post = call.workspace.change_post(_merge(post, content), editor=call.app.bot_user_id)
    shown = show_post(call.state, post)
    return {"channel": channel.id, "ts": post.ts, "text": post.text, "message": shown}


def is_streaming(call: Call, post: Post) -> bool:
    """Whether a post still takes streamed text."""
    return post.stream is not None and post.stream.is_open(call.state.clock.now())


def _merge(post: Post, content: Content) -> Post:
    """The post with the new content; what the caller left out stays, as Slack keeps it."""
    blocks, is_derived = content.blocks, content.blocks_are_derived
    if blocks is None:
        blocks = () if post.blocks_are_derived else post.blocks
    metadata = post.metadata if content.metadata is None else content.metadata or None
    attachments = post.attachments if content.attachments is None else content.attachments
    return replace(
        post,
        text=content.text or "",
        blocks=blocks,
        blocks_are_derived=is_derived,
        attachments=attachments,
        metadata=metadata,
    )


def delete(call: Call) -> JsonObject:
    """Delete one of the bot's posts."""
    channel = call.joined_channel()
    post = call.post(channel)
    if post.bot_id != call.app.bot_id:
        raise ApiError("cant_delete_message")
    call.workspace.delete_post(post)
    return {"channel": channel.id, "ts": post.ts}


def get_permalink(call: Call) -> JsonObject:
    """The address of a post."""
    channel = call.visible_channel()
    post = call.post(channel, "message_ts")
    return {"channel": channel.id, "permalink": permalink(post)}


METHODS: Methods = {
    "chat.postMessage": Method(run=post_message, scopes=("chat:write",), rate=POSTS_OF_A_CHANNEL),
    "chat.postEphemeral": Method(run=post_ephemeral, scopes=("chat:write",), rate=TIER_4),
    "chat.update": Method(run=update, scopes=("chat:write",), rate=TIER_3),
    "chat.delete": Method(run=delete, scopes=("chat:write",), rate=TIER_3),
    "chat.getPermalink": Method(run=get_permalink, rate=UNLIMITED),
}
