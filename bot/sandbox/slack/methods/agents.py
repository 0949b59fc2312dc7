"""agents.*, assistant.* and views.*: what an agent shows around its threads, modals, App Home."""

from bot.sandbox.slack import limits
from bot.sandbox.slack.errors import ApiError, missing_field
from bot.sandbox.slack.messages import show_view
from bot.sandbox.slack.methods.call import Call
from bot.sandbox.slack.records import Channel, SuggestedPrompts, View
from bot.sandbox.slack.wire import JsonObject, as_object

_NO_STOP_BUTTON = "missing_agent_session_stopped_event_subscription"


def set_session_status(call: Call) -> JsonObject:
    """Set the status of a thread's agent session."""
    channel, thread_ts = call.joined_channel("channel_id"), call.args.text("thread_ts")
    if not thread_ts:
        raise ApiError("thread_ts_required")
    status, title = call.args.required("status"), call.args.text("title")
    if len(title) > limits.MAX_TITLE:
        raise ApiError("invalid_arguments")
    session = call.workspace.sessions.set_status(channel.id, thread_ts, status, title=title)
    answer: JsonObject = {
        "status": session.status,
        "agent_status": session.status,
        "title": session.title,
    }
    if not call.app.is_subscribed("agent_session_stopped"):
        warnings = {"warnings": [_NO_STOP_BUTTON]}
        answer |= {"warning": _NO_STOP_BUTTON, "response_metadata": warnings}
    return answer


def set_thread_status(call: Call) -> JsonObject:
    """Show a status line under a thread, or clear it."""
    channel, thread_ts = _thread(call)
    if not call.args.has("status"):
        raise missing_field("status")
    messages = tuple(str(message) for message in call.args.json_array("loading_messages") or ())
    if len(messages) > limits.MAX_LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    status = call.args.text("status")
    call.workspace.sessions.set_status_line(channel.id, thread_ts, status, messages)
    return {}


def set_thread_title(call: Call) -> JsonObject:
    """Set the title of a thread's session."""
    channel, thread_ts = _thread(call)
    call.workspace.sessions.set_title(channel.id, thread_ts, call.args.required("title"))
    return {}


def _thread(call: Call) -> tuple[Channel, str]:
    channel, thread_ts = call.joined_channel("channel_id"), call.args.required("thread_ts")
    post = call.state.find_post(channel.id, thread_ts)
    if post is None or post.is_reply:
        raise ApiError("invalid_thread_ts")
    return channel, thread_ts


def set_suggested_prompts(call: Call) -> JsonObject:
    """Shown in the messages tab; with a `thread_ts` accepted and, as in Slack, not shown."""
    channel = call.joined_channel("channel_id")
    prompts = tuple(as_object(prompt) or {} for prompt in call.args.json_array("prompts") or ())
    is_complete = all(prompt.get("title") and prompt.get("message") for prompt in prompts)
    if not 1 <= len(prompts) <= limits.MAX_PROMPTS or not is_complete:
        raise ApiError("invalid_arguments")
    if not call.args.has("thread_ts"):
        title = call.args.text("title")
        shown = SuggestedPrompts(channel=channel.id, title=title, prompts=prompts)
        call.state.set_prompts(shown)
    return {}


def _view(call: Call) -> JsonObject:
    body = call.args.json_object("view")
    if body is None:
        raise missing_field("view")
    return body


def _show(call: Call, view: View) -> JsonObject:
    return {"view": show_view(call.state, view)}


def open_view(call: Call) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    body = _view(call)
    user = call.workspace.triggers.exchange(call.args.required("trigger_id"))
    return _show(call, call.workspace.modals.open(user, body))


def push_view(call: Call) -> JsonObject:
    """Lay a modal on top of the person's open one."""
    body = _view(call)
    user = call.workspace.triggers.exchange(call.args.required("trigger_id"))
    return _show(call, call.workspace.modals.push(user, body))


def update_view(call: Call) -> JsonObject:
    """Replace the content of a view."""
    modals, args = call.workspace.modals, call.args
    view = modals.find(args.text("view_id"), args.text("external_id"))
    return _show(call, modals.update(view, _view(call), expected_hash=args.text("hash")))


def publish_view(call: Call) -> JsonObject:
    """Set a person's App Home."""
    user, modals = call.args.required("user_id"), call.workspace.modals
    if not call.app.is_home_enabled:
        raise ApiError("not_enabled")
    if user not in call.state.users:
        raise ApiError("missing_profile_id")
    return _show(call, modals.publish(user, _view(call), expected_hash=call.args.text("hash")))
