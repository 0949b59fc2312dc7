"""agents.*, assistant.*, views.* and apps.*: sessions, status lines, prompts, modals, sockets."""

from bot.sandbox.slack.methods.call import MethodCall
from bot.sandbox.slack.records import SuggestedPrompts
from bot.sandbox.slack.wire import ApiError, JsonObject, invalid_arguments

MAX_TITLE = 200
MAX_PROMPTS = 4
MAX_LOADING_MESSAGES = 10


def open_socket(call: MethodCall) -> JsonObject:
    """Give out the address of a socket, good for one connection."""
    ticket = call.backend.sockets.issue_ticket()
    base = call.backend.base_url.replace("http", "ws", 1)
    return {"url": f"{base}/link/?ticket={ticket}"}


def _thread(call: MethodCall) -> tuple[str, str]:
    channel = call.joined_channel("channel_id")
    return channel.id, call.required("thread_ts")


def set_session_status(call: MethodCall) -> JsonObject:
    """Set the status of a thread's agent session."""
    call.backend.change_session(*_thread(call), status=call.required("status"))
    return {}


def rename_session(call: MethodCall) -> JsonObject:
    """Give a thread's agent session another title."""
    title = call.required("title")
    thread = _thread(call)
    if len(title) > MAX_TITLE:
        raise ApiError("invalid_name")
    if thread not in call.state.sessions:
        raise ApiError("session_not_found")
    call.backend.change_session(*thread, title=title)
    return {}


def set_thread_status(call: MethodCall) -> JsonObject:
    """Show the line "<App> <text>" under a thread; an empty text clears it."""
    text = call.text("status")
    messages = call.json_array("loading_messages") or []
    if len(messages) > MAX_LOADING_MESSAGES:
        raise invalid_arguments("too many items")
    call.backend.change_session(
        *_thread(call),
        status="processing" if text else "active",
        status_text=text,
        loading_messages=tuple(messages),
    )
    return {}


def set_suggested_prompts(call: MethodCall) -> JsonObject:
    """Offer prompts in the messages tab."""
    channel = call.joined_channel("channel_id")
    prompts = call.json_array("prompts") or []
    if not 1 <= len(prompts) <= MAX_PROMPTS:
        raise invalid_arguments("too many items")
    suggested = SuggestedPrompts(channel=channel.id, prompts=tuple(prompts))
    call.state.keep(suggested)
    return {}


def _view(call: MethodCall) -> JsonObject:
    body = call.json_object("view")
    if body is None:
        raise invalid_arguments("missing required field: view")
    return body


def open_view(call: MethodCall) -> JsonObject:
    """Open a modal for the person whose gesture gave the trigger."""
    trigger = call.required("trigger_id")
    call.backend.views.open(trigger, _view(call))
    return {}


def publish_view(call: MethodCall) -> JsonObject:
    """Set a person's App Home."""
    user = call.required("user_id")
    call.backend.views.publish(user, _view(call))
    return {}
