"""Streamed posts: how text and chunks build up a post, and what Slack refuses on the way. Pure."""

import json
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.content import check_markdown
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.records import Post, Stream, Task
from bot.sandbox.slack.wire import JsonArray, JsonObject, as_array, as_object, without_none

_TASK_STATUSES = ("pending", "in_progress", "complete", "error")


def append_text(post: Post, text: str) -> Post:
    """The post with more Markdown. Raises `ApiError` when the stream runs in chunks."""
    check_markdown(text)
    stream = _stream_of(post)
    if stream.mode == "chunks":
        raise ApiError("streaming_mode_mismatch")
    return _with_stream(post, _add_markdown(replace(stream, mode="markdown_text"), text))


def append_chunks(post: Post, chunks: JsonArray) -> Post:
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


def close(post: Post, blocks: tuple[JsonObject, ...] = ()) -> Post:
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
