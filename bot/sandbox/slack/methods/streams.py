"""chat.startStream, appendStream and stopStream."""

from dataclasses import replace

from bot.sandbox.slack import limits, streaming
from bot.sandbox.slack.content import read_blocks, read_metadata
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.call import Call
from bot.sandbox.slack.methods.chat import read_thread
from bot.sandbox.slack.records import STREAM_LIFETIME_S, Post, Stream
from bot.sandbox.slack.sessions import STATUSES
from bot.sandbox.slack.wire import JsonObject

_DISPLAY_MODES = ("timeline", "plan")


def start(call: Call) -> JsonObject:
    """Begin a streamed reply in a thread."""
    channel = call.posting_channel()
    thread_ts = read_thread(call, channel)
    if thread_ts is None:
        raise missing_field("thread_ts")
    if not channel.is_direct:
        _check_recipient(call)
    mode, now_s = call.args.text("task_display_mode") or "timeline", call.state.clock.now()
    if mode not in _DISPLAY_MODES:
        raise ApiError("invalid_arguments")
    stream = Stream(phase="in_progress", started_s=now_s, task_display_mode=mode)
    draft = call.draft(channel, thread_ts, text="", stream=stream)
    post = call.workspace.add_post(_append(call, draft))
    sessions = call.workspace.sessions
    sessions.end_status_line(channel.id, thread_ts)
    sessions.set_status(channel.id, thread_ts, "processing")
    call.workspace.background.start(_seal_later(call, post, now_s + STREAM_LIFETIME_S))
    return {"channel": channel.id, "ts": post.ts}


def _check_recipient(call: Call) -> None:
    for name in ("recipient_user_id", "recipient_team_id"):
        if not call.args.text(name):
            raise ApiError(f"missing_{name}")
    if call.args.text("recipient_user_id") not in call.state.users:
        raise ApiError("user_not_found")


def _append(call: Call, post: Post) -> Post:
    chunks = call.args.json_array("chunks", error="invalid_chunks")
    if chunks is not None and call.args.has("markdown_text"):
        raise ApiError("cannot_provide_both_markdown_text_and_chunks")
    if text := call.args.text("markdown_text"):
        return streaming.append_text(post, text)
    return streaming.append_chunks(post, chunks or [])


async def _seal_later(call: Call, post: Post, at_s: float) -> None:
    """Slack ends a stream that the app never stopped."""
    await call.state.clock.sleep_until(at_s)
    current = call.state.find_post(post.channel, post.ts)
    if current is not None and current.stream and current.stream.phase == "in_progress":
        call.state.change_post(streaming.close(current))
        call.workspace.sessions.set_status(post.channel, post.root_ts, "active")


def _open_stream(call: Call) -> Post:
    """The streamed post of the call, which must still be open."""
    post = call.own_post(call.joined_channel(), "message_not_owned_by_app")
    if post.stream is not None and post.stream.stopped_by_user:
        raise ApiError("stopped_by_user")
    if post.stream is None or not post.stream.is_open(call.state.clock.now()):
        raise ApiError("message_not_in_streaming_state")
    return post


def append(call: Call) -> JsonObject:
    """Add text or chunks to a running stream."""
    post = _open_stream(call)
    if not call.args.has("markdown_text") and not call.args.has("chunks"):
        raise missing_field("markdown_text")
    call.state.change_post(_append(call, post))
    return {"channel": post.channel, "ts": post.ts}


def stop(call: Call) -> JsonObject:
    """End a stream, with what is still to be shown."""
    post = _append(call, _open_stream(call))
    status = call.args.text("session_status") or "active"
    if status not in STATUSES:
        raise ApiError("invalid_status")
    if len(call.args.json_array("blocks") or ()) > limits.MAX_BLOCKS:
        raise ApiError("msg_blocks_too_many")
    blocks = read_blocks(call.args, call.state.ids) or ()
    metadata = read_metadata(call.args) or post.metadata
    post = replace(streaming.close(post, blocks), metadata=metadata)
    post = call.workspace.change_post(post)
    call.workspace.sessions.set_status(post.channel, post.root_ts, status)
    return {"channel": post.channel, "ts": post.ts, "message": show_post(call.state, post)}
