"""What the bot writes: posts, streams, reactions, files, agent sessions, views; and its sockets."""

from dataclasses import replace

from bot.sandbox.slack.messages import show_file
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import File, Post, Stream, SuggestedPrompts
from bot.sandbox.slack.wire import ApiError, JsonArray, JsonObject, invalid_arguments, texts_in

MAX_STREAM_BYTES = 10_600
MAX_TITLE = 200
MAX_PROMPTS = 4
MAX_LOADING_MESSAGES = 10
_WITHOUT_WORDS = ("actions", "context_actions")


def post_message(call: MethodCall) -> JsonObject:
    """Post in a channel or a thread."""
    post = _draft(call)
    call.backend.add_post(post)
    return {"ts": post.ts}


def _draft(call: MethodCall) -> Post:
    content = call.content()
    return call.draft(_read_thread(call), **content)


def _read_thread(call: MethodCall) -> str | None:
    """The thread to post in. A reply's own ts is refused: threads hang on their root."""
    thread_ts = call.text("thread_ts")
    if not thread_ts:
        return None
    root = call.state.find_post(call.channel.id, thread_ts)
    if root is not None and root.is_reply:
        raise ApiError("cannot_reply_to_message")
    return thread_ts


def post_ephemeral(call: MethodCall) -> JsonObject:
    """Show a post to one member of a channel; no method can read or change it."""
    draft = _draft(call)
    user = call.text("user")
    if user not in call.channel.members:
        raise ApiError("user_not_in_channel")
    call.state.keep(replace(draft, ephemeral_to=user))
    return {}


def update(call: MethodCall) -> JsonObject:
    """Replace the content of one of the bot's posts; blocks and metadata stay when left out."""
    post = call.own_post()
    now_s = call.state.clock.now()
    if post.stream is not None and post.stream.is_open(now_s):
        raise ApiError("streaming_state_conflict")
    post = replace(post, **call.content(is_update=True))
    call.backend.change_post(post, editor=call.state.bot.id)
    return {}


def delete(call: MethodCall) -> JsonObject:
    """Delete one of the bot's posts."""
    post = call.own_post()
    call.backend.delete_post(post)
    return {}


def add_reaction(call: MethodCall) -> JsonObject:
    """React to a post."""
    post = call.post("timestamp")
    name = call.text("name")
    if not call.backend.add_reaction(post, name, call.state.bot.id):
        raise ApiError("already_reacted")
    return {}


def remove_reaction(call: MethodCall) -> JsonObject:
    """Take the bot's reaction back."""
    post = call.post("timestamp")
    name = call.text("name")
    if not call.backend.remove_reaction(post, name, call.state.bot.id):
        raise ApiError("no_reaction")
    return {}


def start_stream(call: MethodCall) -> JsonObject:
    """Begin a streamed reply in a thread."""
    stream = Stream(started_s=call.state.clock.now())
    draft = call.draft(_read_thread(call), text="", stream=stream)
    post = _grow(call, draft)
    call.backend.add_post(post)
    call.backend.change_session(post.channel, post.root_ts, status="processing")
    return {"ts": post.ts}


def append_stream(call: MethodCall) -> JsonObject:
    """Add chunks to a running stream."""
    post, _ = _open_stream(call)
    call.state.keep(_grow(call, post))
    return {}


def stop_stream(call: MethodCall) -> JsonObject:
    """End a stream and give the post its metadata."""
    post, stream = _open_stream(call)
    post = replace(
        post,
        stream=replace(stream, phase="completed"),
        metadata=call.decoded("metadata"),
    )
    status = call.text("session_status") or "active"
    call.backend.change_session(post.channel, post.root_ts, status=status)
    call.backend.change_post(post)
    return {}


def _open_stream(call: MethodCall) -> tuple[Post, Stream]:
    """The call's post and its open stream."""
    post = call.own_post()
    stream = post.stream
    if stream is None or not stream.is_open(call.state.clock.now()):
        is_stopped = stream is not None and stream.stopped_by_user
        raise ApiError("stopped_by_user" if is_stopped else "message_not_in_streaming_state")
    return post, stream


def _grow(call: MethodCall, post: Post) -> Post:
    """The post with the Markdown of the call's chunks, the only kind that the bot sends."""
    more = [chunk["text"] for chunk in call.decoded("chunks") or ()]
    text = post.text + "".join(more)
    if post.text and len(text.encode()) > MAX_STREAM_BYTES:
        raise ApiError("msg_too_long")
    block = {"type": "markdown", "text": text}
    return replace(post, text=text, blocks=(block,))


def get_upload_url(call: MethodCall) -> JsonObject:
    """First call of an upload: the address for the bytes."""
    file = call.backend.new_file(
        name=call.text("filename"),
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
    files = [_complete(call, entry) for entry in call.decoded("files") or ()]
    blocks = call.blocks() or ()
    spoken = [block for block in blocks if block["type"] not in _WITHOUT_WORDS]
    draft = call.draft(
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


def file_info(call: MethodCall) -> JsonObject:
    """One file, with its present shares."""
    file = call.state.files.get(call.text("file"))
    if file is None:
        raise ApiError("file_not_found")
    if file.is_deleted:
        raise ApiError("file_deleted")
    return {"file": show_file(call.state, file, is_asked=True)}


def delete_file(call: MethodCall) -> JsonObject:
    """Delete one of the bot's files, wherever it is shared; posts keep a mark in its place."""
    file = call.state.files.get(call.text("file"))
    if file is None or file.is_deleted:
        raise ApiError("file_not_found")
    call.state.files[file.id] = replace(file, is_deleted=True)
    return {}


def open_socket(call: MethodCall) -> JsonObject:
    """Give out the address of the sockets."""
    base = call.backend.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/"}


def _session_thread(call: MethodCall) -> tuple[str, str]:
    return call.channel.id, call.text("thread_ts")


def set_session_status(call: MethodCall) -> JsonObject:
    """Set the status of a thread's agent session."""
    call.backend.change_session(*_session_thread(call), status=call.text("status"))
    return {}


def rename_session(call: MethodCall) -> JsonObject:
    """Give a thread's agent session another title."""
    title = call.text("title")
    thread = _session_thread(call)
    if len(title) > MAX_TITLE:
        raise ApiError("invalid_name")
    call.backend.change_session(*thread, title=title)
    return {}


def set_thread_status(call: MethodCall) -> JsonObject:
    """Show the line "<App> <text>" under a thread; an empty text clears it."""
    text = call.text("status")
    messages: JsonArray = call.decoded("loading_messages") or []
    if len(messages) > MAX_LOADING_MESSAGES:
        raise invalid_arguments("too many items")
    call.backend.change_session(
        *_session_thread(call),
        status="processing" if text else "active",
        status_text=text,
        loading_messages=tuple(messages),
    )
    return {}


def set_suggested_prompts(call: MethodCall) -> JsonObject:
    """Offer prompts in the messages tab."""
    prompts: JsonArray = call.decoded("prompts") or []
    if not 1 <= len(prompts) <= MAX_PROMPTS:
        raise invalid_arguments("too many items")
    suggested = SuggestedPrompts(channel=call.channel.id, prompts=tuple(prompts))
    call.state.keep(suggested)
    return {}


def open_view(call: MethodCall) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    trigger = call.text("trigger_id")
    call.backend.views.open(trigger, call.decoded("view"))
    return {}


def publish_view(call: MethodCall) -> JsonObject:
    """Set a person's App Home."""
    user = call.text("user_id")
    call.backend.views.publish(user, call.decoded("view"))
    return {}
