"""chat.startStream, appendStream and stopStream: a post whose Markdown grows chunk by chunk."""

from dataclasses import replace

from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.methods.chat import read_thread
from bot.sandbox.slack.records import STREAM_LIFETIME_S, Post, Stream
from bot.sandbox.slack.wire import ApiError, JsonObject, invalid_arguments

MAX_STREAM_BYTES = 10_600


def start(call: MethodCall) -> JsonObject:
    """Begin a streamed reply in a thread."""
    channel = call.posting_channel()
    thread_ts = read_thread(call, channel)
    if thread_ts is None:
        raise invalid_arguments("missing required field: thread_ts")
    if not channel.is_direct:
        # In a channel Slack wants to know the reader of a stream.
        for name in ("recipient_user_id", "recipient_team_id"):
            if not call.text(name):
                raise ApiError(f"missing_{name}")
    now_s = call.state.clock.now()
    stream = Stream(phase="in_progress", started_s=now_s)
    post = call.draft(
        channel,
        thread_ts,
        text="",
        stream=stream,
    )
    post = _grow(call, post)
    call.backend.add_post(post)
    call.backend.set_status(channel.id, thread_ts, "processing")
    call.backend.background.start(_seal_later(call, post, stream))
    return {"ts": post.ts}


async def _seal_later(call: MethodCall, post: Post, stream: Stream) -> None:
    """Slack ends a stream that the app never stopped."""
    state = call.state
    end_s = stream.started_s + STREAM_LIFETIME_S
    await state.clock.sleep_until(end_s)
    current = state.find_post(post.channel, post.ts)
    if current is None or current.stream != stream:
        return
    sealed = replace(stream, phase="completed")
    state.keep(replace(current, stream=sealed))
    call.backend.set_status(post.channel, post.root_ts, "active")


def append(call: MethodCall) -> JsonObject:
    """Add chunks to a running stream."""
    post, _ = _open_stream(call)
    call.state.keep(_grow(call, post))
    return {}


def stop(call: MethodCall) -> JsonObject:
    """End a stream and give the post its metadata."""
    post, stream = _open_stream(call, stopped="message_not_in_streaming_state")
    post = replace(
        post,
        stream=replace(stream, phase="completed"),
        metadata=call.json_object("metadata"),
    )
    status = call.text("session_status") or "active"
    call.backend.set_status(post.channel, post.root_ts, status)
    call.backend.change_post(post)
    return {}


def _open_stream(call: MethodCall, *, stopped: str = "stopped_by_user") -> tuple[Post, Stream]:
    """The call's post and its open stream. `stopped`: the refusal after a person's Stop."""
    post = call.own_post("message_not_owned_by_app")
    stream = post.stream
    if stream is not None and stream.stopped_by_user:
        raise ApiError(stopped)
    now_s = call.state.clock.now()
    if stream is None or not stream.is_open(now_s):
        raise ApiError("message_not_in_streaming_state")
    return post, stream


def _grow(call: MethodCall, post: Post) -> Post:
    """The post with the Markdown of the call's chunks, the only kind that the bot sends."""
    text = post.text
    for chunk in call.json_array("chunks") or ():
        match chunk:
            case {"type": "markdown_text", "text": str(more)}:
                text += more
            case _:
                raise ApiError("invalid_chunks")
    size = len(text.encode())
    if post.text and size > MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    block = {"type": "markdown", "text": text}
    return replace(post, text=text, blocks=(block,))
