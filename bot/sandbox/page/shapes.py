"""The JSON in which the page is told of posts, channels, sessions, calls and deliveries."""

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from bot.sandbox.slack import ApiCall, Delivery, Post, Session, View
from bot.sandbox.slack.messages import show_channel, show_post, show_user, show_view
from bot.sandbox.slack.records import Channel, Stream, SuggestedPrompts, User
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject, as_array, as_object


def post_shape(state: State, post: Post) -> JsonObject:
    """Slack's message, its files at the page's own address, and what Slack keeps to itself."""
    shown = show_post(state, post)
    if post.files:
        shown["files"] = [_with_own_address(file) for file in shown["files"]]
    if "blocks" in shown:
        shown["blocks"] = _with_own_pictures(state, shown["blocks"])
    shown["sandbox"] = {
        "channel": post.channel,
        "ephemeral_to": post.ephemeral_to,
        "stream": _stream_shape(post.stream) if post.stream else None,
    }
    return shown


def _with_own_address(file: JsonObject) -> JsonObject:
    if "url_private" not in file:
        return file
    address = _address(str(file["id"]), str(file["name"]))
    return {**file, "url_private": address, "url_private_download": f"{address}?download=1"}


def _address(file_id: str, name: str) -> str:
    quoted = quote(name, safe="", errors="replace")
    return f"/files/{file_id}/{quoted if name.strip('.') else 'file'}"


def _with_own_pictures(state: State, value: Any) -> Any:
    """Blocks in which each `slack_file`, named by id or address, is at the page's own address."""
    if (items := as_array(value)) is not None:
        return [_with_own_pictures(state, item) for item in items]
    if (fields := as_object(value)) is None:
        return value
    fields = {name: _with_own_pictures(state, field) for name, field in fields.items()}
    named = as_object(fields.get("slack_file")) or {}
    for file in state.files.values() if named else ():
        if file.id == named.get("id") or file.url_private == named.get("url"):
            own = {"id": file.id, "url": _address(file.id, file.name)}
            return {**fields, "slack_file": own}
    return fields


def _stream_shape(stream: Stream) -> JsonObject:
    return {
        "phase": stream.phase,
        "task_display_mode": stream.task_display_mode,
        "plan_title": stream.plan_title,
        "tasks": [asdict(task) for task in stream.tasks],
        "parts": list(stream.parts),
        "stopped_by_user": stream.stopped_by_user,
    }


def user_shape(state: State, user: User) -> JsonObject:
    """A user as users.info gives it to an app that may see everything."""
    shown = show_user(user, now_s=state.clock.now(), with_email=True, with_locale=True)
    return shown | ({"is_stranger": True} if user.team_id != state.team.id else {})


def channel_shape(state: State, channel: Channel, me: str) -> JsonObject:
    """A channel as conversations.info gives it, and who is in it; `is_member` is the app's."""
    shown = show_channel(state, channel)
    is_read_only = channel.is_read_only and channel.creator != me
    return shown | {
        "members": list(channel.members),
        "am_member": me in channel.members,
        "is_read_only": is_read_only,
    }


def session_shape(session: Session) -> JsonObject:
    """A thread's agent session."""
    return {
        "channel": session.channel,
        "thread_ts": session.thread_ts,
        "status": session.status,
        "title": session.title,
        "status_text": session.status_text,
        "loading_messages": list(session.loading_messages),
    }


def prompts_shape(prompts: SuggestedPrompts) -> JsonObject:
    """The prompts that the app suggests in a channel."""
    return {
        "channel": prompts.channel,
        "title": prompts.title,
        "prompts": list(prompts.prompts),
    }


def view_shape(state: State, view: View | None) -> JsonObject | None:
    """A modal or an App Home in Slack's JSON; None stays None."""
    if view is None:
        return None
    shown = show_view(state, view)
    return {**shown, "blocks": _with_own_pictures(state, shown["blocks"])}


def call_shape(call: ApiCall) -> JsonObject:
    """A call of the Web API."""
    return {
        "method": call.method,
        "args": call.args,
        "at_s": call.at_s,
        "duration_ms": call.duration_ms,
        "ok": call.ok,
        "error": call.error,
        "status": call.status,
    }


def delivery_shape(delivery: Delivery) -> JsonObject:
    """An attempt to bring a payload to the app."""
    return {
        "envelope_id": delivery.envelope_id,
        "type": delivery.type,
        "event_type": delivery.event_type,
        "attempt": delivery.attempt,
        "sent_at_s": delivery.sent_at_s,
        "acked_at_s": delivery.acked_at_s,
        "reached_socket": delivery.reached_socket,
        "payload": delivery.payload,
    }
