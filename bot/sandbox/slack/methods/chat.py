"""chat.* and reactions.*: posts, ephemerals, edits, permalinks, streams, emoji on posts."""

from dataclasses import replace

from bot.sandbox.slack.messages import permalink
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import Channel, Post, Stream
from bot.sandbox.slack.wire import ApiError, JsonObject

MAX_STREAM_BYTES = 10_600


def post_message(call: MethodCall) -> JsonObject:
    """Post in a channel or a thread."""
    post = _draft(call)
    call.backend.add_post(post)
    return {"ts": post.ts}


def _draft(call: MethodCall) -> Post:
    channel = call.posting_channel()
    content = call.content(call.state.ids)
    return call.draft(channel, _read_thread(call, channel), **content)


def _read_thread(call: MethodCall, channel: Channel) -> str | None:
    """The thread to post in. A reply's own ts is refused: threads hang on their root."""
    thread_ts = call.text("thread_ts")
    if not thread_ts:
        return None
    root = call.state.find_post(channel.id, thread_ts)
    if root is not None and root.is_reply:
        raise ApiError("cannot_reply_to_message")
    return thread_ts


def post_ephemeral(call: MethodCall) -> JsonObject:
    """Show a post to one member of a channel; no method can read or change it."""
    draft = _draft(call)
    user = call.required("user")
    channel = call.state.channels[draft.channel]
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    call.state.keep(replace(draft, ephemeral_to=user))
    return {}


def update(call: MethodCall) -> JsonObject:
    """Replace the content of one of the bot's posts; blocks and metadata stay when left out."""
    post = call.own_post("cant_update_message")
    now_s = call.state.clock.now()
    if post.stream is not None and post.stream.is_open(now_s):
        raise ApiError("streaming_state_conflict")
    post = replace(post, **call.content(call.state.ids, is_update=True))
    call.backend.change_post(post, editor=call.state.bot.id)
    return {}


def delete(call: MethodCall) -> JsonObject:
    """Delete one of the bot's posts."""
    post = call.own_post("cant_delete_message")
    call.backend.delete_post(post)
    return {}


def get_permalink(call: MethodCall) -> JsonObject:
    """The address of a post."""
    channel = call.visible_channel()
    post = call.post(channel, "message_ts")
    return {"permalink": permalink(post)}


def add_reaction(call: MethodCall) -> JsonObject:
    """React to a post."""
    post = call.post(call.joined_channel(), "timestamp")
    name = call.required("name")
    if not call.backend.add_reaction(post, name, call.state.bot.id):
        raise ApiError("already_reacted")
    return {}


def remove_reaction(call: MethodCall) -> JsonObject:
    """Take the bot's reaction back."""
    post = call.post(call.joined_channel(), "timestamp")
    name = call.required("name")
    if not call.backend.remove_reaction(post, name, call.state.bot.id):
        raise ApiError("no_reaction")
    return {}


def start_stream(call: MethodCall) -> JsonObject:
    """Begin a streamed reply in a thread."""
    channel = call.posting_channel()
    stream = Stream(started_s=call.state.clock.now())
    draft = call.draft(channel, _read_thread(call, channel), text="", stream=stream)
    post = _grow(call, draft)
    call.backend.add_post(post)
    call.backend.change_session(channel.id, post.root_ts, status="processing")
    return {"ts": post.ts}


def append_stream(call: MethodCall) -> JsonObject:
    """Add chunks to a running stream."""
    post, _ = _open_stream(call)
    call.state.keep(_grow(call, post))
    return {}


def stop_stream(call: MethodCall) -> JsonObject:
    """End a stream and give the post its metadata."""
    post, stream = _open_stream(call)
    post = replace(
        post,
        stream=replace(stream, phase="completed"),
        metadata=call.json_object("metadata"),
    )
    status = call.text("session_status") or "active"
    call.backend.change_session(post.channel, post.root_ts, status=status)
    call.backend.change_post(post)
    return {}


def _open_stream(call: MethodCall) -> tuple[Post, Stream]:
    """The call's post and its open stream."""
    post = call.own_post("message_not_owned_by_app")
    stream = post.stream
    if stream is None or not stream.is_open(call.state.clock.now()):
        is_stopped = stream is not None and stream.stopped_by_user
        raise ApiError("stopped_by_user" if is_stopped else "message_not_in_streaming_state")
    return post, stream


def _grow(call: MethodCall, post: Post) -> Post:
    """The post with the Markdown of the call's chunks, the only kind that the bot sends."""
    more = [chunk["text"] for chunk in call.json_array("chunks") or ()]
    text = post.text + "".join(more)
    if post.text and len(text.encode()) > MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    block = {"type": "markdown", "text": text}
    return replace(post, text=text, blocks=(block,))
