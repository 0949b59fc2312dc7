"""files.*: the upload in three calls, information, deletion."""

from dataclasses import replace

from bot.sandbox.slack.messages import show_file
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import File
from bot.sandbox.slack.wire import ApiError, JsonObject, texts_in

_WITHOUT_WORDS = ("actions", "context_actions")


def get_upload_url(call: MethodCall) -> JsonObject:
    """First call of an upload: the address for the bytes."""
    file = call.backend.new_file(
        name=call.required("filename"),
        content=b"",
        user=call.state.bot.id,
        alt_txt=call.text("alt_txt") or None,
    )
    call.state.uploads[file.id] = file
    url = f"{call.backend.base_url}/upload/v1/{file.id}"
    return {"upload_url": url, "file_id": file.id}


def complete_upload(call: MethodCall) -> JsonObject:
    """Turn uploads into files and share them in one post, with or without blocks.

    The post's text is that of its blocks without buttons.
    """
    channel = call.posting_channel("channel_id")
    files = [_complete(call, entry) for entry in call.json_array("files") or ()]
    blocks = call.blocks(call.state.ids) or ()
    spoken = [block for block in blocks if block["type"] not in _WITHOUT_WORDS]
    draft = call.draft(
        channel,
        call.text("thread_ts") or None,
        text="\n".join(texts_in(spoken)),
        blocks=blocks,
        subtype="file_share",
        files=tuple(files),
    )
    call.backend.add_post(draft)
    return {}


def _complete(call: MethodCall, entry: JsonObject) -> File:
    """Store an uploaded file under its title."""
    uploaded = call.state.uploads.pop(entry["id"], None)
    if uploaded is None or not uploaded.content:
        raise ApiError("file_not_found")
    file = replace(uploaded, title=entry.get("title") or uploaded.name)
    call.state.files[file.id] = file
    return file


def info(call: MethodCall) -> JsonObject:
    """One file, with its present shares."""
    file = call.state.files.get(call.required("file"))
    if file is None:
        raise ApiError("file_not_found")
    if file.is_deleted:
        raise ApiError("file_deleted")
    return {"file": show_file(call.state, file, is_asked=True)}


def delete(call: MethodCall) -> JsonObject:
    """Delete one of the bot's files, wherever it is shared; posts keep a mark in its place."""
    file = call.state.files.get(call.required("file"))
    if file is None or file.is_deleted:
        raise ApiError("file_not_found")
    call.state.files[file.id] = replace(file, is_deleted=True)
    return {}
