"""chat.startStream, appendStream and stopStream: how text and chunks build up a post."""

import json
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.arguments import check_markdown, read_blocks
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.methods.chat import read_thread
from bot.sandbox.slack.records import STREAM_LIFETIME_S, Post, Stream
from bot.sandbox.slack.wire import (
    ApiError,
    JsonObject,
    as_array,
    as_object,
    missing_field,
    without_none,
)

_TASK_STATUSES = ("pending", "in_progress", "complete", "error")


def start(call: MethodCall) -> JsonObject:
    """Begin a streamed reply in a thread."""
    channel = call.posting_channel()
    thread_ts, now_s = read_thread(call, channel), call.state.clock.now()
    if thread_ts is None:
        raise missing_field("thread_ts")
    for name in () if channel.is_direct else ("recipient_user_id", "recipient_team_id"):
        if not call.args.text(name):
            raise ApiError(f"missing_{name}")
    mode = call.args.text("task_display_mode") or "timeline"
    stream = Stream(
        phase="in_progress",
        started_s=now_s,
        task_display_mode=mode,
        recipient=call.args.text("recipient_user_id") or None,
    )
    stream = _append(call, stream)
    draft = call.draft(channel, thread_ts, text="", stream=stream)
    post = call.backend.add_post(_show(draft, stream))
    call.backend.end_status_line(channel.id, thread_ts)
    call.backend.set_status(channel.id, thread_ts, "processing")
    call.backend.background.start(_seal_later(call, post, now_s + STREAM_LIFETIME_S))
    return {"channel": channel.id, "ts": post.ts}


async def _seal_later(call: MethodCall, post: Post, at_s: float) -> None:
    """Slack ends a stream that the app never stopped."""
    await call.state.clock.sleep_until(at_s)
    current = call.state.find_post(post.channel, post.ts)
    if current is not None and current.stream and current.stream.phase == "in_progress":
        call.state.change_post(_show(current, replace(current.stream, phase="completed")))
        call.backend.set_status(post.channel, post.root_ts, "active")


def append(call: MethodCall) -> JsonObject:
    """Add text or chunks to a running stream."""
    post, stream = _open_stream(call)
    call.state.change_post(_show(post, _append(call, stream)))
    return {"channel": post.channel, "ts": post.ts}


def stop(call: MethodCall) -> JsonObject:
    """End a stream, with what is still to be shown; blocks stand below its text."""
    post, stream = _open_stream(call, stopped="message_not_in_streaming_state")
    stream = _append(call, stream)
    blocks = read_blocks(call.args, call.state.ids) or ()
    stream = replace(stream, phase="completed", parts=(*stream.parts, *blocks))
    metadata = call.args.json_object("metadata") or post.metadata
    status = call.args.text("session_status") or "active"
    call.backend.set_status(post.channel, post.root_ts, status)
    post = call.backend.change_post(_show(replace(post, metadata=metadata), stream))
    return {"channel": post.channel, "ts": post.ts, "message": show_post(call.state, post)}


def _open_stream(call: MethodCall, *, stopped: str = "stopped_by_user") -> tuple[Post, Stream]:
    """The streamed post of the call, which must still be open; `stopped`: by a person's Stop."""
    post = call.own_post(call.joined_channel(), "message_not_owned_by_app")
    if post.stream is not None and post.stream.stopped_by_user:
        raise ApiError(stopped)
    if post.stream is None or not post.stream.is_open(call.state.clock.now()):
        raise ApiError("message_not_in_streaming_state")
    return post, post.stream


def _append(call: MethodCall, stream: Stream) -> Stream:
    """The stream with the Markdown or the chunks of the call; it takes but one of the two."""
    text, chunks = call.args.text("markdown_text"), call.args.json_array("chunks")
    if not text and not chunks:
        return stream
    if text and chunks is not None:
        raise ApiError("cannot_provide_both_markdown_text_and_chunks")
    mode = "markdown_text" if text else "chunks"
    if stream.mode not in (None, mode):
        raise ApiError("streaming_mode_mismatch")
    check_markdown(text)
    stream = replace(stream, mode=mode)
    for chunk in chunks or [{"type": "markdown_text", "text": text}]:
        stream = _add_chunk(stream, as_object(chunk) or {})
    return stream


