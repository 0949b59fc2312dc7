"""files.*: the upload in three calls, information, deletion."""

import re
from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.content import read_blocks
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_file
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_3, TIER_4
from bot.sandbox.slack.records import Channel, File, Post
from bot.sandbox.slack.text import settle_text
from bot.sandbox.slack.wire import JsonObject, as_object


def get_upload_url(call: Call) -> JsonObject:
    """First call of an upload: where to send the bytes."""
    name, length = call.args.required("filename"), call.args.number("length", 0)
    if length < 1:
        raise ApiError("missing_argument")
    if length > limits.MAX_FILE_BYTES:
        raise ApiError("file_upload_size_restricted")
    _check_snippet(call, length)
    alt_txt = call.args.text("alt_txt")
    if alt_txt and len(alt_txt) > limits.MAX_ALT_TEXT:
        raise ApiError("alt_txt_too_large")
    upload = call.workspace.uploads.open(name, length, alt_txt)
    return {
        "upload_url": f"{call.base_url}/upload/v1/{upload.ticket}",
        "file_id": upload.file_id,
    }


def _check_snippet(call: Call, length: int) -> None:
    kind = call.args.text("snippet_type")
    if kind and not re.fullmatch(r"[a-z0-9_+#-]+", kind):
        raise ApiError("unknown_snippet_type")
    if kind and length > limits.MAX_SNIPPET_BYTES:
        raise ApiError("snippet_too_large")


def complete_upload(call: Call) -> JsonObject:
    """Turn uploads into files and share them. The answer shows them before they are shared."""
    entries = [as_object(entry) or {} for entry in call.args.json_array("files") or ()]
    if not entries:
        raise missing_field("files")
    channels = _target_channels(call)
    if call.args.text("thread_ts") and len(channels) != 1:
        raise ApiError("invalid_arguments")
    files = [_complete(call, entry) for entry in entries]
    shown = [show_file(call.state, file) | {"mimetype": "", "filetype": ""} for file in files]
    for channel in channels:
        _share(call, channel, files)
    return {"files": shown}


def _target_channels(call: Call) -> list[Channel]:
    ids = call.args.names("channel_id") or call.args.names("channels")
    if len(ids) > limits.MAX_SHARE_CHANNELS:
        raise ApiError("channels_limit_exceeded")
    channels = [call.state.channels.get(channel_id) for channel_id in ids]
    found = [channel for channel in channels if channel is not None]
    if len(found) < len(channels) or any(_is_hidden(call, channel) for channel in found):
        raise ApiError("channel_not_found")
    if not all(call.app.is_member(channel) for channel in found):
        raise ApiError("not_in_channel")
    if any(channel.is_archived or channel.is_read_only for channel in found):
        raise ApiError("posting_to_channel_denied")
    return found


def _is_hidden(call: Call, channel: Channel) -> bool:
    return channel.kind != "channel" and not call.app.is_member(channel)


def _complete(call: Call, entry: JsonObject) -> File:
    upload = call.workspace.uploads.complete(str(entry.get("id")))
    if upload is None:
        raise ApiError("file_not_found")
    return call.workspace.add_file(
        name=upload.name,
        title=str(entry.get("title") or upload.name),
        content=upload.content,
        user=call.app.bot_user_id,
        file_id=upload.file_id,
        alt_txt=upload.alt_txt,
        mimetype=None,
    )


def _share(call: Call, channel: Channel, files: list[File]) -> None:
    comment = settle_text(call.args.text("initial_comment") or "")
    blocks = None if comment else read_blocks(call.args, call.state.ids)
    call.workspace.add_post(
        Post(
            channel=channel.id,
            ts=call.state.ids.fresh_ts(),
            user=call.app.bot_user_id,
            bot_id=call.app.bot_id,
            app_id=call.app.id,
            text=comment,
            blocks=blocks or (),
            subtype="file_share",
            thread_ts=call.args.text("thread_ts") or None,
            files=tuple(files),
        )
    )


def _find(call: Call) -> File:
    file_id = call.args.required("file")
    if file_id in call.state.deleted_files:
        raise ApiError("file_deleted")
    file = call.state.files.get(file_id)
    if file is None or not is_visible(call, file):
        raise ApiError("file_not_found")
    return file


def is_visible(call: Call, file: File) -> bool:
    """Whether the bot may see a file: its own, or one that was shared where it is."""
    channels = [call.state.channels[share.channel] for share in file.shares]
    return file.user == call.app.bot_user_id or any(call.app.is_member(c) for c in channels)


def info(call: Call) -> JsonObject:
    """One file, with its shares as they are now."""
    return {"file": show_file(call.state, _find(call)), "comments": []}


def delete(call: Call) -> JsonObject:
    """Delete one of the bot's files."""
    file = _find(call)
    if file.user != call.app.bot_user_id:
        raise ApiError("cant_delete_file")
    call.state.deleted_files.add(file.id)
    for share in file.shares:
        _empty_post(call, share.channel, share.ts, file.id)
    return {}


def _empty_post(call: Call, channel: str, ts: str, file_id: str) -> None:
    """A post that only carried the deleted file goes with it."""
    post = call.state.find_post(channel, ts)
    if post is None:
        return
    left = tuple(file for file in post.files if file.id != file_id)
    if left or post.text or post.blocks:
        call.workspace.change_post(replace(post, files=left))
    else:
        call.workspace.delete_post(post)


METHODS: Methods = {
    "files.getUploadURLExternal": Method(run=get_upload_url, scopes=("files:write",), rate=TIER_4),
    "files.completeUploadExternal": Method(
        run=complete_upload, scopes=("files:write",), rate=TIER_4
    ),
    "files.info": Method(run=info, scopes=("files:read",), rate=TIER_4),
    "files.delete": Method(run=delete, scopes=("files:write",), rate=TIER_3),
}
