"""files.*: the upload in three calls, information, deletion."""

import secrets

from bot.sandbox.slack.arguments import read_blocks
from bot.sandbox.slack.messages import show_file
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import File, PendingUpload
from bot.sandbox.slack.text import texts_in
from bot.sandbox.slack.wire import ApiError, JsonObject

_WITHOUT_WORDS = ("actions", "context_actions")


def get_upload_url(call: MethodCall) -> JsonObject:
    """First call of an upload: the address for the bytes."""
    upload = PendingUpload(
        ticket=secrets.token_urlsafe(24),
        file_id=call.state.ids.fresh("F"),
        name=call.args.required("filename"),
        length_bytes=call.args.number("length", 0),
        alt_txt=call.args.text("alt_txt") or None,
    )
    call.state.uploads[upload.ticket] = upload
    url = f"{call.backend.base_url}/upload/v1/{upload.ticket}"
    return {"upload_url": url, "file_id": upload.file_id}


def complete_upload(call: MethodCall) -> JsonObject:
    """Turn uploads into files and share them in one post, with or without blocks.

    The post's text is that of its blocks without buttons.
    """
    channel = call.posting_channel("channel_id")
    files = [_complete(call, entry) for entry in call.args.json_array("files") or ()]
    blocks = read_blocks(call.args, call.state.ids) or ()
    spoken = [block for block in blocks if block["type"] not in _WITHOUT_WORDS]
    draft = call.draft(
        channel,
        call.args.text("thread_ts") or None,
        text="\n".join(texts_in(spoken)),
        blocks=blocks,
        subtype="file_share",
        files=tuple(files),
    )
    call.backend.add_post(draft)
    return {}


def _complete(call: MethodCall, entry: JsonObject) -> File:
    for ticket, upload in call.state.uploads.items():
        if upload.file_id == entry.get("id") and upload.content is not None:
            del call.state.uploads[ticket]
            return call.backend.add_file(
                name=upload.name,
                title=str(entry.get("title") or upload.name),
                content=upload.content,
                user=call.app.bot_user_id,
                file_id=upload.file_id,
                alt_txt=upload.alt_txt,
            )
    raise ApiError("file_not_found")


def info(call: MethodCall) -> JsonObject:
    """One file, with its present shares."""
    file = call.state.files.get(call.args.required("file"))
    if file is None or not call.backend.can_read(file):
        raise ApiError("file_not_found")
    if file.is_deleted:
        raise ApiError("file_deleted")
    return {"file": show_file(call.state, file, is_asked=True)}


def delete(call: MethodCall) -> JsonObject:
    """Delete one of the bot's files, wherever it is shared."""
    file = call.state.files.get(call.args.required("file"))
    if file is None or file.is_deleted:
        raise ApiError("file_not_found")
    if file.user != call.app.bot_user_id:
        raise ApiError("cant_delete_file")
    call.state.delete_file(file.id)
    return {}
