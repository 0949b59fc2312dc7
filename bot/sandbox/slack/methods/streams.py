"""chat.startStream, appendStream and stopStream: a post whose Markdown grows chunk by chunk."""

from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.methods.chat import read_thread
from bot.sandbox.slack.records import STREAM_LIFETIME_S, Post, Stream
from bot.sandbox.slack.wire import ApiError, JsonObject, missing_field


def start(call: MethodCall) -> JsonObject:
    """Begin a streamed reply in a thread."""
    channel = call.posting_channel()
    thread_ts = read_thread(call, channel)
    if thread_ts is None:
        raise missing_field("thread_ts")
    if not channel.is_direct:
        for name in ("recipient_user_id", "recipient_team_id"):
            if not call.args.has(name):
                raise ApiError(f"missing_{name}")
    stream = Stream(phase="in_progress", started_s=call.state.clock.now())
    draft = call.draft(channel, thread_ts, text="", stream=stream)
    post = call.backend.add_post(_grow(call, draft))
    call.backend.end_status_line(channel.id, thread_ts)
    call.backend.set_status(channel.id, thread_ts, "processing")
    call.backend.background.start(_seal_later(call, post, stream))
    return {"channel": channel.id, "ts": post.ts}


async def _seal_later(call: MethodCall, post: Post, stream: Stream) -> None:
    """Slack ends a stream that the app never stopped."""
    await call.state.clock.sleep_until(stream.started_s + STREAM_LIFETIME_S)
    current = call.state.find_post(post.channel, post.ts)
    if current is not None and current.stream == stream:
        call.state.change_post(replace(current, stream=replace(stream, phase="completed")))
        call.backend.set_status(post.channel, post.root_ts, "active")


def append(call: MethodCall) -> JsonObject:
    """Add chunks to a running stream."""
    post, _ = _open_stream(call)
    call.state.change_post(_grow(call, post))
    return {"channel": post.channel, "ts": post.ts}


def stop(call: MethodCall) -> JsonObject:
    """End a stream, with its last chunks and its metadata."""
    post, stream = _open_stream(call, stopped="message_not_in_streaming_state")
    post = replace(
        _grow(call, post),
        stream=replace(stream, phase="completed"),
        metadata=call.args.json_object("metadata"),
    )
    status = call.args.text("session_status") or "active"
    call.backend.set_status(post.channel, post.root_ts, status)
    post = call.backend.change_post(post)
    return {"channel": post.channel, "ts": post.ts, "message": show_post(call.state, post)}


def _open_stream(call: MethodCall, *, stopped: str = "stopped_by_user") -> tuple[Post, Stream]:
    """The call's post and its open stream. `stopped`: the refusal after a person's Stop."""
    post = call.own_post(call.joined_channel(), "message_not_owned_by_app")
    stream = post.stream
    if stream is not None and stream.stopped_by_user:
        raise ApiError(stopped)
    if stream is None or not stream.is_open(call.state.clock.now()):
        raise ApiError("message_not_in_streaming_state")
    return post, stream


def _grow(call: MethodCall, post: Post) -> Post:
    """The post with the Markdown of the call's chunks, the only kind that the bot sends."""
    text = post.text
    for chunk in call.args.json_array("chunks") or ():
        match chunk:
            case {"type": "markdown_text", "text": str(more)}:
                text += more
            case _:
                raise ApiError("invalid_chunks")
    if post.text and len(text.encode()) > limits.MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    blocks = ({"type": "markdown", "text": text},) if text else ()
    return replace(post, text=text, blocks=blocks)