def _add_chunk(stream: Stream, chunk: JsonObject) -> Stream:
    texts = [value for value in chunk.values() if isinstance(value, str)]
    is_long = any(len(text) > limits.MAX_CHUNK_STRING for text in texts)
    match chunk:
        case {"type": "markdown_text", "text": str(text)}:
            return _add_markdown(stream, text)
        case {"type": "task_update", "id": str(), "title": str()} if not is_long:
            return _add_task(stream, chunk)
        case {"type": "plan_update", "title": str(title)} if not is_long:
            return replace(_grow(stream, len(json.dumps(chunk))), plan_title=title)
        case {"type": "blocks"}:
            blocks = as_array(chunk.get("blocks")) or []
            check_message_blocks(blocks)
            return replace(stream, parts=(*stream.parts, *blocks))
        case _:
            raise ApiError("invalid_chunks")


def _add_markdown(stream: Stream, text: str) -> Stream:
    stream = _grow(stream, len(text.encode()))
    parts = list(stream.parts)
    if parts and parts[-1]["type"] == "markdown":
        text = parts.pop()["text"] + text
    return replace(stream, parts=(*parts, {"type": "markdown", "text": text}))


def _add_task(stream: Stream, chunk: JsonObject) -> Stream:
    """A known id gets the new title and status in its place; its details and output grow."""
    parts = list(stream.parts)
    known = [at for at, part in enumerate(parts) if part.get("task_id") == chunk["id"]]
    at = known[0] if known else len(parts)
    task: JsonObject = parts[at] if known else {"status": "pending"}
    status = chunk.get("status") or task["status"]
    if status not in _TASK_STATUSES:
        raise ApiError("invalid_chunks")
    sources = [*(task.get("sources") or ()), *(chunk.get("sources") or ())]
    card: JsonObject = {
        "type": "task_card",
        "task_id": chunk["id"],
        "title": chunk["title"],
        "status": status,
        "details": _grown(task.get("details"), chunk.get("details")),
        "output": _grown(task.get("output"), chunk.get("output")),
        "sources": sources or None,
    }
    parts[at : at + 1] = [without_none(card)]
    # Details and output weigh double in Slack's count: measured, not documented.
    double = f"{chunk.get('details') or ''}{chunk.get('output') or ''}"
    stream = _grow(stream, len(json.dumps(chunk)) + len(double.encode()))
    return replace(stream, parts=tuple(parts))


def _grown(known: JsonObject | None, text: str | None) -> JsonObject | None:
    """Rich text with more text at its end."""
    before: str = known["elements"][0]["elements"][0]["text"] if known else ""
    leaf = {"type": "text", "text": before + (text or "")}
    section = {"type": "rich_text_section", "elements": [leaf]}
    return {"type": "rich_text", "elements": [section]} if leaf["text"] else None


def _grow(stream: Stream, by_bytes: int) -> Stream:
    size_bytes = stream.size_bytes + by_bytes
    if stream.size_bytes and size_bytes > limits.MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    return replace(stream, size_bytes=size_bytes)


def _show(post: Post, stream: Stream) -> Post:
    """The post as the stream stands: task cards in their places, or one plan in the first one's."""
    texts = [part["text"] for part in stream.parts if part["type"] == "markdown"]
    tasks = [part for part in stream.parts if part["type"] == "task_card"]
    plan: JsonObject = {"type": "plan", "title": stream.plan_title, "tasks": tasks}
    blocks: list[JsonObject] = []
    for part in stream.parts:
        shown = plan if part in tasks and stream.task_display_mode == "plan" else part
        blocks += [] if shown in blocks else [shown]
    return replace(
        post, stream=stream, text="".join(texts), blocks=tuple(blocks), blocks_are_derived=True
    )
