"""chat.startStream, appendStream and stopStream: how text and chunks build up a post."""

import json
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.arguments import check_markdown, read_blocks, read_metadata
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_post
from bot.sandbox.slack.methods.call import Call
from bot.sandbox.slack.methods.chat import read_thread
from bot.sandbox.slack.records import STREAM_LIFETIME_S, Post, Stream, Task
from bot.sandbox.slack.sessions import STATUSES
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object, without_none

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
        return _append_text(post, text)
    return _append_chunks(post, chunks or [])


async def _seal_later(call: Call, post: Post, at_s: float) -> None:
    """Slack ends a stream that the app never stopped."""
    await call.state.clock.sleep_until(at_s)
    current = call.state.find_post(post.channel, post.ts)
    if current is not None and current.stream and current.stream.phase == "in_progress":
        call.state.change_post(_close(current))
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
    post = replace(_close(post, blocks), metadata=metadata)
    post = call.workspace.change_post(post)
    call.workspace.sessions.set_status(post.channel, post.root_ts, status)
    return {"channel": post.channel, "ts": post.ts, "message": show_post(call.state, post)}


_TASK_STATUSES = ("pending", "in_progress", "complete", "error")


def _append_text(post: Post, text: str) -> Post:
    """The post with more Markdown. Raises `ApiError` when the stream runs in chunks."""
    check_markdown(text)
    stream = _stream_of(post)
    if stream.mode == "chunks":
        raise ApiError("streaming_mode_mismatch")
    return _with_stream(post, _add_markdown(replace(stream, mode="markdown_text"), text))


def _append_chunks(post: Post, chunks: JsonArray) -> Post:
    """The post with more chunks; an empty list changes nothing."""
    if not chunks:
        return post
    stream = _stream_of(post)
    if stream.mode == "markdown_text":
        raise ApiError("streaming_mode_mismatch")
    stream = replace(stream, mode="chunks")
    for chunk in chunks:
        stream = _add_chunk(stream, as_object(chunk) or {})
    return _with_stream(post, stream)


def _close(post: Post, blocks: tuple[JsonObject, ...] = ()) -> Post:
    """The finished post, with the blocks that stand below its text."""
    stream = _stream_of(post)
    return _with_stream(post, replace(stream, phase="completed", parts=(*stream.parts, *blocks)))


def _stream_of(post: Post) -> Stream:
    if post.stream is None:
        raise ApiError("message_not_in_streaming_state")
    return post.stream


def _with_stream(post: Post, stream: Stream) -> Post:
    texts = [part["text"] for part in stream.parts if part["type"] == "markdown"]
    blocks = tuple(_show_parts(stream))
    return replace(post, stream=stream, text="".join(texts), blocks=blocks, blocks_are_derived=True)


def _add_chunk(stream: Stream, chunk: JsonObject) -> Stream:
    match chunk:
        case {"type": "markdown_text", "text": str(text)}:
            return _add_markdown(stream, text)
        case {"type": "task_update", "id": str(task_id)}:
            return _add_task(stream, task_id, chunk)
        case {"type": "plan_update", "title": str(title)}:
            _check_strings(chunk)
            grown = _grow(stream, len(json.dumps(chunk)))
            return replace(_with_part(grown, {"type": "plan"}), plan_title=title)
        case {"type": "blocks"}:
            blocks = as_array(chunk.get("blocks")) or []
            if len(blocks) > limits.MAX_BLOCKS:
                raise ApiError("msg_blocks_too_many")
            check_message_blocks(blocks)
            return replace(stream, parts=(*stream.parts, *blocks))
        case _:
            raise ApiError("invalid_chunks")


def _add_markdown(stream: Stream, text: str) -> Stream:
    stream = _grow(stream, len(text.encode()))
    *before, last = stream.parts or ({"type": "none"},)
    if last["type"] == "markdown":
        joined = {"type": "markdown", "text": last["text"] + text}
        return replace(stream, parts=(*before, joined))
    return replace(stream, parts=(*stream.parts, {"type": "markdown", "text": text}))


def _add_task(stream: Stream, task_id: str, chunk: JsonObject) -> Stream:
    """A known id gets the new title and status; its details and output grow."""
    _check_strings(chunk)
    known = {task.id: task for task in stream.tasks}
    task = known.get(task_id) or Task(id=task_id, title="", status="pending")
    status = str(chunk.get("status") or task.status)
    if status not in _TASK_STATUSES or not (title := str(chunk.get("title") or task.title)):
        raise ApiError("invalid_chunks")
    details, output = str(chunk.get("details") or ""), str(chunk.get("output") or "")
    known[task_id] = replace(
        task,
        title=title,
        status=status,
        details=task.details + details,
        output=task.output + output,
        sources=(*task.sources, *(chunk.get("sources") or ())),
    )
    # Details and output weigh double in Slack's count: measured, not documented.
    stream = _grow(stream, len(json.dumps(chunk)) + len(details.encode()) + len(output.encode()))
    return replace(_with_part(stream, {"type": "task", "id": task_id}), tasks=tuple(known.values()))


def _check_strings(chunk: JsonObject) -> None:
    texts = [value for value in chunk.values() if isinstance(value, str)]
    if any(len(text) > limits.MAX_CHUNK_STRING for text in texts):
        raise ApiError("invalid_chunks")


def _grow(stream: Stream, by_bytes: int) -> Stream:
    size_bytes = stream.size_bytes + by_bytes
    if stream.size_bytes and size_bytes > limits.MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    return replace(stream, size_bytes=size_bytes)


def _with_part(stream: Stream, part: JsonObject) -> Stream:
    is_known = part in stream.parts
    return stream if is_known else replace(stream, parts=(*stream.parts, part))


def _show_parts(stream: Stream) -> list[JsonObject]:
    """The blocks of the post: task cards in their places, or one plan in the first one's."""
    cards = {task.id: _show_task(task) for task in stream.tasks}
    title = stream.plan_title or "Plan"
    plan: JsonObject = {"type": "plan", "title": title, "tasks": list(cards.values())}
    blocks: list[JsonObject] = []
    for part in stream.parts:
        is_progress = part["type"] == "task" or part == {"type": "plan"}
        if not is_progress:
            blocks.append(part)
        elif stream.task_display_mode == "plan":
            blocks += [] if plan in blocks else [plan]
        elif part["type"] == "task":
            blocks.append(cards[part["id"]])
    return blocks


def _show_task(task: Task) -> JsonObject:
    return without_none(
        {
            "type": "task_card",
            "task_id": task.id,
            "title": task.title,
            "status": task.status,
            "details": _rich(task.details),
            "output": _rich(task.output),
            "sources": list(task.sources) or None,
        }
    )


def _rich(text: str) -> JsonObject | None:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]} if text else None
