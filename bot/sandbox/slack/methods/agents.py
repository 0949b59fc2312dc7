"""agents.*, assistant.* and views.*: agent sessions, status lines, prompts, modals, App Home."""

from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import SuggestedPrompts
from bot.sandbox.slack.wire import ApiError, JsonObject, missing_field


def _thread(call: MethodCall) -> tuple[str, str]:
    channel = call.joined_channel("channel_id")
    return channel.id, call.args.required("thread_ts")


def set_session_status(call: MethodCall) -> JsonObject:
    """Set the status of a thread's agent session."""
    channel, thread_ts = _thread(call)
    status = call.args.required("status")
    call.backend.set_status(channel, thread_ts, status)
    return {}


def rename_session(call: MethodCall) -> JsonObject:
    """Give a thread's agent session another title."""
    title = call.args.required("title")
    if len(title) > limits.MAX_TITLE:
        raise ApiError("invalid_name")
    session = call.state.sessions.get(_thread(call))
    if session is None:
        raise ApiError("session_not_found")
    call.state.keep(replace(session, title=title))
    return {}


def set_thread_status(call: MethodCall) -> JsonObject:
    """Show a status line under a thread, or clear it."""
    channel, thread_ts = _thread(call)
    text = call.args.text("status")
    messages = call.args.json_array("loading_messages") or []
    if len(messages) > limits.MAX_LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    call.backend.set_status_line(
        channel,
        thread_ts,
        text,
        tuple(messages),
    )
    return {}


def set_suggested_prompts(call: MethodCall) -> JsonObject:
    """Offer prompts in the messages tab."""
    channel = call.joined_channel("channel_id")
    prompts = call.args.json_array("prompts") or []
    if not 1 <= len(prompts) <= limits.MAX_PROMPTS:
        raise ApiError("invalid_arguments")
    suggested = SuggestedPrompts(channel=channel.id, prompts=tuple(prompts))
    call.state.keep(suggested)
    return {}


def _view(call: MethodCall) -> JsonObject:
    body = call.args.json_object("view")
    if body is None:
        raise missing_field("view")
    return body


def open_view(call: MethodCall) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    trigger = call.args.required("trigger_id")
    call.backend.views.open(trigger, _view(call))
    return {}


def publish_view(call: MethodCall) -> JsonObject:
    """Set a person's App Home."""
    if not call.app.is_home_enabled:
        raise ApiError("not_enabled")
    user = call.args.required("user_id")
    call.backend.views.publish(user, _view(call))
    return {}
