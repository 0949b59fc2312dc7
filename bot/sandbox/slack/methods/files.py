"""files.*: the upload in three calls, information, deletion."""

import secrets
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.content import read_blocks
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_file
from bot.sandbox.slack.methods.call import Call
from bot.sandbox.slack.records import Channel, File, Upload
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import JsonObject, as_object


def get_upload_url(call: Call) -> JsonObject:
    """First call of an upload: where to send the bytes."""
    name, length = call.args.required("filename"), call.args.number("length", 0)
    alt_txt = call.args.text("alt_txt")
    if length < 1:
        raise ApiError("missing_argument")
    if length > limits.MAX_FILE_BYTES:
        raise ApiError("file_upload_size_restricted")
    if len(alt_txt) > limits.MAX_ALT_TEXT:
        raise ApiError("alt_txt_too_large")
    upload = Upload(
        ticket=secrets.token_urlsafe(24),
        file_id=call.state.ids.fresh("F"),
        name=name,
        length_bytes=length,
        alt_txt=alt_txt or None,
    )
    call.state.uploads[upload.ticket] = upload
    url = f"{call.workspace.base_url}/upload/v1/{upload.ticket}"
    return {"upload_url": url, "file_id": upload.file_id}


def complete_upload(call: Call) -> JsonObject:
    """Turn uploads into files and share them. The answer shows them before they are shared."""
    entries = [as_object(entry) or {} for entry in call.args.json_array("files") or ()]
    if not entries:
        raise missing_field("files")
    channels = [_target(call, name) for name in call.args.names("channel_id")]
    thread_ts = call.args.text("thread_ts") or None
    if thread_ts and len(channels) != 1:
        raise ApiError("invalid_arguments")
    files = [_complete(call, entry) for entry in entries]
    shown = [show_file(call.state, file) | {"mimetype": "", "filetype": ""} for file in files]
    comment = settle_text(call.args.text("initial_comment"))
    blocks = None if comment else read_blocks(call.args, call.state.ids)
    for channel in channels:
        draft = call.draft(
            channel,
            thread_ts,
            text=comment,
            blocks=blocks or (),
            subtype="file_share",
            files=tuple(files),
        )
        call.workspace.add_post(draft)
    return {"files": shown}


def _target(call: Call, channel_id: str) -> Channel:
    channel = call.state.channels.get(channel_id)
    if channel is None or (channel.kind != "channel" and not call.app.is_member(channel)):
        raise ApiError("channel_not_found")
    if not call.app.is_member(channel):
        raise ApiError("not_in_channel")
    if channel.is_archived or channel.is_read_only:
        raise ApiError("posting_to_channel_denied")
    return channel


def _complete(call: Call, entry: JsonObject) -> File:
    for ticket, upload in call.state.uploads.items():
        if upload.file_id == entry.get("id") and upload.content is not None:
            del call.state.uploads[ticket]
            return call.workspace.add_file(
                name=upload.name,
                title=str(entry.get("title") or upload.name),
                content=upload.content,
                user=call.app.bot_user_id,
                file_id=upload.file_id,
                alt_txt=upload.alt_txt,
            )
    raise ApiError("file_not_found")


def _find(call: Call) -> File:
    file_id = call.args.required("file")
    if file_id in call.state.deleted_files:
        raise ApiError("file_deleted")
    file = call.state.files.get(file_id)
    if file is None or not call.workspace.can_read(file):
        raise ApiError("file_not_found")
    return file


def info(call: Call) -> JsonObject:
    """One file, with its shares as they are now."""
    return {"file": show_file(call.state, _find(call)), "comments": []}


def delete(call: Call) -> JsonObject:
    """Delete one of the bot's files; a post that only carried it goes with it."""
    file = _find(call)
    if file.user != call.app.bot_user_id:
        raise ApiError("cant_delete_file")
    call.state.deleted_files.add(file.id)
    for share in file.shares:
        post = call.state.find_post(share.channel, share.ts)
        if post is None:
            continue
        left = tuple(kept for kept in post.files if kept.id != file.id)
        if left or post.text or post.blocks:
            call.workspace.change_post(replace(post, files=left))
        else:
            call.workspace.delete_post(post)
    return {}
