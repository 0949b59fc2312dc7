"""agents.*, assistant.* and views.*: what an agent shows around its threads, modals, App Home."""

from dataclasses import replace

from bot.sandbox.slack import limits
from bot.sandbox.slack.messages import show_view
from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import SuggestedPrompts, View
from bot.sandbox.slack.wire import ApiError, JsonObject, as_object, missing_field


def _thread(call: MethodCall) -> tuple[str, str]:
    return call.joined_channel("channel_id").id, call.args.required("thread_ts")


def set_session_status(call: MethodCall) -> JsonObject:
    """Set the status of a thread's agent session."""
    title = call.args.text("title")
    if len(title) > limits.MAX_TITLE:
        raise ApiError("invalid_arguments")
    session = call.backend.set_status(*_thread(call), call.args.required("status"), title=title)
    return {"status": session.status, "agent_status": session.status, "title": session.title}


def rename_session(call: MethodCall) -> JsonObject:
    """Give a thread's agent session another title."""
    title = call.args.required("title")
    if len(title) > limits.MAX_TITLE:
        raise ApiError("invalid_name")
    session = call.state.sessions.get(_thread(call))
    if session is None:
        raise ApiError("session_not_found")
    call.state.keep(replace(session, title=title))
    return {"title": title}


def set_thread_status(call: MethodCall) -> JsonObject:
    """Show a status line under a thread, or clear it."""
    messages = tuple(str(message) for message in call.args.json_array("loading_messages") or ())
    if len(messages) > limits.MAX_LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    call.backend.set_status_line(*_thread(call), call.args.text("status"), messages)
    return {}


def set_suggested_prompts(call: MethodCall) -> JsonObject:
    """Shown in the messages tab; with a `thread_ts` accepted and, as in Slack, not shown."""
    channel = call.joined_channel("channel_id")
    prompts = tuple(as_object(prompt) or {} for prompt in call.args.json_array("prompts") or ())
    if not 1 <= len(prompts) <= limits.MAX_PROMPTS:
        raise ApiError("invalid_arguments")
    if not call.args.has("thread_ts"):
        title = call.args.text("title")
        call.state.keep(SuggestedPrompts(channel=channel.id, title=title, prompts=prompts))
    return {}


def _view(call: MethodCall) -> JsonObject:
    if (body := call.args.json_object("view")) is None:
        raise missing_field("view")
    return body


def _show(view: View) -> JsonObject:
    return {"view": show_view(view)}


def open_view(call: MethodCall) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    return _show(call.backend.views.open(call.args.required("trigger_id"), _view(call)))


def update_view(call: MethodCall) -> JsonObject:
    """Put another view in the place of one that is open, or of an App Home."""
    view_id, view_hash = call.args.required("view_id"), call.args.text("hash")
    return _show(call.backend.views.update(view_id, _view(call), view_hash))


def publish_view(call: MethodCall) -> JsonObject:
    """Set a person's App Home."""
    if not call.app.is_home_enabled:
        raise ApiError("not_enabled")
    return _show(call.backend.views.publish(call.args.required("user_id"), _view(call)))
